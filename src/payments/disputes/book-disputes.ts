import { closeTasksOf } from '../../accounts/close-task.ts';
import { openTask } from '../../accounts/open-task.ts';
import { postToOrder } from '../../billing/ledger.ts';
import { chargeRecoveredPostings, chargeReturnedPostings, type Posting } from '../../billing/postings.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { poundsText } from '../../lib/money.ts';
import { type LockedOrder, lockAnyOrder } from '../../orders/move-sql.ts';
import { type AttemptRow, findAttempt } from '../attempt-sql.ts';
import type { ChargeEndContext } from '../context.ts';
import type { DisputeAmounts, DisputeState } from '../provider.ts';
import { DISPUTES_MAX, readDisputes, saveDisputes, saveSummary } from './dispute-sql.ts';
import { bookedOf, type Dispute, mergeReport, newDispute, type Plan, planDisputes } from './plan.ts';
import { recordGivenBack } from './recovered.ts';
import { DISPUTE_EXCEEDS, nameOf, ownerOf, recordTaken } from './returned.ts';
import { afterGivenBack, afterPassed, afterTaken, carryOver, failedOf, named } from './summary.ts';

/** What the provider reports of a dispute. */
export type DisputeReport = {
  readonly disputeId: string;
  readonly state: DisputeState;
  readonly amounts: DisputeAmounts;
};

/**
 * Notes what the provider reports of a dispute, and books what follows, in one transaction.
 * Of a payment that is not booked the report is held: it is booked with the payment. Repeats, and the order of reports,
 * change nothing. Returns false if the payment has more disputes than are kept. Locks the order, then the balance.
 */
export async function reportDispute(
  ctx: ChargeEndContext,
  { id, order_id: orderId }: AttemptRow,
  report: DisputeReport,
): Promise<boolean> {
  const done = await ctx.database.transaction(async (tx) => {
    const payment = await lockPayment(tx, { id, orderId });
    const { attempt, disputes: known } = payment;
    const found = known.find((dispute) => dispute.id === report.disputeId);
    if (found === undefined && known.length >= DISPUTES_MAX) return 'refused';
    const merged = mergeReport(found ?? newDispute(report.disputeId), report);
    const disputes = found === undefined ? [...known, merged] : known.map((one) => (one === found ? merged : one));
    const now = ctx.clock.now();
    if (attempt.state === 'succeeded') return book(ctx, tx, payment, disputes, now);
    await saveDisputes(tx, attempt, { before: payment.stored, after: disputes }, now);
    return 'kept';
  });
  if (done === 'booked') ctx.wakeDeliveries();
  return done !== 'refused';
}

/**
 * Books what was reported of the disputes of a payment before the payment itself was booked.
 * In the transaction that books the payment. The caller holds the lock of the order.
 */
export async function bookHeldDisputes(ctx: ChargeEndContext, tx: Db, held: AttemptRow, now: Date): Promise<void> {
  if ((await readDisputes(tx, held)).length === 0) return;
  const payment = await lockPayment(tx, { id: held.id, orderId: held.order_id });
  await book(ctx, tx, payment, payment.disputes, now);
}

type LockedPayment = {
  readonly order: LockedOrder;
  readonly attempt: AttemptRow;
  /** As they are stored. */
  readonly stored: readonly Dispute[];
  /** With what the version before this one has booked. */
  readonly disputes: readonly Dispute[];
};

/** Locks the order of a payment, and reads the payment and its disputes as they are then. */
async function lockPayment(tx: Db, of: { readonly id: Uuid; readonly orderId: Uuid }): Promise<LockedPayment> {
  const order = await lockAnyOrder(tx, of.orderId);
  const attempt = await findAttempt(tx, of.id);
  if (order === undefined || attempt === undefined) throw new Error('a payment attempt is without its order');
  const stored = await readDisputes(tx, attempt);
  return { order, attempt, stored, disputes: carryOver(attempt, stored) };
}

