import { closeTasksOf } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import { postToOrder, readReceivable, readWrittenOff } from '../../billing/ledger.ts';
import {
  chargeRecoveredPostings,
  paidTwicePostings,
  refundOwedAgainPostings,
  writeOffUndonePostings,
} from '../../billing/postings.ts';
import type { Db } from '../../lib/db.ts';
import { type Pence, pence, poundsText, ZERO_PENCE } from '../../lib/money.ts';
import { moveOrder } from '../../orders/move-order.ts';
import { type LockedOrder, lockAnyOrder } from '../../orders/move-sql.ts';
import { type ChargeEndContext, PAYMENT_RETURNED } from '../attempt-end.ts';
import { type AttemptRow, findAttempt, markCollected, markWon, readSetOff, undoSetOff } from '../attempt-sql.ts';

/** The history's action for a recovered payment, and the kind of the task that may follow. */
const PAYMENT_RECOVERED = 'payment_recovered';

/**
 * The pence that the customer still owes for a returned payment.
 * That is what was returned less what was set off against its refunds, bounded by all that is receivable for the
 * order. If no other payment of the order is returned, it is exactly what is receivable.
 */
export async function recoverableOf(tx: Db, order: LockedOrder, attempt: AttemptRow): Promise<Pence> {
  const receivable = await readReceivable(tx, order.account_id, order.id);
  const hasOthers = order.payments.some((payment) => payment.is_returned && payment.id !== attempt.id);
  if (!hasOthers) return receivable;
  const setOffPence = await readSetOff(tx, order.account_id, attempt.id);
  return pence(Math.min(receivable, returnedOf(attempt) - setOffPence));
}

/** How much of a payment was returned. */
function returnedOf(attempt: AttemptRow): number {
  return attempt.returned_pence ?? attempt.amount_pence;
}

/**
 * Books that a customer paid by bank what it owed for a returned payment.
 * `amountPence` is all that is still owed for it. The task is closed. An order that is held for it stays on hold
 * until an operator resumes it. The caller holds the lock of the order.
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
 * Books a won dispute. Idempotent per payment, and safe before `funds_withdrawn` has arrived.
 * The customer owes no more of it. Amounts set off against refunds become owed again; amounts already collected by
 * bank are credited to the balance. A dispute that is won before its beginning was reported never counts as returned.
 * Returns false if another call booked it. Locks the order.
 */
export async function bookWonDispute(
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
    // What is neither set off nor owed any more was collected by bank, or written off, which costs the shop no longer.
    const restPence = returnedOf(attempt) - owedPence - receivablePence;
    const givenUpPence = wasReturned
      ? pence(Math.min(restPence, await readWrittenOff(tx, accountId, order.id)))
      : ZERO_PENCE;
    const twicePence = wasCollected ? pence(restPence - givenUpPence) : ZERO_PENCE;
    if (owedPence > 0) await undoSetOff(tx, { accountId, orderId, paymentId: id });
    await markWon(tx, accountId, id, { disputeId, now });
    if (!wasReturned) return true;
    await noteRecovered(ctx, tx, order, { actor: 'system', reason: 'The dispute was won.' }, now);
    await closeReturned(tx, order, attempt, now);
    const followUp = followUpOf(order, owedPence);
    if (followUp !== undefined) {
      const note = `£${poundsText(pence(attempt.amount_pence))} by ${attempt.method} for order ${order.reference}: the dispute was won. ${followUp}`;
      await openTask(tx, { accountId, orderId, kind: PAYMENT_RECOVERED, note }, now);
    }
    const postings = [
      ...chargeRecoveredPostings(receivablePence, attempt.method),
      ...refundOwedAgainPostings(owedPence, attempt.method),
      ...writeOffUndonePostings(givenUpPence, attempt.method),
      ...paidTwicePostings(twicePence, attempt.method),
    ];
    await postToOrder(tx, { accountId, orderId, postings, reference: order.reference, now });
    return true;
  });
}

/** What operators must do after a won dispute. Without a task nothing shows that the order may go on. */
function followUpOf(order: LockedOrder, owedPence: Pence): string | undefined {
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

/** Closes the tasks to collect, unless another payment of the order is returned too. */
async function closeReturned(tx: Db, order: LockedOrder, attempt: AttemptRow, now: Date): Promise<void> {
  if (order.payments.some((payment) => payment.is_returned && payment.id !== attempt.id)) return;
  await closeTasksOf(tx, { accountId: order.account_id, orderId: order.id, kind: PAYMENT_RETURNED }, now);
}
