import { closeTasksOf } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import { postToOrder, readReceivable } from '../../billing/ledger.ts';
import { refundPaidPostings } from '../../billing/postings.ts';
import type { Db } from '../../lib/db.ts';
import { type Pence, pence, poundsText, ZERO_PENCE } from '../../lib/money.ts';
import { holdMove } from '../../orders/hold-move.ts';
import { moveOrder } from '../../orders/move-order.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { type AttemptRow, findAttempt } from '../attempt-sql.ts';
import type { ChargeEndContext } from '../context.ts';
import { readDisputes, saveDisputes, saveSummary } from './dispute-sql.ts';
import type { Dispute } from './plan.ts';
import { HELD_FOR_RETURN, nameOf, owedOf, ownerOf, PAYMENT_RETURNED } from './returned.ts';
import { readSetOff, setOffRefunds } from './set-off-sql.ts';
import { afterGivenBack, afterUncollected, carryOver, isOpen, named, outOf, settledOf } from './summary.ts';

// A collection by bank that is corrected opens again what it had closed, and a correction of that closes it again.

/** What a correction of a collection changes of an order. The caller holds the lock of the order. */
export type CorrectedCollection = {
  /** As it was locked, or moved since. */
  readonly order: LockedOrder;
  /** What is owed for the order again, or collected again. It is posted already. */
  readonly amountPence: Pence;
  /** When the posting was made that is corrected. */
  readonly postedAt: Date;
};

type Context = Pick<ChargeEndContext, 'config' | 'wakeDeliveries'>;

/**
 * The most that a correction can make owed for an order again.
 * That is what the provider has taken of its payments, less what is owed for them: what it has given back is not owed.
 */
export async function readMostOwedAgain(tx: Db, order: LockedOrder): Promise<Pence> {
  const payments = await readPayments(tx, order);
  const outPence = payments.reduce((sum, { attempt, disputes }) => sum + outOf(attempt, disputes), 0);
  return pence(Math.max(0, outPence - (await readReceivable(tx, order.account_id, order.id))));
}

/**
 * Opens the payments of an order again of which a collection by bank was corrected.
 * Refunds of them that are still owed are set off first, as when a payment comes back. If anything is left to collect,
 * an order that has not started is held, and operators get one task over all that is owed for the order.
 */
export async function reopenCollected(
  ctx: Context,
  tx: Db,
  { order, amountPence, postedAt }: CorrectedCollection,
  now: Date,
): Promise<void> {
  if (amountPence === 0) return;
  const payments = nearestFirst(await readPayments(tx, order), postedAt, ({ recovered_at: at }) => at);
  let leftPence: number = amountPence;
  let setOffPence = ZERO_PENCE;
  for (const payment of payments) {
    const againPence = Math.min(leftPence, settledOf(payment.attempt, payment.disputes));
    if (againPence <= 0) continue;
    leftPence -= againPence;
    await save(tx, payment, afterUncollected(payment.attempt, againPence, now), now);
    const offPence = pence(Math.min(againPence, owedOf(order, payment.attempt.id)));
    await setOffRefunds(tx, { ...ownerOf(payment.attempt), paymentId: payment.attempt.id, setOffPence: offPence, now });
    setOffPence = pence(setOffPence + offPence);
  }
  const of = { accountId: order.account_id, orderId: order.id, reference: order.reference };
  await postToOrder(tx, { ...of, postings: refundPaidPostings(setOffPence, 'receivables'), now });
  const duePence = await renewTask(tx, { order, attempt: payments[0]?.attempt, setOffPence }, now);
  if (duePence > 0) await hold(ctx, tx, order, now);
}

/**
 * Closes the payments of an order again whose collection by bank was right after all.
 * One of which a part is still owed stays open over that part. An order that is held stays on hold.
 */
