import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId, type Uuid } from '../../lib/ids.ts';
import type { DeliveryDetail } from './deliveries-schema.ts';
import { findDelivery, findSentEvent } from './deliveries-sql.ts';
import { deliveryDetailView } from './deliveries-view.ts';

/** The ids in an address of a delivery: of its subscription and its own. */
export type DeliveryPath = { readonly id: string; readonly delivery: string };

/** Reads the address of a delivery of the caller's account. Throws 404 for ids that are none. */
export function readDeliveryPath(
  caller: Caller,
  { id, delivery }: DeliveryPath,
): { accountId: Uuid; subscriptionId: Uuid; id: Uuid } {
  const subscriptionId = parseId('whk', id);
  const deliveryId = parseId('dlv', delivery);
  if (subscriptionId === undefined || deliveryId === undefined) throw notFound();
  return { accountId: caller.accountId, subscriptionId, id: deliveryId };
}

/** One delivery with its request. Throws 404 when it is not of this subscription and account. */
export async function getDelivery(
  ctx: Pick<Context, 'database'>,
  caller: Caller,
  address: DeliveryPath,
): Promise<DeliveryDetail> {
  const of = readDeliveryPath(caller, address);
  const row = await findDelivery(ctx.database, of);
  if (row === undefined) throw notFound();
  const event = await findSentEvent(ctx.database, of.accountId, row.event_id);
  return deliveryDetailView(row, of.subscriptionId, event);
}
