import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { DELIVERIES_RECORDED } from '../deliver.ts';
import type { Delivery } from './deliveries-schema.ts';
import { bringForward, findDelivery, insertRedelivery, lockSubscription } from './deliveries-sql.ts';
import { deliveryView } from './deliveries-view.ts';
import { type DeliveryPath, readDeliveryPath } from './get-delivery.ts';

/** `made` is a new delivery of the same event; `brought_forward` is the one that was asked for. */
export type Redelivered = { readonly kind: 'made' | 'brought_forward'; readonly delivery: Delivery };

/**
 * Sends the event of a delivery again, under the same event id and a new delivery id.
 * One that still waits for an attempt is brought forward instead: two would be the same twice. Throws 404 when it is
 * not of this subscription and account, 409 when the subscription is paused or disabled, or the event has left the log.
 */
export async function redeliver(
  ctx: Pick<Context, 'database' | 'clock' | 'wake'>,
  caller: Caller,
  address: DeliveryPath,
): Promise<Redelivered> {
  const of = readDeliveryPath(caller, address);
  const redelivered = await ctx.database.transaction(async (tx): Promise<Redelivered> => {
    const now = ctx.clock.now();
    const subscription = await lockSubscription(tx, of.accountId, of.subscriptionId);
    const found = await findDelivery(tx, of);
    if (subscription === undefined || found === undefined) throw notFound();
    if (!subscription.active) throw new ApiError('conflict', NOT_ACTIVE);
    const isOpen = found.status === 'pending' || found.status === 'retrying';
    const made = { id: newId(now.getTime()), generation: subscription.generation, now };
    if (isOpen) await bringForward(tx, of.accountId, of.id, now);
    else if (!(await insertRedelivery(tx, of, made))) throw new ApiError('conflict', EVENT_GONE);
    const row = await findDelivery(tx, { ...of, id: isOpen ? of.id : made.id });
    if (row === undefined) throw new Error('a delivery that was just written is not there');
    return { kind: isOpen ? 'brought_forward' : 'made', delivery: deliveryView(row) };
  });
  ctx.wake(DELIVERIES_RECORDED);
  return redelivered;
}

/** Why nothing is sent to a subscription. */
export const NOT_ACTIVE = 'The subscription is paused or disabled, so nothing is sent to it. Set active to true first.';
const EVENT_GONE = 'The event has left the log, and can no longer be sent.';