/** Books what the disputes of a locked payment come to, as they are reported now. */
async function book(
  ctx: ChargeEndContext,
  tx: Db,
  payment: LockedPayment,
  disputes: readonly Dispute[],
  now: Date,
): Promise<'booked' | 'kept'> {
  const { order, attempt } = payment;
  const failedPence = failedOf(attempt, payment.disputes);
  const plan = planDisputes(disputes, { amountPence: attempt.amount_pence, failedPence });
  const isChanged = await saveDisputes(tx, attempt, { before: payment.stored, after: plan.disputes }, now);
  if (!isChanged) return 'kept';
  const excess = excessOf(payment, plan);
  if (excess !== excessOf(payment, planDisputes(payment.stored, { amountPence: attempt.amount_pence, failedPence }))) {
    await renewExcess(tx, payment, excess, now);
  }
  if (plan.backPence + plan.takenPence + plan.passedPence === 0) {
    await saveSummary(tx, attempt, named(attempt, plan.disputes, now));
    return 'kept';
  }
  const postings: Posting[] = [
    ...chargeReturnedPostings(attempt.method, plan.passedPence),
    ...chargeRecoveredPostings(plan.passedPence, attempt.method),
  ];
  let summed: AttemptRow = { ...attempt, ...afterPassed(attempt, plan.passedPence) };
  if (plan.backPence > 0) {
    const outPence = disputes.reduce((sum, dispute) => sum + bookedOf(dispute), failedPence);
    const back = { order, attempt, outPence, backPence: plan.backPence, isWon: isAllWon(disputes, plan) };
    const done = await recordGivenBack(ctx, tx, back, now);
    postings.push(...done.postings);
    summed = { ...summed, ...afterGivenBack(summed, done.openPence, now) };
  }
  if (plan.takenPence > 0) {
    // What was given back may have changed refunds and history: the order is read again under its lock.
    const present = plan.backPence > 0 ? ((await lockAnyOrder(tx, order.id)) ?? order) : order;
    const taken = { order: present, attempt, takenPence: plan.takenPence, why: 'disputed' } as const;
    postings.push(...(await recordTaken(ctx, tx, taken, now)));
    summed = { ...summed, ...afterTaken(summed, plan.takenPence, now) };
  }
  await saveSummary(tx, attempt, named(summed, plan.disputes, now));
  await postToOrder(tx, { ...ownerOf(attempt), reference: order.reference, postings, now });
  return 'booked';
}

/** Whether what comes back does so because disputes were won. */
function isAllWon(before: readonly Dispute[], plan: Plan): boolean {
  const back = plan.disputes.filter((dispute, index) => bookedOf(dispute) < bookedOf(before[index] ?? dispute));
  return back.every(({ state }) => state === 'won');
}

/** What a task says of what cannot be; undefined if all can be booked. */
function excessOf(
  { order, attempt }: LockedPayment,
  { excessPence, surplusPence, disputes }: Plan,
): string | undefined {
  const what = [
    ...(excessPence > 0 ? [`took £${poundsText(excessPence)} more than the payment`] : []),
    ...(surplusPence > 0 ? [`gave £${poundsText(surplusPence)} more back than it took`] : []),
  ];
  if (what.length === 0) return undefined;
  const ids = disputes.map(({ id }) => id).join(', ');
  return `${nameOf(order, attempt)}: by its disputes (${ids}) the provider ${what.join(' and ')}. That is not booked: look it up with the provider.`;
}

/** Closes the task over what was above the payment before, and opens one over what is now. */
async function renewExcess(tx: Db, { attempt }: LockedPayment, excess: string | undefined, now: Date): Promise<void> {
  const of = { ...ownerOf(attempt), kind: DISPUTE_EXCEEDS };
  await closeTasksOf(tx, of, now);
  if (excess !== undefined) await openTask(tx, { ...of, note: excess }, now);
}
