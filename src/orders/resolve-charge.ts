import type { Uuid } from '../lib/ids.ts';
import { CHARGE_WITHIN_MS, type ChargeContext, resolveAttempt } from './charge-order.ts';
import { findAttemptUnderWay } from './move-sql.ts';
import { refundFailed } from './refund-order.ts';

/**
 * Brings a charge of an order that is under way to its end before the order is cancelled, outside of any transaction (domain,
 * "Payment"). Nothing to do for nearly every order. Throws `refund_failed` when the provider gives no answer within ten seconds:
 * nobody can say then what is to be given back.
 */
export async function resolveCharge(ctx: ChargeContext, accountId: Uuid | 'any', orderId: Uuid): Promise<void> {
  const attemptId = await findAttemptUnderWay(ctx.database, accountId, orderId);
  if (attemptId === undefined) return;
  if ((await resolveAttempt(ctx, attemptId, CHARGE_WITHIN_MS)) === 'unresolved') throw refundFailed();
}
