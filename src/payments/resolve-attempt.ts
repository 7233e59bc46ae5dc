import { ApiError } from '../lib/errors.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { findAttemptUnderWay, type UnderWayRow } from '../orders/move-sql.ts';
import { CHARGE_WITHIN_MS, type ChargeContext, resolveAttempt } from './attempt.ts';

/**
 * Brings a charge of an order that is under way to its end before the order is cancelled, outside of any transaction (domain,
 * "Payment"). Nothing to do for nearly every order. Throws `refund_failed` when the provider gives no answer within ten seconds, or
 * when there is none to be asked any more: nobody can say then what is to be given back. It says what to do about it. `refuse` throws
 * for an order that may not be cancelled at all, whose charge is then left alone.
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
