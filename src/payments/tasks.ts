import { openTaskOnce } from '../accounts/open-task.ts';
import { pence, poundsText } from '../lib/money.ts';
import { lockAnyOrder } from '../orders/move-sql.ts';
import type { AttemptRow } from './attempt-sql.ts';
import type { ChargeEndContext } from './context.ts';
import type { Intent } from './provider.ts';

/**
 * Opens a task for what the provider reports of a payment and the books cannot hold.
 * Idempotent: the same words open one task. `what` follows the payment and its order in the note. Locks the order.
 */
export async function openPaymentTask(
  ctx: Pick<ChargeEndContext, 'database' | 'clock'>,
  attempt: AttemptRow,
  kind: 'dispute_inquiry' | 'dispute_unbooked' | 'payment_mismatch',
  what: string,
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.database.transaction(async (tx) => {
    const order = await lockAnyOrder(tx, attempt.order_id);
    if (order === undefined) throw new Error('a payment attempt is without its order');
    const amount = `£${poundsText(pence(attempt.amount_pence))} by ${attempt.method}`;
    const task = { accountId: attempt.account_id, orderId: order.id, kind };
    await openTaskOnce(tx, { ...task, note: `${amount} for order ${order.reference}: ${what}` }, now);
  });
}

/**
 * Opens a task: an intent took another amount or currency than its attempt is for.
 * None of it is booked.
 */
export async function openMismatchTask(
  ctx: Pick<ChargeEndContext, 'database' | 'clock'>,
  attempt: AttemptRow,
  { id, amount, currency }: Intent,
): Promise<void> {
  const took = `${amount ?? 'an unknown number'} of the smallest unit of ${currency === '' ? 'an unknown currency' : currency}`;
  const what = `the provider says that it took ${took} (${id}). Nothing is booked: look it up with the provider, set it right there, and end the payment attempt by hand.`;
  await openPaymentTask(ctx, attempt, 'payment_mismatch', what);
}
