import { Button, Code, Group, Modal, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Form } from '../../shared/form/form.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { QrCode } from '../../shared/values/qr-code.tsx';

/** What is being shown of a second factor that is added: its secret, then its recovery codes. */
type Step =
  | { readonly kind: 'secret'; readonly secret: Reply<'beginSecondFactor'> }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

/** The second factor of the person: adding and removing it. */
export function SecondFactor() {
  const query = useQuery(reading('getSecondFactor', {}));
  const [step, setStep] = useState<Step>();
  const [question, setQuestion] = useState<Question>();
  const begin = async (): Promise<void> => {
    setStep({ kind: 'secret', secret: await call('beginSecondFactor', {}) });
  };
  const askToRemove = (): void =>
    setQuestion({
      title: 'Remove the second factor?',
      label: 'Remove it',
      act: async () => {
        await call('removeOwnSecondFactor', {});
        await query.refetch();
      },
    });
  const isOn = query.data?.is_on === true;
  const isKnown = query.data !== undefined;
  useCommands(
    isKnown
      ? [
          isOn
            ? { id: 'factor', label: 'Remove the second factor', group: 'Security', run: askToRemove }
            : {
                id: 'factor',
                label: 'Add a second factor',
                group: 'Security',
                run: () => void begin().catch(notifyOfFailure),
              },
        ]
      : [],
  );
  return (
    <Panel title="Second factor">
      <Answer query={query}>
        {({ is_on: on, confirmed_at: since, recovery_codes_left: left }) => (
          <div className="platen-line">
            <div style={{ flex: 1, minWidth: 0 }}>
              <Text fw={600} size="sm">
                {on ? 'Signing in needs a code from your app' : 'The password alone signs you in'}
              </Text>
              <Text size="sm" c="dimmed">
                {on && since !== null ? (
                  <>
                    Since <Moment at={since} />. {left} of your recovery codes are left.
                  </>
                ) : (
                  'With a code from an app on your phone, nobody gets in by the password alone.'
                )}
              </Text>
            </div>
            <Button variant="default" onClick={on ? askToRemove : () => void begin().catch(notifyOfFailure)}>
              {on ? 'Remove' : 'Add'}
            </Button>
          </div>
        )}
      </Answer>
      <Adding
        step={step}
        onConfirmed={(codes) => {
          setStep({ kind: 'codes', codes });
          void query.refetch();
        }}
        onClose={() => setStep(undefined)}
      />
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">Your password alone signs you in from then on. The recovery codes become useless.</Text>
      </Confirm>
    </Panel>
  );
}

function Adding({
  step,
  onConfirmed,
  onClose,
}: {
  step: Step | undefined;
  onConfirmed: (codes: readonly string[]) => void;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={step !== undefined}
      onClose={onClose}
      title={step?.kind === 'codes' ? 'Keep your recovery codes' : 'Add a second factor'}
    >
      {step?.kind === 'secret' ? <Secret secret={step.secret} onConfirmed={onConfirmed} /> : null}
      {step?.kind === 'codes' ? <Codes codes={step.codes} onClose={onClose} /> : null}
    </Modal>
  );
}

function Secret({
  secret,
  onConfirmed,
}: {
  secret: Reply<'beginSecondFactor'>;
  onConfirmed: (codes: readonly string[]) => void;
}) {
  const form = useForm({ initialValues: { code: '' } });
  const confirm = async ({ code }: typeof form.values): Promise<void> => {
    onConfirmed((await call('confirmSecondFactor', { body: { code } })).recovery_codes);
  };
  return (
    <>
      <Text size="sm" mb="sm">
        Point the camera of an app for codes at this picture, such as the password manager of your phone.
      </Text>
      <QrCode rows={secret.qr} label="QR code of the key" />
      <Text size="sm" mb="sm">
        Or enter the key by hand, or <a href={secret.otpauth_url}>open it in an app</a> of this device.
      </Text>
      <Code block mb="md">
        {secret.secret.match(/.{4}/g)?.join(' ')}
      </Code>
      <Form form={form} submit={confirm} label="Confirm">
        <TextInput
          label="Code"
          description="The six digits that the app shows now."
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          data-autofocus
          {...form.getInputProps('code')}
        />
      </Form>
    </>
  );
}

function Codes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <>
      <Text size="sm" mb="sm">
        Each of these signs you in once when the app is lost. They are shown this once: print them, or keep them in a
        safe.
      </Text>
      <Code block mb="md">
        {codes.join('\n')}
      </Code>
      <Group gap="sm">
        <Button onClick={onClose}>I have kept them</Button>
        <Button variant="default" onClick={() => void navigator.clipboard.writeText(codes.join('\n'))}>
          Copy
        </Button>
      </Group>
    </>
  );
}
