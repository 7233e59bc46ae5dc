import { unavailable } from '../lib/errors.ts';
import { endAttempt, returnPayment } from './charge-end.ts';
import { type ChargeContext, readAttempt } from './charge-order.ts';
import { winDispute } from './charge-recover.ts';
import { findAttemptByIntent, isUnderWay } from './charge-sql.ts';

const READ_WITHIN_MS = 8_000;

/**
 * Acts on a callback of the payment provider. It is a hint and no more: the intent that it names is read, and what that says is
 * booked, once, in whatever order and however often callbacks come (bad input D65). False for a signature that is not right. An
 * intent that is not ours is passed over. Throws 503 when the provider could not be read, so that it calls again.
 */
export async function takeCallback(ctx: ChargeContext, body: Buffer, signature: string): Promise<boolean> {
  const { payments } = ctx;
  if (payments === undefined) return false;
  const callback = await payments.readCallback(body, signature, ctx.clock.now());
  if (callback === undefined) return false;
  const attempt = callback.intentId === null ? undefined : await findAttemptByIntent(ctx.database, callback.intentId);
  if (attempt === undefined || attempt.intent_id === null) return true;
  if (isUnderWay(attempt)) {
    // One that is still between two steps is left to whoever drives it.
    if ((await readAttempt(ctx, attempt.id, READ_WITHIN_MS)) !== 'paid' || callback.about === 'intent') return true;
  }
  if (callback.about === 'dispute') {
    await returnPayment(ctx, attempt, 'disputed');
    return true;
  }
  const asked = await payments.readIntent(attempt.intent_id, READ_WITHIN_MS);
  if (asked.kind !== 'answered') throw unavailable('The payment provider gave no answer. Call again later.');
  const { state } = asked.value;
  if (callback.about === 'dispute_won') {
    // A payment that has failed besides is not there again.
    if (state === 'accepted') await winDispute(ctx, attempt);
    return true;
  }
  if (attempt.state === 'failed' && state === 'accepted') {
    await endAttempt(ctx, attempt, { kind: 'paid', intentId: attempt.intent_id });
  }
  if (attempt.state === 'succeeded' && (state === 'declined' || state === 'cancelled')) {
    await returnPayment(ctx, attempt, 'failed');
  }
  return true;
}