export async function collectAgain(
  tx: Db,
  { order, amountPence, postedAt }: CorrectedCollection,
  now: Date,
): Promise<void> {
  if (amountPence === 0) return;
  const payments = nearestFirst(await readPayments(tx, order), postedAt, ({ returned_at: at }) => at);
  const open = payments.filter(({ attempt }) => isOpen(attempt));
  const receivablePence = amountPence + (await readReceivable(tx, order.account_id, order.id));
  let leftPence: number = amountPence;
  for (const payment of open) {
    const { attempt } = payment;
    const { open_pence: setOffPence } = await readSetOff(tx, order.account_id, attempt.id);
    const owedPence =
      open.length === 1 ? receivablePence : (attempt.returned_pence ?? attempt.amount_pence) - setOffPence;
    const paidPence = Math.min(leftPence, owedPence);
    if (paidPence <= 0) continue;
    leftPence -= paidPence;
    const isAll = paidPence === owedPence;
    await save(tx, payment, isAll ? { ...attempt, recovered_at: now } : afterGivenBack(attempt, paidPence, now), now);
  }
  await renewTask(tx, { order, attempt: open[0]?.attempt, setOffPence: ZERO_PENCE }, now);
}

type Payment = {
  readonly attempt: AttemptRow;
  /** As they are stored. */
  readonly stored: readonly Dispute[];
  /** With what the version before this one has booked. */
  readonly disputes: readonly Dispute[];
};

async function readPayments(tx: Db, order: LockedOrder): Promise<Payment[]> {
  const payments: Payment[] = [];
  for (const { id } of order.payments) {
    const attempt = await findAttempt(tx, id);
    if (attempt === undefined) throw new Error('a payment is without its attempt');
    const stored = await readDisputes(tx, attempt);
    payments.push({ attempt, stored, disputes: carryOver(attempt, stored) });
  }
  return payments;
}

/**
 * The payments by the one that a posting was about.
 * Two payments of an order can be collected. The posting has the time at which its payment changed, or a moment later:
 * the last change until then is the one.
 */
function nearestFirst(
  payments: readonly Payment[],
  postedAt: Date,
  changedAt: (attempt: AttemptRow) => Date | null,
): Payment[] {
  const time = ({ attempt }: Payment): number => {
    const at = changedAt(attempt)?.getTime() ?? Number.POSITIVE_INFINITY;
    return at <= postedAt.getTime() ? at : Number.NEGATIVE_INFINITY;
  };
  return payments.toSorted((one, other) => (time(one) === time(other) ? 0 : time(other) - time(one)));
}

async function save(
  tx: Db,
  { attempt, stored, disputes }: Payment,
  summed: Parameters<typeof named>[0],
  now: Date,
): Promise<void> {
  await saveDisputes(tx, attempt, { before: stored, after: disputes }, now);
  await saveSummary(tx, attempt, named(summed, disputes, now));
}

/** Closes the tasks to collect, and opens one over all that is owed for the order, which is returned. */
async function renewTask(
  tx: Db,
  of: { readonly order: LockedOrder; readonly attempt: AttemptRow | undefined; readonly setOffPence: Pence },
  now: Date,
): Promise<Pence> {
  const { order, attempt, setOffPence } = of;
  const { account_id: accountId, id: orderId } = order;
  await closeTasksOf(tx, { accountId, orderId, kind: PAYMENT_RETURNED }, now);
  const duePence = await readReceivable(tx, accountId, orderId);
  if (duePence === 0 || attempt === undefined) return duePence;
  const setOff =
    setOffPence > 0 ? ` £${poundsText(setOffPence)} was still to be paid back for it, but is now set off.` : '';
  const note = `${nameOf(order, attempt)}: What was recorded as collected by bank was corrected.${setOff} Collect £${poundsText(duePence)}, which is all that is owed for the order.`;
  await openTask(tx, { accountId, orderId, kind: PAYMENT_RETURNED, note }, now);
  return duePence;
}

/** What the customer reads as the reason of the hold. */
const REASON = 'The payment by bank that was recorded for this order was not for it.';

async function hold(ctx: Context, tx: Db, order: LockedOrder, now: Date): Promise<void> {
  if (!HELD_FOR_RETURN.includes(order.state) || order.hold?.code === PAYMENT_RETURNED) return;
  const move = holdMove(order, { code: PAYMENT_RETURNED, reason: REASON, actor: 'system' }, now);
  await moveOrder(tx, ctx.config, order, move, now);
  tx.afterCommit(() => ctx.wakeDeliveries());
}
