import { NativeSelect, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { call, type Input } from '../../shared/api/client.ts';
import { Form } from '../../shared/form/form.tsx';
import { ASKING_REASONS } from '../../shared/orders/request-words.ts';
import type { Order } from '../../shared/orders/status.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

type Body = Input<'askToCancel'>['body'];

/** The form that asks the shop to cancel an order whose window is over. */
export function AskToCancel({ order, onDone }: { order: Order; onDone: () => void }) {
  const queries = useQueryClient();
  const form = useForm({ initialValues: { reason: ASKING_REASONS[0]?.value ?? '', text: '' } });
  const ask = async ({ reason, text }: typeof form.values): Promise<void> => {
    const body: Body = { reason: reason as Body['reason'], text: text.trim() };
    await call('askToCancel', { path: { id: order.id }, body });
    await queries.invalidateQueries();
    notifyOf('The shop has your request, and answers it here and by mail.');
    onDone();
  };
  return (
    <Form form={form} submit={ask} label="Ask the shop">
      <Text size="sm">
        The time to cancel it yourself is over, so the shop decides. Until it answers, the order goes on: it may be made
        and sent. If the shop agrees, it cancels all of it, or what has not started, and says what is refunded.
      </Text>
      <NativeSelect label="Why" data={ASKING_REASONS} data-autofocus {...form.getInputProps('reason')} />
      <Textarea
        label="What the shop should know"
        description={form.values.reason === 'other' ? undefined : 'May be left out'}
        required={form.values.reason === 'other'}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={500}
        {...form.getInputProps('text')}
      />
    </Form>
  );
}
