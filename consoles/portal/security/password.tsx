import { Button, Modal, PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Form } from '../../shared/form/form.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { CodeField, useCode } from '../../shared/session/code-field.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

/** The password of the person, and its change. */
export function Password({ onChanged }: { onChanged: () => void }) {
  const [isOpen, setOpen] = useState(false);
  useCommands([{ id: 'password', label: 'Change your password', group: 'Security', run: () => setOpen(true) }]);
  return (
    <Panel title="Password">
      <div className="platen-line">
        <div className="platen-line-text">
          <Text size="sm" c="dimmed">
            A new one signs you out everywhere else, and ends what you have allowed to apps.
          </Text>
        </div>
        <Button variant="default" onClick={() => setOpen(true)}>
          Change
        </Button>
      </div>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Change your password" size="sm">
        <Change
          onChanged={() => {
            setOpen(false);
            notifyOf('Your password is changed, and your other sessions have ended.');
            onChanged();
          }}
        />
      </Modal>
    </Panel>
  );
}

function Change({ onChanged }: { onChanged: () => void }) {
  const { needsCode, sendWith } = useCode();
  const form = useForm({ initialValues: { current: '', new: '', code: '' } });
  const change = ({ code, ...passwords }: typeof form.values): Promise<void> =>
    sendWith(code, async (given) => {
      await call('changePassword', { body: { ...passwords, ...given } });
      onChanged();
    });
  return (
    <Form form={form} submit={change} label="Change it">
      <PasswordInput
        label="Password of now"
        autoComplete="current-password"
        required
        data-autofocus
        {...form.getInputProps('current')}
      />
      <PasswordInput
        label="New password"
        description="Twelve characters or more; a sentence is good."
        autoComplete="new-password"
        required
        {...form.getInputProps('new')}
      />
      {needsCode ? <CodeField form={form} /> : null}
    </Form>
  );
}
