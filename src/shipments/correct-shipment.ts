import { ApiError, notFound, validationFailed } from '../lib/errors.ts';
import { parseId, publicId } from '../lib/ids.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import { operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import type { CorrectShipmentBody } from './schema.ts';
import { findTracking, type TrackingRow, updateTracking } from './sql.ts';
import { trackingNumberProblems, trackingUrlProblems } from './tracking.ts';

export type CorrectRequest = {
  readonly id: string;
  readonly shipment: string;
  readonly body: CorrectShipmentBody;
  readonly once: Once;
};

/**
 * Corrects the tracking of a parcel that was sent again or mistyped. Changes only what was sent.
 * Emits no event: a parcel has one event (spec 6.1), and `order.dispatched`, if it is yet to come, carries the
 * corrected values. The history keeps the old ones. A parcel that was sent can be corrected in every state of its
 * order, but once it is erased only if it was declared for customs: that number is evidence. Throws 404 for either id,
 * 409 for an erased parcel, and 422 for no tracking number where the order's service is a tracked one.
 */
export async function correctShipment(
  ctx: OrdersContext,
  operator: Operator,
  request: CorrectRequest,
): Promise<OpsOrder> {
  const { body } = request;
  const problems = trackingUrlProblems(body);
  if (problems.length > 0) throw validationFailed(problems);
  const shipmentId = parseId('shp', request.shipment);
  if (shipmentId === undefined) throw notFound();
  const act = { action: 'correct_shipment', detail: body, makes: shipmentId };
  return operateOn(ctx, operator, request, act, async (tx, order, now) => {
    const of = { accountId: order.account_id, orderId: order.id, id: shipmentId };
    const found = await findTracking(tx, of);
    if (found === undefined) throw notFound();
    const { shipping, is_declared: isDeclared, ...before } = found;
    if (order.erased_at !== null && !isDeclared) {
      throw new ApiError(
        'conflict',
        'The personal data of this order is erased, the tracking of its parcels with it: there is nothing to correct.',
      );
    }
    const after = { ...before, ...body };
    const untracked = trackingNumberProblems(after.tracking_number, shipping);
    if (untracked.length > 0) throw validationFailed(untracked);
    const changes = changesOf(before, after);
    if (changes.length === 0) return;
    await updateTracking(tx, of, after, now);
    const reason = `${publicId('shp', shipmentId)}: ${changes.join('; ')}`;
    const actor = actorOf(operator);
    const move = { to: order.state, action: 'correct_shipment', actor, reason, events: [] };
    await moveOrder(tx, ctx.config, order, move, now);
  });
}

function changesOf(before: TrackingRow, after: TrackingRow): string[] {
  return (['carrier', 'tracking_number', 'tracking_url'] as const)
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name] || 'none'} → ${after[name] || 'none'}`);
}
