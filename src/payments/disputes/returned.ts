import { closeTasksOf } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import { postToOrder } from '../../billing/ledger.ts';
import { chargeReturnedPostings, type Posting, refundPaidPostings } from '../../billing/postings.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { type Pence, pence, poundsText, sumPence } from '../../lib/money.ts';
import { holdMove } from '../../orders/hold-move.ts';
import { moveOrder } from '../../orders/move-order.ts';
import { type LockedOrder, lockAnyOrder } from '../../orders/move-sql.ts';
import type { OrderState } from '../../orders/status.ts';
import { type AttemptRow, findAttempt } from '../attempt-sql.ts';
import type { ChargeEndContext } from '../context.ts';
import { countAttempt } from '../metrics.ts';
import { readDisputes, saveDisputes, saveSummary } from './dispute-sql.ts';
import { bookedOf } from './plan.ts';
import { setOffRefunds } from './set-off-sql.ts';
import { afterTaken, carryOver, failedOf, named } from './summary.ts';

/** The code of the hold, the history's action and the kind of the task for a returned payment. */
export const PAYMENT_RETURNED = 'payment_returned';

/**
 * The kind of the task for what disputes moved that cannot be.
 * That is more than the payment, or more back than was taken.
 */
export const DISPUTE_EXCEEDS = 'dispute_exceeds';

/**
 * Books a direct debit that failed after it had been accepted.
 * All of it comes back that disputes have not taken. The failure and the disputes of a payment are about the same
 * money, which is never more than the payment: a task that says otherwise is closed. Idempotent. Returns whether this
 * call booked it. Locks the order.
 */
export async function bookFailedDebit(ctx: ChargeEndContext, { id, order_id: orderId }: AttemptRow): Promise<boolean> {
  const isOurs = await ctx.database.transaction(async (tx) => {
    const order = await lockAnyOrder(tx, orderId);
    const attempt = await findAttempt(tx, id);
    if (order === undefined || attempt === undefined) throw new Error('a payment attempt is without its order');
    const now = ctx.clock.now();
    await closeTasksOf(tx, { ...ownerOf(attempt), kind: DISPUTE_EXCEEDS }, now);
    const before = await readDisputes(tx, attempt);
    const disputes = carryOver(attempt, before);
    const restPence = disputes.reduce((rest, dispute) => rest - bookedOf(dispute), attempt.amount_pence);
    if (attempt.state !== 'succeeded' || failedOf(attempt, disputes) > 0 || restPence <= 0) return false;
    const taken = { order, attempt, takenPence: pence(restPence), why: 'failed' } as const;
    const postings = await recordTaken(ctx, tx, taken, now);
    await saveDisputes(tx, attempt, { before, after: disputes }, now);
    await saveSummary(tx, attempt, named(afterTaken(attempt, restPence, now), disputes, now));
    await postToOrder(tx, { ...ownerOf(attempt), reference: order.reference, postings, now });
    return true;
  });
  if (isOurs) ctx.wakeDeliveries();
  return isOurs;
}

export type Taken = {
  readonly order: LockedOrder;
  readonly attempt: AttemptRow;
  readonly takenPence: Pence;
  readonly why: keyof typeof RETURN_REASONS;
};

/**
 * Records that the provider took money of a payment back, and returns what is to be posted for it.
 * The customer owes it. Refunds of the payment that are still owed are set off first: the customer has that money now,
 * and neither side owes it. If anything is left to collect, an order that has not started is held. Operators get a
 * task; nothing already recorded is rewritten (domain, "Direct debit"). The caller holds the lock of the order, and
 * writes the summary on the attempt.
 */
export async function recordTaken(ctx: ChargeEndContext, tx: Db, taken: Taken, now: Date): Promise<Posting[]> {
  const { order, attempt, takenPence } = taken;
  tx.afterCommit(() => countAttempt({ method: attempt.method, outcome: 'returned' }));
  const reason = RETURN_REASONS[taken.why];
  const setOffPence = pence(Math.min(owedOf(order, attempt.id), takenPence));
  if (setOffPence < takenPence && HELD_FOR_RETURN.includes(order.state)) {
    const held = holdMove(order, { code: PAYMENT_RETURNED, reason, actor: 'system' }, now);
    await moveOrder(tx, ctx.config, order, held, now);
  } else {
    const note = { to: order.state, action: PAYMENT_RETURNED, actor: 'system', reason, events: [] };
    await moveOrder(tx, ctx.config, order, note, now);
  }
  await setOffRefunds(tx, { ...ownerOf(attempt), paymentId: attempt.id, setOffPence, now });
  const task = { kind: PAYMENT_RETURNED, note: returnedNote(taken, reason, setOffPence) };
  await openTask(tx, { ...ownerOf(attempt), ...task }, now);
  return [...chargeReturnedPostings(attempt.method, takenPence), ...refundPaidPostings(setOffPence, 'receivables')];
}

/**
 * The states before production starts.
 * An order that is on hold for another reason is held for this one too: it must not go on once the other is settled.
 */
export const HELD_FOR_RETURN: readonly OrderState[] = ['placed', 'released', 'on_hold'];

const RETURN_REASONS = {
  failed: 'The payment failed after it had been accepted.',
  disputed: 'The payment is disputed.',
} as const;

/** The pence of a payment that are still owed to the customer and paid back by hand. */
export function owedOf(order: LockedOrder, paymentId: Uuid): Pence {
  const owed = order.refunds.filter((refund) => refund.payment_id === paymentId && refund.state === 'owed');
  return sumPence(owed.map((refund) => pence(refund.amount_pence)));
}

function returnedNote({ order, attempt, takenPence }: Taken, reason: string, setOffPence: Pence): string {
  const isAll = takenPence === attempt.amount_pence;
  const duePence = pence(takenPence - setOffPence);
  const back = isAll ? '' : ` £${poundsText(takenPence)} of it came back.`;
  const what = `${nameOf(order, attempt)}: ${reason}${back}`;
  const setOff = `£${poundsText(setOffPence)} of it was still to be paid back, but is now set off: pay ${isAll ? 'nothing' : 'no more than is still listed'} back.`;
  if (duePence === 0) return `${what} ${setOff}`;
  const notBack = isAll ? 'this payment is' : 'that much of this payment is';
  const collect = `Collect £${poundsText(duePence)}. If the order is cancelled instead, ${notBack} not to be paid back.`;
  return setOffPence === 0 ? `${what} ${collect}` : `${what} ${setOff} ${collect}`;
}

/** How a task names a payment and its order. */
export function nameOf(order: LockedOrder, attempt: AttemptRow): string {
  return `£${poundsText(pence(attempt.amount_pence))} by ${attempt.method} for order ${order.reference}`;
}

/** The account and the order of an attempt. */
export function ownerOf(attempt: AttemptRow): { accountId: Uuid; orderId: Uuid } {
  return { accountId: attempt.account_id, orderId: attempt.order_id };
}
