import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import { EVENT_NAMES } from '../events.ts';
import { findSubscription } from '../subscription-sql.ts';
import type { Delivery, ListDeliveriesQuery } from './deliveries-schema.ts';
import { type DeliveryState, listDeliveryRows, type WantedState } from './deliveries-sql.ts';
import { deliveryView } from './deliveries-view.ts';

/**
 * A page of the deliveries of a subscription, newest first, as far back as the log of events reaches.
 * Throws 404 when the subscription is not the account's.
 */
export async function listDeliveries(
  ctx: Pick<Context, 'database'>,
  caller: Caller,
  publicId: string,
  query: ListDeliveriesQuery,
): Promise<Page<Delivery>> {
  const id = parseId('whk', publicId);
  if (id === undefined || (await findSubscription(ctx.database, caller.accountId, id)) === undefined) throw notFound();
  const { limit, after } = readPage('dlv', query);
  const of = { accountId: caller.accountId, subscriptionId: id };
  const events = query.event === undefined ? EVENT_NAMES : [query.event];
  const part = { after, limit: limit + 1, events, states: query.status === undefined ? ALL : SHOWN_AS[query.status] };
  const rows = await listDeliveryRows(ctx.database, of, part);
  return toPage(rows, limit, deliveryView, (delivery) => delivery.id);
}

/** The stored states that show as a status: an open delivery that can no longer go shows as cancelled. */
const SHOWN_AS: Readonly<Record<DeliveryState, readonly WantedState[]>> = {
  pending: [{ state: 'pending', mayGo: true }],
  retrying: [{ state: 'retrying', mayGo: true }],
  succeeded: [{ state: 'succeeded', mayGo: null }],
  abandoned: [{ state: 'abandoned', mayGo: null }],
  cancelled: [
    { state: 'cancelled', mayGo: null },
    { state: 'pending', mayGo: false },
    { state: 'retrying', mayGo: false },
  ],
};
const ALL: readonly WantedState[] = (['pending', 'retrying', 'succeeded', 'abandoned', 'cancelled'] as const).map(
  (state) => ({ state, mayGo: null }),
);
