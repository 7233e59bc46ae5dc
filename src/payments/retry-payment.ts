import type { Acted } from '../accounts/act-once.ts';
import { refuseExpiredArtwork, UNPAID_CURE } from '../artwork/expiry/refuse-expired.ts';
import { ApiError } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import { autoSettleSince } from '../orders/blocked/auto-settle.ts';
import { actOnOrder } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../orders/read-ops-order.ts';
import { CHARGE_WITHIN_MS, type ChargeContext, chargeAttempt } from './attempt.ts';
import type { PaymentsContext } from './context.ts';
import { refuseErased } from './settle-by-ops.ts';
import { findWaitingOrder, findWaitingOrders, type SettleOutcome, type WaitingRow } from './settle-sql.ts';
import { payWaitingOrder, payWaitingOrderWithin } from './settle-waiting.ts';

/**
 * Charges a waiting order again, for an operator.
 * The balance pays first, then the account's card or direct debit by a new attempt. Throws 404 for an unknown order;
 * 409 for one that waits for no payment or is being charged, and if nothing can be charged; `artwork_expired` for one
 * whose print files were deleted since.
 */
export async function retryPayment(
  ctx: PaymentsContext,
  operator: Operator,
  idOrReference: string,
  once: Once,
): Promise<OpsOrder> {
  const orderId = await opsOrderIdOf(ctx, idOrReference);
  const attemptId = ctx.payments === undefined ? null : newId(ctx.clock.now().getTime());
  const act = { action: 'retry_payment', detail: {} };
  const acted: Acted<SettleOutcome> = await actOnOrder(ctx, operator, { orderId, once }, act, async (tx, order) => {
    const waiting = await findWaitingOrder(tx, order.account_id, orderId);
    if (waiting === undefined) throw new ApiError('conflict', 'This order is not waiting for a payment.');
    if (order.attempt_id !== null) throw new ApiError('conflict', 'A charge of this order is under way.');
    refuseErased(order);
    await refuseExpiredArtwork(tx, { accountId: order.account_id, orderId }, { cure: UNPAID_CURE });
    const by = { accountId: order.account_id, order: waiting, attemptId, actor: actorOf(operator) };
    const outcome = await payWaitingOrderWithin(ctx, tx, by);
    if (outcome === 'not_covered') {
      throw new ApiError(
        'conflict',
        'The balance does not cover this order, and there is no card or direct debit to charge.',
      );
    }
    return outcome;
  });
  if (acted.kind === 'done' && acted.result === 'attempted' && attemptId !== null) {
    await chargeAttempt(ctx, attemptId, CHARGE_WITHIN_MS);
  }
  return readOpsOrder(ctx, orderId);
}

const BATCH = 100;

/**
 * Charges an account's waiting orders, oldest first, once it has a new card or direct debit.
 * Orders placed before `AUTO_SETTLE_HOURS` are left, as by a top-up. Stops at the first charge that does not succeed:
 * a method that was just declined is not tried again for the next order. Returns how many were paid.
 */
export async function retryWaitingOrders(ctx: ChargeContext, accountId: Uuid, actor = 'system'): Promise<number> {
  if (ctx.payments === undefined) return 0;
  const placedSince = autoSettleSince(ctx);
  let paid = 0;
  let after: Uuid | null = null;
  for (;;) {
    const which = { placedSince, after, limit: BATCH, coveredOnly: false };
    const waiting: WaitingRow[] = await findWaitingOrders(ctx.database, accountId, which);
    for (const order of waiting) {
      const attemptId = newId(ctx.clock.now().getTime());
      const outcome = await payWaitingOrder(ctx, { accountId, order, attemptId, actor });
      if (outcome === 'settled') paid += 1;
      if (outcome !== 'attempted') continue;
      if ((await chargeAttempt(ctx, attemptId, CHARGE_WITHIN_MS)) !== 'paid') return paid;
      paid += 1;
    }
    const last = waiting.at(-1);
    if (last === undefined) return paid;
    after = last.id;
  }
}
