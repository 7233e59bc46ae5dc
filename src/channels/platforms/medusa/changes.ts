import { listFromPlace, listOn } from '../list-place.ts';
import { arrayOf, isMembers, textOf } from '../members.ts';
import type { ChangedOrders, ListPlace, ReadOrder, Shop } from '../port.ts';
import { mayBeOfOne, ShopFault } from '../shop-call.ts';
import { listedAt, ORDER_FIELDS, readMedusaOrder } from './orders.ts';

/** An answer has all of each line, whatever is asked for. */
const PAGE = 25;
/** Medusa writes in steps, so that an order may be seen a while after the time of its change. */
const LISTING = {
  behindMs: 120_000,
  from: (time: string): string => time,
  past: (time: string): string => new Date(Date.parse(time) + 1).toISOString(),
} as const;
/** Of orders that a shop had before it was connected, the newest. */
const EARLIER_PAGES_MAX = 40;

/** What is listed by the time of its change: orders, and payments, which change without their order. */
const LISTS = ['orders', 'payments'] as const;
type List = (typeof LISTS)[number];

/**
 * Lists what has changed, a page of orders or of payments at a time, the earliest change first.
 * The first lists are of orders from before the shop was connected.
 */
export async function listChanged(shop: Shop, place: ListPlace): Promise<ChangedOrders> {
  const list = LISTS.find((one) => one === place.list);
  if (list === undefined) return listEarlier(shop, typeof place.page === 'number' ? place.page : 0);
  const from = listFromPlace(place, textOf(place[`${list}_after`]));
  const { after: since, moment, page } = from;
  const changed =
    moment === undefined
      ? { 'updated_at[$gte]': since, order: 'updated_at' }
      : { 'updated_at[$gte]': moment, 'updated_at[$lt]': LISTING.past(moment), order: 'id' };
  const query = { ...changed, offset: String((page - 1) * PAGE) };
  const { rows, orders } = list === 'orders' ? await orderRows(shop, query) : await paymentRows(shop, query);
  const last = rows.map(listedAt).findLast((time) => time !== undefined);
  const { next, isEnd } = listOn(shop, from, { last, isEnd: rows.length < PAGE }, LISTING);
  const { after, ...counted } = next;
  const times = { orders_after: textOf(place.orders_after), payments_after: textOf(place.payments_after) };
  return {
    orders,
    place: { ...times, [`${list}_after`]: after, ...counted, list: isEnd ? otherList(list) : list },
    isLast: isEnd && list === 'payments',
  };
}

function otherList(list: List): List {
  return list === 'orders' ? 'payments' : 'orders';
}

/** Orders of before the shop was connected that are still to be made: their people choose among them. */
async function listEarlier(shop: Shop, page: number): Promise<ChangedOrders> {
  const { rows, orders } = await orderRows(shop, {
    'created_at[$lt]': shop.since.toISOString(),
    'status[]': 'pending',
    order: '-created_at',
    offset: String(page * PAGE),
  });
  const isMore = rows.length === PAGE && page + 1 < EARLIER_PAGES_MAX;
  const first = new Date(shop.since.getTime() - LISTING.behindMs).toISOString();
  const begun = { list: 'orders', orders_after: first, payments_after: first };
  return { orders, place: isMore ? { page: page + 1 } : begun, isLast: false };
}

/** Rows of a list with the orders that they are of. */
type Listed = { readonly rows: readonly unknown[]; readonly orders: ReadOrder[] };

async function paymentRows(shop: Shop, which: Readonly<Record<string, string>>): Promise<Listed> {
  const rows = await rowsOf(shop, 'payments', { ...which, fields: 'id,updated_at,payment_collection.order.id' });
  const ids = rows
    .filter(isMembers)
    .map(({ payment_collection: collection }) => (isMembers(collection) ? collection.order : undefined))
    .map((order) => (isMembers(order) ? textOf(order.id) : ''))
    .filter((id) => id !== '');
  const wanted = [...new Set(ids)];
  return { rows, orders: wanted.length === 0 ? [] : (await orderRows(shop, { offset: '0' }, wanted)).orders };
}

/**
 * Reads a page of orders.
 * One that the shop cannot give out, or refuses, spoils its page, which is then asked for their ids alone.
 */
async function orderRows(
  shop: Shop,
  which: Readonly<Record<string, string>>,
  ids: readonly string[] = [],
): Promise<Listed> {
  try {
    const rows = await rowsOf(shop, 'orders', { ...which, fields: ORDER_FIELDS }, ids);
    return { rows, orders: rows.map(readMedusaOrder).filter((read) => read !== undefined) };
  } catch (error) {
    if (!mayBeOfOne(error)) throw error;
    const rows = await rowsOf(shop, 'orders', { ...which, fields: 'id,updated_at' }, ids);
    return { rows, orders: rows.filter(isMembers).map(({ id }) => ({ kind: 'withheld', id: textOf(id) })) };
  }
}

/** Rows of a list of the shop. */
export async function rowsOf(
  shop: Shop,
  list: List | 'products',
  which: Readonly<Record<string, string>>,
  ids: readonly string[] = [],
): Promise<readonly unknown[]> {
  const query = new URLSearchParams({ ...which, limit: String(PAGE) });
  for (const id of ids) query.append('id[]', id);
  const answer = await shop.call('GET', `/admin/${list}?${query.toString()}`);
  const rows = isMembers(answer?.json) ? answer.json[list] : undefined;
  if (Array.isArray(rows)) return arrayOf(rows);
  throw new ShopFault('broken', 'No Medusa answers at this address: it must be that of its server, not of the shop.');
}
