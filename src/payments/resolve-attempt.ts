import { ApiError } from '../lib/errors.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { findAttemptUnderWay, type UnderWayRow } from '../orders/move-sql.ts';
import { CHARGE_WITHIN_MS, type ChargeContext, resolveAttempt } from './attempt.ts';

/**
 * Resolves an order's charge before the order is cancelled (domain, "Payment").
 * Runs outside of any transaction, and does nothing for nearly every order. Throws `refund_failed` if the provider
 * gives no answer within ten seconds, or if there is no provider any more: what is to be refunded is then unknown.
 * The message says what to do about it. `refuse` throws for an order that may not be cancelled at all, whose charge
 * is then left alone.
 */
export async function resolveCharge(
  ctx: ChargeContext,
  accountId: Uuid | 'any',
  orderId: Uuid,
  refuse: (order: UnderWayRow) => void = () => {},
): Promise<void> {
  const underWay = await findAttemptUnderWay(ctx.database, accountId, orderId);
  if (underWay === undefined) return;
  refuse(underWay);
  const attemptId = underWay.attempt_id;
  if ((await resolveAttempt(ctx, attemptId, CHARGE_WITHIN_MS)) !== 'unresolved') return;
  const byHand = `end the attempt by hand: POST /orders/${publicId('ord', orderId)}/payment-attempts/${publicId('pay', attemptId)}/resolve.`;
  const what = accountId === 'any' ? byHand : 'contact support.';
  throw new ApiError(
    'refund_failed',
    `A charge of this order is under way, and the payment provider has not said how it ended. So the order was not cancelled, and nothing has changed. Try again in a minute; if it stays so, ${what}`,
  );
}
