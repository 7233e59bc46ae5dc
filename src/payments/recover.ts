import { closeTasksOf } from '../accounts/close-task.ts';
import { openTask } from '../accounts/open-task.ts';
import { postToOrder, readReceivable } from '../billing/ledger.ts';
import { chargeRecoveredPostings, paidTwicePostings, refundOwedAgainPostings } from '../billing/postings.ts';
import type { Db } from '../lib/db.ts';
import { type Pence, pence, poundsText, ZERO_PENCE } from '../lib/money.ts';
import { moveOrder } from '../orders/move-order.ts';
import { type LockedOrder, lockAnyOrder } from '../orders/move-sql.ts';
import { type ChargeEndContext, PAYMENT_RETURNED } from './attempt-end.ts';
import { type AttemptRow, findAttempt, markCollected, markWon, oweSetOff, readSetOff } from './attempt-sql.ts';

/** The history's word for money that came back to us, and the task's where somebody has to see to what follows. */
const PAYMENT_RECOVERED = 'payment_recovered';

/**
 * What of a payment that came back the customer still owes: what was taken back less what refunds of it were set off against. What is
 * receivable of the order in all bounds it, and is it where no other payment of the order came back.
 */
export async function recoverableOf(tx: Db, order: LockedOrder, attempt: AttemptRow): Promise<Pence> {
  const receivable = await readReceivable(tx, order.account_id, order.id);
  const hasOthers = order.payments.some((payment) => payment.is_returned && payment.id !== attempt.id);
  if (!hasOthers) return receivable;
  const setOffPence = await readSetOff(tx, order.account_id, attempt.id);
  return pence(Math.min(receivable, returnedOf(attempt) - setOffPence));
}

/** How much of a payment came back. */
function returnedOf(attempt: AttemptRow): number {
  return attempt.returned_pence ?? attempt.amount_pence;
}

/**
 * Books on a locked order that a customer has paid, by bank, what he owed because a payment came back; `amountPence` is all that is
 * still owed of it. The task is closed; an order that is held for it stays so until somebody lets it go on.
 */
export async function collectByBank(
  ctx: Pick<ChargeEndContext, 'config'>,
  tx: Db,
  of: {
    readonly order: LockedOrder;
    readonly attempt: AttemptRow;
    readonly amountPence: Pence;
    readonly actor: string;
  },
  now: Date,
): Promise<void> {
  const { order, attempt, amountPence, actor } = of;
  const { account_id: accountId, id: orderId, reference } = order;
  await markCollected(tx, accountId, attempt.id, now);
  await noteRecovered(ctx, tx, order, { actor, reason: `£${poundsText(amountPence)} came by bank.` }, now);
  await closeReturned(tx, order, attempt, now);
  await postToOrder(tx, { accountId, orderId, postings: chargeRecoveredPostings(amountPence, 'bank'), reference, now });
}

/**
 * A dispute ends in our favour: the provider has the money again, and the customer owes none of it any more. What was set off meanwhile
 * against refunds of this payment is to be paid back by hand after all; what he has paid by bank meanwhile is on his balance. Once for
 * each payment, however often it is told; one whose beginning was not told of yet never counts as returned. Returns whether this call
 * was the one.
 */
export async function winDispute(
  ctx: ChargeEndContext,
  { id, order_id: orderId }: AttemptRow,
  disputeId: string,
): Promise<boolean> {
  const now = ctx.clock.now();
  return ctx.database.transaction(async (tx) => {
    const order = await lockAnyOrder(tx, orderId);
    const attempt = await findAttempt(tx, id);
    if (order === undefined || attempt === undefined) throw new Error('a payment attempt is without its order');
    if (attempt.won_at !== null || attempt.state !== 'succeeded') return false;
    if (attempt.dispute_id !== null && attempt.dispute_id !== disputeId) return false;
    const accountId = order.account_id;
    const wasReturned = attempt.returned_at !== null;
    const wasCollected = attempt.recovered_at !== null;
    const owedPence = pence(await readSetOff(tx, accountId, id));
    const receivablePence = wasReturned && !wasCollected ? await recoverableOf(tx, order, attempt) : ZERO_PENCE;
    const twicePence = wasCollected ? pence(returnedOf(attempt) - owedPence) : ZERO_PENCE;
    if (owedPence > 0) await oweSetOff(tx, { accountId, orderId, paymentId: id });
    await markWon(tx, accountId, id, { disputeId, now });
    if (!wasReturned) return true;
    await noteRecovered(ctx, tx, order, { actor: 'system', reason: 'The dispute was won.' }, now);
    await closeReturned(tx, order, attempt, now);
    const whatToDo = whatToDoOf(order, owedPence);
    if (whatToDo !== undefined) {
      const note = `£${poundsText(pence(attempt.amount_pence))} by ${attempt.method} for order ${order.reference}: the dispute was won. ${whatToDo}`;
      await openTask(tx, { accountId, orderId, kind: PAYMENT_RECOVERED, note }, now);
    }
    const postings = [
      ...chargeRecoveredPostings(receivablePence, attempt.method),
      ...refundOwedAgainPostings(owedPence, attempt.method),
      ...paidTwicePostings(twicePence, attempt.method),
    ];
    await postToOrder(tx, { accountId, orderId, postings, reference: order.reference, now });
    return true;
  });
}

/** What a person has to do once a dispute was won; nobody else sees that an order may go on. */
function whatToDoOf(order: LockedOrder, owedPence: Pence): string | undefined {
  const owed =
    owedPence > 0 ? [`£${poundsText(owedPence)} of it had been set off against a refund: pay that back.`] : [];
  const hold = order.state === 'on_hold' ? ['The order is on hold: let it go on.'] : [];
  return [...owed, ...hold].join(' ') || undefined;
}

async function noteRecovered(
  ctx: Pick<ChargeEndContext, 'config'>,
  tx: Db,
  order: LockedOrder,
  by: { readonly actor: string; readonly reason: string },
  now: Date,
): Promise<void> {
  const move = { to: order.state, action: PAYMENT_RECOVERED, ...by, events: [] };
  await moveOrder(tx, ctx.config, order, move, now);
}

/** The tasks to collect are done, unless another payment of the order came back too. */
async function closeReturned(tx: Db, order: LockedOrder, attempt: AttemptRow, now: Date): Promise<void> {
  if (order.payments.some((payment) => payment.is_returned && payment.id !== attempt.id)) return;
  await closeTasksOf(tx, { accountId: order.account_id, orderId: order.id, kind: PAYMENT_RETURNED }, now);
}
