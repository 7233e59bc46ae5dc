import { unavailable } from '../lib/errors.ts';
import { type ChargeContext, readAttempt } from './attempt.ts';
import { endAttempt, returnPayment } from './attempt-end.ts';
import { type AttemptRow, findAttempt, findAttemptByIntent, isUnderWay } from './attempt-sql.ts';
import { takeDispute } from './dispute.ts';
import { type Intent, type PaymentProvider, takesPence } from './provider.ts';
import { openMismatchTask, openPaymentTask } from './tasks.ts';

const READ_WITHIN_MS = 8_000;

/**
 * Acts on a callback of the payment provider. It is a hint and no more: the intent that it names is read, and what that says is
 * booked, once, in whatever order and however often callbacks come (bad input D65). Only of disputes, which an intent does not show,
 * is the callback itself believed, and not before the payment is booked that they are about. False for a signature that is not
 * right. An intent that is not ours is passed over. Throws 503 when the provider could not be read, so that it calls again.
 */
export async function takeCallback(ctx: ChargeContext, body: Buffer, signature: string): Promise<boolean> {
  const { payments } = ctx;
  if (payments === undefined) return false;
  const callback = await payments.readCallback(body, signature, ctx.clock.now());
  if (callback === undefined) return false;
  if (callback.kind === 'nothing') return true;
  const attempt = await findAttemptByIntent(ctx.database, callback.intentId);
  if (attempt === undefined) return true;
  if (callback.kind === 'intent') {
    await takeIntent(ctx, payments, attempt, callback.intentId);
    return true;
  }
  if (callback.kind !== 'withdrawn' || attempt.state !== 'succeeded') {
    const intent = await readNow(payments, callback.intentId);
    // What has failed besides is not there again, whatever becomes of its dispute.
    if (intent.state !== 'accepted' && (attempt.state !== 'succeeded' || callback.kind === 'reinstated')) {
      ctx.log.warn(
        { attempt: attempt.id, about: callback.kind },
        'a dispute of a payment that was not made is passed over',
      );
      return true;
    }
    if (attempt.state !== 'succeeded') await bookPaid(ctx, attempt, intent);
  }
  const booked = await findAttempt(ctx.database, attempt.id);
  if (booked !== undefined) await takeDispute(ctx, booked, callback);
  return true;
}

async function takeIntent(
  ctx: ChargeContext,
  payments: PaymentProvider,
  found: AttemptRow,
  intentId: string,
): Promise<void> {
  if (isUnderWay(found)) await readAttempt(ctx, found.id, READ_WITHIN_MS);
  // Another call may have ended it meanwhile, by an older answer than the one that this callback announces.
  const attempt = isUnderWay(found) ? await findAttempt(ctx.database, found.id) : found;
  // One that is still between two steps is left to the call that makes them.
  if (attempt === undefined || isUnderWay(attempt)) return;
  const intent = await readNow(payments, intentId);
  if (attempt.state === 'failed' && intent.state === 'accepted') await bookPaid(ctx, attempt, intent);
  if (attempt.state === 'succeeded' && (intent.state === 'declined' || intent.state === 'cancelled')) {
    const isOurs = await returnPayment(ctx, attempt, { why: 'failed' });
    if (!isOurs && attempt.returned_pence !== null && attempt.returned_pence < attempt.amount_pence) {
      const what =
        'all of it failed after a part of it had come back. The rest is not booked: look it up with the provider.';
      await openPaymentTask(ctx, attempt, 'dispute_unbooked', what);
    }
  }
}

async function readNow(payments: PaymentProvider, intentId: string): Promise<Intent> {
  const asked = await payments.readIntent(intentId, READ_WITHIN_MS);
  if (asked.kind !== 'ok') throw unavailable('The payment provider gave no answer. Call again later.');
  return asked.value;
}

/** Books a payment that was taken although nobody here knew it, or thought that it had failed. */
async function bookPaid(ctx: ChargeContext, attempt: AttemptRow, intent: Intent): Promise<void> {
  if (takesPence(intent, attempt.amount_pence)) await endAttempt(ctx, attempt, { kind: 'paid', intentId: intent.id });
  else await openMismatchTask(ctx, attempt, intent);
}
