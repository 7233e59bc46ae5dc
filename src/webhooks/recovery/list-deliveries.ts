import type { Caller } from '../../lib/caller.ts';
import { parseTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { notFound, validationFailed } from '../../lib/errors.ts';
import { FIRST_ID, firstIdAt, parseId, type Uuid } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import { EVENT_NAMES } from '../events.ts';
import { findSubscription } from '../subscription-sql.ts';
import type { Delivery, ListDeliveriesQuery } from './deliveries-schema.ts';
import { type DeliveryState, listDeliveryRows, type WantedState } from './deliveries-sql.ts';
import { deliveryView } from './deliveries-view.ts';

/**
 * A page of the deliveries of a subscription, newest first, as far back as the log of events reaches.
 * Throws 404 when the subscription is not the account's, and 422 for a time that no calendar has.
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
  const { floor, before } = idsIn(query);
  const of = { accountId: caller.accountId, subscriptionId: id };
  const events = query.event === undefined ? EVENT_NAMES : [query.event];
  const states = query.status === undefined ? ALL : SHOWN_AS[query.status];
  const from = [after, before].filter((each) => each !== undefined).toSorted()[0];
  const part = { after: from, limit: limit + 1, events, states, floor };
  const rows = await listDeliveryRows(ctx.database, of, part);
  return toPage(rows, limit, deliveryView, (delivery) => delivery.id);
}

/** An id has the time at which its cause began; fetching artwork takes so long at most. */
const BEGAN_BEFORE_MS = 60_000;

/** The ids of the span of time that is asked for: the first one of it, and the first one after it. */
function idsIn({ since, until }: ListDeliveriesQuery): { floor: Uuid; before: Uuid | undefined } {
  const [from, to] = [timeAt('since', since), timeAt('until', until)];
  return {
    floor: from === undefined ? FIRST_DELIVERY : firstIdAt(new Date(from.getTime() - BEGAN_BEFORE_MS)),
    before: to === undefined ? undefined : firstIdAt(to),
  };
}

const FIRST_DELIVERY = FIRST_ID as Uuid;

function timeAt(path: string, text: string | undefined): Date | undefined {
  const time = text === undefined ? undefined : parseTime(text);
  if (text === undefined || time !== undefined) return time;
  throw validationFailed([{ path, code: 'time', message: `There is no such time as ${text}.` }]);
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
