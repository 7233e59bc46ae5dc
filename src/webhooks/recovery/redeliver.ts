import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { DELIVERIES_RECORDED } from '../deliver.ts';
import type { Delivery } from './deliveries-schema.ts';
import {
  bringForward,
  countOpenRedeliveries,
  findDelivery,
  findOpenRedelivery,
  insertRedelivery,
  lockToRedeliver,
  OPEN_REDELIVERIES_MAX,
} from './deliveries-sql.ts';
import { deliveryView } from './deliveries-view.ts';
import { type DeliveryPath, readDeliveryPath } from './get-delivery.ts';

const DAY_MS = 86_400_000;

/** `made` is a new delivery of the same event; `brought_forward` is one that was open already. */
export type Redelivered = { readonly kind: 'made' | 'brought_forward'; readonly delivery: Delivery };

/**
 * Sends the event of a delivery again, under the same event id and a new delivery id.
 * A delivery that still waits for an attempt is brought forward instead, and so is a redelivery of the same event that
 * has not ended: two would be the same twice. The subscription is locked, so that of many requests at once one makes
 * it. Throws 404 when it is not of this subscription and account, 409 when the subscription is paused or disabled, has
 * too many redeliveries under way, or the event has left the log.
 */
export async function redeliver(
  ctx: Pick<Context, 'config' | 'database' | 'clock' | 'wake'>,
  caller: Caller,
  address: DeliveryPath,
): Promise<Redelivered> {
  const of = readDeliveryPath(caller, address);
  const redelivered = await ctx.database.transaction(async (tx): Promise<Redelivered> => {
    const now = ctx.clock.now();
    const subscription = await lockToRedeliver(tx, of.accountId, of.subscriptionId);
    const found = await findDelivery(tx, of);
    if (subscription === undefined || found === undefined) throw notFound();
    if (!subscription.active) throw new ApiError('conflict', NOT_ACTIVE);
    const { generation } = subscription;
    const isOpen = found.status === 'pending' || found.status === 'retrying';
    const open = isOpen ? of.id : await findOpenRedelivery(tx, { ...of, eventId: found.event_id, generation });
    // The event of a redelivery stays until that has ended: one after the other must not keep it for ever.
    const logBegins = new Date(now.getTime() - ctx.config.keepEventsDays * DAY_MS);
    const made = { id: newId(now.getTime()), generation, now, logBegins };
    if (open !== undefined) await bringForward(tx, of.accountId, open, now);
    else if ((await countOpenRedeliveries(tx, { ...of, generation })) >= OPEN_REDELIVERIES_MAX) {
      throw new ApiError('conflict', TOO_MANY_OPEN);
    } else if (!(await insertRedelivery(tx, of, made))) throw new ApiError('conflict', EVENT_GONE);
    const row = await findDelivery(tx, { ...of, id: open ?? made.id });
    if (row === undefined) throw new Error('a delivery that was just written is not there');
    return { kind: open === undefined ? 'made' : 'brought_forward', delivery: deliveryView(row) };
  });
  ctx.wake(DELIVERIES_RECORDED);
  return redelivered;
}

/** Why nothing is sent to a subscription. */
export const NOT_ACTIVE = 'The subscription is paused or disabled, so nothing is sent to it. Set active to true first.';
const EVENT_GONE = 'The event has left the log, and can no longer be sent.';
const TOO_MANY_OPEN = `${OPEN_REDELIVERIES_MAX} redeliveries of this subscription have not ended. Wait until some have, or have a whole time sent with POST /webhooks/{id}/replay.`;
