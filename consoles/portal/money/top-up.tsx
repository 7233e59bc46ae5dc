import { Button, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRef } from 'react';
import { callOnce, type Reply } from '../../shared/api/client.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Form } from '../../shared/form/form.tsx';
import { formatMoney } from '../../shared/values/money.tsx';
import { newKey } from './new-key.ts';

/** What is offered beside what frees the orders that wait. */
const AMOUNTS = [50, 100, 250, 500];

/** Takes an amount and leads to the payment provider, which takes the card. */
export function TopUp({ money }: { money: Reply<'getMoney'> }) {
  const { top_up: bounds, to_free_all: missing, currency } = money;
  const form = useForm({ initialValues: { amount_gbp: '' } });
  // The same press again, after an answer that was lost, is the same top-up.
  const asked = useRef<{ amount: number; key: string }>(undefined);
  const field = useRef<HTMLInputElement>(null);
  useCommands(
    bounds === null
      ? []
      : [{ id: 'top-up', label: 'Top up by card', group: 'Money', run: () => field.current?.focus() }],
  );
  if (bounds === null) {
    return <Text size="sm">No card is taken here. Pay by bank transfer; the print shop enters it.</Text>;
  }
  const begin = async ({ amount_gbp: text }: typeof form.values): Promise<void> => {
    const amount = Number(text.trim());
    if (asked.current?.amount !== amount) asked.current = { amount, key: newKey() };
    const topUp = await callOnce('beginTopUp', { body: { amount_gbp: amount } }, asked.current.key);
    location.assign(topUp.pay_url ?? `/portal/money/return?top_up=${topUp.id}`);
    // The next one is another, also for who comes back by the browser's own button.
    asked.current = undefined;
  };
  const offered = [...new Set([...(missing >= bounds.min ? [missing] : []), ...AMOUNTS])].filter(
    (amount) => amount <= bounds.max,
  );
  return (
    <Form form={form} submit={begin} label="Go on to pay">
      <TextInput
        ref={field}
        label="Amount in pounds"
        description={`From ${formatMoney(bounds.min, currency)} to ${formatMoney(bounds.max, currency)}. The payment provider takes the card on a page of its own.`}
        inputMode="decimal"
        pattern="\d+(\.\d{1,2})?"
        title="Pounds, with at most two decimals"
        required
        maw="24rem"
        {...form.getInputProps('amount_gbp')}
      />
      <Group gap="xs" role="group" aria-label="Amounts">
        {offered.map((amount) => (
          <Button
            key={amount}
            size="compact-sm"
            variant="default"
            onClick={() => form.setFieldValue('amount_gbp', String(amount))}
          >
            {formatMoney(amount, currency)}
            {amount === missing ? ', frees all orders' : ''}
          </Button>
        ))}
      </Group>
    </Form>
  );
}
