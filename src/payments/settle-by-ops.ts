import { refuseExpiredArtwork, UNPAID_CURE } from '../artwork/expiry/refuse-expired.ts';
import { nearToPaid } from '../artwork/needs/needs.ts';
import { postToOrder } from '../billing/ledger.ts';
import { salePostings, settlementPostings } from '../billing/postings.ts';
import { ApiError } from '../lib/errors.ts';
import { pence, ZERO_PENCE } from '../lib/money.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { chargedAmounts } from './charged-amounts.ts';
import type { PaymentsContext } from './context.ts';
import { orderCreatedEvent } from './events.ts';
import { findWaitingOrder, markPaidInFull } from './settle-sql.ts';
import { claimSetups, keepClaim } from './setups/claim-setups.ts';

/**
 * Records that the rest of a waiting order was paid by bank, and places the order.
 * However old the order is. Setups that another order has paid since come off the rest. `order.created` is published.
 * The money is booked as received on the account and charged to the order at once, so the statement shows both, and a
 * refund of it goes back to the balance. Throws 409 for an order that does not wait for a payment, and while a charge
 * of it is under way; `artwork_expired` for one whose print files were deleted since.
 */
export async function settleByOps(
  ctx: Pick<PaymentsContext, 'asker' | 'database' | 'clock' | 'config' | 'secrets' | 'wakeDeliveries'>,
  operator: Operator,
  idOrReference: string,
  once: Once,
): Promise<OpsOrder> {
  const act = { action: 'settle', detail: {} };
  return operateOn(ctx, operator, { id: idOrReference, once }, act, async (tx, order, now) => {
    const orderId = order.id;
    const { account_id: accountId, reference } = order;
    const waiting = await findWaitingOrder(tx, accountId, orderId);
    if (waiting === undefined) throw new ApiError('conflict', 'This order is not waiting for a payment.');
    if (order.attempt_id !== null) {
      const detail = 'A charge of this order is under way and may still pay it. Try again once it has ended.';
      throw new ApiError('conflict', detail);
    }
    refuseErased(order);
    await refuseExpiredArtwork(tx, { accountId, orderId }, { cure: UNPAID_CURE });
    const claim = await claimSetups(tx, ctx, order, { incomingPence: ZERO_PENCE, now });
    const due = (await findWaitingOrder(tx, accountId, orderId)) ?? waiting;
    const remainderPence = pence(due.due_pence);
    await markPaidInFull(tx, { accountId, orderId, remainderPence, now });
    await keepClaim(tx, { accountId, orderId });
    const actor = actorOf(operator);
    const events = [orderCreatedEvent(due)];
    await moveOrder(tx, ctx.config, claim.order, { to: 'placed', action: 'settle', actor, reason: '', events }, now);
    const postings = [...settlementPostings(remainderPence), ...salePostings(chargedAmounts(due))];
    await postToOrder(tx, { accountId, orderId, postings, reference, now });
    await nearToPaid(tx, { accountId, orderId }, { cancellableUntil: order.cancellable_until, now });
  });
}

/**
 * Throws 409 for an unpaid order whose address is erased.
 * Nothing says where to send what would be paid.
 */
export function refuseErased({ erased_at: erasedAt, reference }: Pick<LockedOrder, 'erased_at' | 'reference'>): void {
  if (erasedAt === null) return;
  const detail = `The address of ${reference} was erased because its time was over (KEEP_UNPAID_ADDRESSES_DAYS), so nothing says where to send it. Cancel the order, and have the customer place a new one.`;
  throw new ApiError('conflict', detail);
}
