import { Button, Group, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Form } from '../../shared/form/form.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';

type Setting = Reply<'getAutoTopUp'>;

/** How the saved card tops up the balance by itself; without a card only what was set before, which can be ended. */
export function AutoTopUp({ mayChange, hasCard }: { mayChange: boolean; hasCard: boolean }) {
  const queries = useQueryClient();
  const query = useQuery(reading('getAutoTopUp', {}));
  const [isChanging, setChanging] = useState(false);
  const [question, setQuestion] = useState<Question>();
  // The first page says it when they have stopped.
  const refresh = () => Promise.all([query.refetch(), queries.invalidateQueries({ queryKey: ['getHome'] })]);
  const stop = (): void =>
    setQuestion({
      title: 'Stop automatic top-ups?',
      label: 'Stop them',
      act: async () => {
        await call('removeAutoTopUp', {});
        await refresh();
      },
    });
  const changed = async (): Promise<void> => {
    setChanging(false);
    await refresh();
  };
  const state = query.data?.state;
  useCommands(
    mayChange && state !== undefined
      ? [
          ...(hasCard
            ? [
                {
                  id: 'auto-top-up',
                  label: state === 'off' ? 'Top up by itself' : 'Change automatic top-ups',
                  group: 'Money',
                  run: () => setChanging(true),
                },
              ]
            : []),
          ...(state === 'off'
            ? []
            : [{ id: 'no-auto-top-up', label: 'Stop automatic top-ups', group: 'Money', run: stop }]),
        ]
      : [],
  );
  if (!hasCard && (state === undefined || state === 'off')) return null;
  return (
    <div className="platen-panel-body">
      <Title order={3} size="h5">
        Top up by itself
      </Title>
      <Answer query={query} lines={2}>
        {(setting) => (
          <>
            <State setting={setting} hasCard={hasCard} />
            {mayChange && !(isChanging && hasCard) ? (
              <Group gap="sm" mt="sm">
                {hasCard ? (
                  <Button variant="default" onClick={() => setChanging(true)}>
                    {setting.state === 'off' ? 'Top up by itself' : 'Change it'}
                  </Button>
                ) : null}
                {setting.state === 'off' ? null : (
                  <Button variant="subtle" color="red" onClick={stop}>
                    Stop it
                  </Button>
                )}
              </Group>
            ) : null}
            {mayChange && isChanging && hasCard ? (
              <Change setting={setting} onChanged={changed} onCancel={() => setChanging(false)} />
            ) : null}
          </>
        )}
      </Answer>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">The balance is then topped up by hand alone. A charge that is under way is not stopped.</Text>
      </Confirm>
    </div>
  );
}

function State({ setting, hasCard }: { setting: Setting; hasCard: boolean }) {
  const { state, threshold, amount, daily_cap: cap, reason, topped_up: toppedUp, next_at: nextAt } = setting;
  if (threshold === null || amount === null || cap === null) return <Text size="sm">Off.</Text>;
  const money = (value: number) => <Money amount={value} currency="GBP" />;
  return (
    <>
      {state === 'stopped' ? (
        <Text size="sm" role="alert" fw={500}>
          Stopped: {reason === '' ? 'the card was refused twice.' : reason}{' '}
          {hasCard ? 'Save another card, or set it anew.' : 'Save a card and set it anew, or stop it.'}
        </Text>
      ) : null}
      {state === 'on' && !hasCard ? (
        <Text size="sm" role="alert" fw={500}>
          There is no saved card, so nothing is topped up. Save one, or stop it.
        </Text>
      ) : null}
      <Text size="sm" component="div">
        Below {money(threshold)} the card is charged {money(amount)}, at most {money(cap)} within 24 hours.
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {money(toppedUp)} in the last 24 hours.{' '}
        {state === 'on' && reason !== '' ? `The last charge failed: ${reason} ` : null}
        {nextAt === null ? null : (
          <>
            The next one not before <Moment at={nextAt} />.
          </>
        )}
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
  const textOf = (value: number | null, otherwise: number): string => String(value ?? otherwise);
  const form = useForm({
    initialValues: {
      threshold_gbp: textOf(setting.threshold, 20),
      amount_gbp: textOf(setting.amount, 100),
      daily_cap_gbp: textOf(setting.daily_cap, 300),
    },
  });
  const set = async (values: typeof form.values): Promise<void> => {
    const { threshold_gbp: threshold, amount_gbp: amount, daily_cap_gbp: cap } = values;
    const body = { threshold_gbp: Number(threshold), amount_gbp: Number(amount), daily_cap_gbp: Number(cap) };
    await call('setAutoTopUp', { body });
    await onChanged();
  };
  const field = { inputMode: 'decimal', required: true, maw: '24rem', ...AMOUNT } as const;
  return (
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
        label="When the balance is below, in pounds"
        data-autofocus
        {...field}
        {...form.getInputProps('threshold_gbp')}
      />
      <TextInput label="Charge each time, in pounds" {...field} {...form.getInputProps('amount_gbp')} />
      <TextInput label="At most within 24 hours, in pounds" {...field} {...form.getInputProps('daily_cap_gbp')} />
    </Form>
  );
}

const AMOUNT = { pattern: '\\d+(\\.\\d{1,2})?', title: 'Pounds, with at most two decimals' };
