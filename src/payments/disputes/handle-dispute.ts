import type { AttemptRow } from '../attempt-sql.ts';
import type { ChargeEndContext } from '../context.ts';
import type { Callback } from '../provider.ts';
import { openPaymentTask } from '../tasks.ts';
import { reportDispute } from './book-disputes.ts';

type DisputeCallback = Exclude<Callback, { kind: 'nothing' | 'intent' | 'page' | 'refunded' }>;

/**
 * Handles what the provider reports about a dispute.
 * What it took and gave back is booked, each once, whatever the order of the reports. An inquiry takes nothing and
 * opens a task. So does an amount that cannot be read.
 */
export async function handleDispute(
  ctx: ChargeEndContext,
  attempt: AttemptRow,
  callback: DisputeCallback,
): Promise<void> {
  const { disputeId } = callback;
  if (callback.kind === 'inquiry') {
    const what = `its bank asks about it (${disputeId}). Nothing was taken: answer with the provider, or it becomes a dispute.`;
    return openPaymentTask(ctx, attempt, 'dispute_inquiry', what);
  }
  // It took nothing, so there is nothing to give back.
  if (callback.kind === 'inquiry_closed') return;
  const { state, amounts } = callback;
  const unbooked = (what: string): Promise<void> =>
    openPaymentTask(
      ctx,
      attempt,
      'dispute_unbooked',
      `${what} (${disputeId}). It is not booked: look it up with the provider.`,
    );
  if (amounts === 'unreadable') return unbooked('a dispute moved money, and how much cannot be read');
  const isKept = await reportDispute(ctx, attempt, { disputeId, state, amounts });
  if (!isKept) return unbooked('the payment has more disputes than are kept, and another one was reported');
}
