import { Button, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Form } from '../../shared/form/form.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOfFailure } from '../../shared/states/notify.tsx';
import { Money } from '../../shared/values/money.tsx';

type Setting = Reply<'getLowBalanceMail'>;

/** Below which balance a mail is sent. */
export function LowBalance({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(reading('getLowBalanceMail', {}));
  const [isChanging, setChanging] = useState(false);
  const changed = async (): Promise<void> => {
    setChanging(false);
    await query.refetch();
  };
  const stop = async (): Promise<void> => {
    try {
      await call('removeLowBalanceMail', {});
      await query.refetch();
    } catch (error) {
      notifyOfFailure(error);
    }
  };
  useCommands(
    mayChange && query.data !== undefined
      ? [
          {
            id: 'low-balance',
            label: 'Set when a mail says that the balance is low',
            group: 'Money',
            run: () => setChanging(true),
          },
          ...(query.data.threshold === null
            ? []
            : [
                {
                  id: 'no-low-balance',
                  label: 'Send no mail about a low balance',
                  group: 'Money',
                  run: () => void stop(),
                },
              ]),
        ]
      : [],
  );
  return (
    <Answer query={query} lines={2}>
      {(setting) => (
        <>
          <State setting={setting} />
          {mayChange && !isChanging ? (
            <Group gap="sm" mt="sm">
              <Button variant="default" onClick={() => setChanging(true)}>
                {setting.threshold === null ? 'Send a mail' : 'Change it'}
              </Button>
              {setting.threshold === null ? null : (
                <Button variant="subtle" color="red" onClick={() => void stop()}>
                  Send none
                </Button>
              )}
            </Group>
          ) : null}
          {mayChange && isChanging ? (
            <Change setting={setting} onChanged={changed} onCancel={() => setChanging(false)} />
          ) : null}
        </>
      )}
    </Answer>
  );
}

function State({ setting }: { setting: Setting }) {
  const { threshold, is_low: isLow, is_mailed: isMailed, is_topped_up: isToppedUp } = setting;
  return (
    <>
      <Text size="sm" component="div">
        {threshold === null ? (
          'No mail is sent.'
        ) : (
          <>
            A mail is sent when the balance falls below <Money amount={threshold} currency="GBP" />, at most one a day.
            {isLow ? ' It is below that now.' : ''}
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {isMailed ? null : 'The print shop sends no mails here. '}
        {isToppedUp && threshold !== null ? 'The balance is topped up by itself: the mail comes if that stops. ' : null}
        <Link href="/notifications">Choose who gets it</Link>
      </Text>
    </>
  );
}

function Change({
  setting,
  onChanged,
  onCancel,
}: {
  setting: Setting;
  onChanged: () => Promise<void>;
  onCancel: () => void;
}) {
  const form = useForm({ initialValues: { threshold_gbp: String(setting.threshold ?? 50) } });
  const set = async ({ threshold_gbp: threshold }: typeof form.values): Promise<void> => {
    await call('setLowBalanceMail', { body: { threshold_gbp: Number(threshold) } });
    await onChanged();
  };
  return (
    <div style={{ marginTop: '0.75rem' }}>
      <Form
        form={form}
        submit={set}
        label="Set it"
        beside={
          <Button variant="subtle" onClick={onCancel}>
            Leave it
          </Button>
        }
      >
        <TextInput
          label="When the balance falls below, in pounds"
          data-autofocus
          inputMode="decimal"
          required
          maw="24rem"
          pattern="\d+(\.\d{1,2})?"
          title="Pounds, with at most two decimals"
          {...form.getInputProps('threshold_gbp')}
        />
      </Form>
    </div>
  );
}
