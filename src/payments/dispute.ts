import { pence, poundsText } from '../lib/money.ts';
import { type ChargeEndContext, returnPayment } from './attempt-end.ts';
import type { AttemptRow } from './attempt-sql.ts';
import type { Callback } from './provider.ts';
import { winDispute } from './recover.ts';
import { openPaymentTask } from './tasks.ts';

type DisputeCallback = Exclude<Callback, { kind: 'nothing' | 'intent' }>;

/**
 * Acts on what the provider says of a dispute. Only money that it took or gave back is booked, and each of both once for a dispute;
 * an inquiry takes none and opens a task, and so does what cannot be booked: another dispute of a payment before the first was won, an
 * amount that cannot be read, a part that is given back of a dispute that was lost, or a dispute of a payment that itself is not booked.
 */
export async function takeDispute(
  ctx: ChargeEndContext,
  attempt: AttemptRow,
  callback: DisputeCallback,
): Promise<void> {
  const { disputeId } = callback;
  const unbooked = (what: string): Promise<void> =>
    openPaymentTask(
      ctx,
      attempt,
      'dispute_unbooked',
      `${what} (${disputeId}). It is not booked: look it up with the provider.`,
    );
  if (callback.kind === 'inquiry') {
    const what = `its bank asks about it (${disputeId}). Nothing was taken: answer with the provider, or it becomes a dispute.`;
    return openPaymentTask(ctx, attempt, 'dispute_inquiry', what);
  }
  if (callback.kind === 'inquiry_closed') {
    // A version before this one booked inquiries as disputes, without their names.
    if (attempt.returned_at !== null && attempt.dispute_id === null) await winDispute(ctx, attempt, disputeId);
    return;
  }
  const isWithdrawn = callback.kind === 'withdrawn';
  const amount = isWithdrawn && callback.amountPence !== null ? `£${poundsText(pence(callback.amountPence))}` : 'money';
  if (attempt.state !== 'succeeded')
    return unbooked(isWithdrawn ? `a dispute took ${amount} back` : 'a dispute was won');
  if (attempt.past_disputes.includes(disputeId)) return;
  const isAnother = attempt.dispute_id !== null && attempt.dispute_id !== disputeId;
  // A bank takes a dispute back and begins another of the right amount.
  const isNext = isWithdrawn && attempt.won_at !== null;
  if (isAnother && !isNext) {
    return unbooked(isWithdrawn ? `another dispute took ${amount} back` : 'another dispute gave money back');
  }
  if (isWithdrawn) {
    if (callback.amountPence === null) return unbooked('a dispute took money back, and how much cannot be read');
    await returnPayment(ctx, attempt, { why: 'disputed', disputeId, amountPence: callback.amountPence });
  } else if (callback.isWhole) await winDispute(ctx, attempt, disputeId);
  else return unbooked('the dispute was lost, and a part of its money was given back');
}
