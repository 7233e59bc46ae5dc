import { pence, poundsText } from '../../lib/money.ts';
import { bookReturnedPayment, type ChargeEndContext } from '../attempt-end.ts';
import type { AttemptRow } from '../attempt-sql.ts';
import type { Callback } from '../provider.ts';
import { openPaymentTask } from '../tasks.ts';
import { bookWonDispute } from './recover.ts';

type DisputeCallback = Exclude<Callback, { kind: 'nothing' | 'intent' }>;

/**
 * Handles what the provider reports about a dispute.
 * Only money that it took or gave back is booked, each of both once per dispute. An inquiry takes none and opens a
 * task. So does what cannot be booked: another dispute of a payment before the first was won, an amount that cannot
 * be read, a part that is given back of a lost dispute, and a dispute of a payment that is itself not booked.
 */
export async function handleDispute(
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
  // It took nothing, so there is nothing to give back.
  if (callback.kind === 'inquiry_closed') return;
  const isWithdrawn = callback.kind === 'withdrawn';
  const amount = isWithdrawn && callback.amountPence !== null ? `£${poundsText(pence(callback.amountPence))}` : 'money';
  if (attempt.state !== 'succeeded')
    return unbooked(isWithdrawn ? `a dispute took ${amount} back` : 'a dispute was won');
  if (attempt.past_disputes.includes(disputeId)) return;
  const isAnother = attempt.dispute_id !== null && attempt.dispute_id !== disputeId;
  // A bank may withdraw a dispute and open another one for the right amount.
  const isNext = isWithdrawn && attempt.won_at !== null;
  if (isAnother && !isNext) {
    return unbooked(isWithdrawn ? `another dispute took ${amount} back` : 'another dispute gave money back');
  }
  if (isWithdrawn) {
    if (callback.amountPence === null) return unbooked('a dispute took money back, and how much cannot be read');
    await bookReturnedPayment(ctx, attempt, { why: 'disputed', disputeId, amountPence: callback.amountPence });
  } else if (callback.isWhole) await bookWonDispute(ctx, attempt, disputeId);
  else return unbooked('the dispute was lost, and a part of its money was given back');
}
