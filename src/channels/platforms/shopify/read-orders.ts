import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { ChangedOrders, ListPlace, ReadOrder, Shop } from '../port.ts';
import { isRejected, mayBeOfOne, ShopFault, WAITS_FOR_SHOP } from '../shop-call.ts';
import { ask, gidOf, membersOf, nodesOf, numberOf } from './ask.ts';
import {
  type Assigned,
  dependsOnLines,
  type OurPlace,
  readAssigned,
  readAssignedLines,
  TOO_MANY_ASSIGNED,
} from './fulfillment-orders.ts';
import { BY_FULFILLMENT_ORDER } from './notice.ts';
import { LINE_FIELDS, readShopifyOrder, SHOPIFY_ORDER_FIELDS } from './orders.ts';
import { readSentPieces } from './sent-pieces.ts';
import { ourPlace } from './set-up.ts';

const PAGE = 50;
/** Orders in one query: with more it may cost more than the 1,000 points that one may. */
const ORDERS_AT_ONCE = 4;
const LINES_AT_ONCE = 50;
const MORE_LINES_AT_ONCE = 200;
const LINE_PAGES_MAX = 6;
/**
 * How far behind the last change that was read the next list begins.
 * Shopify's index of changes lags behind its orders; what is read twice changes nothing.
 */
const BEHIND_MS = 300_000;
const DAY_MS = 86_400_000;
/** An order that has no fulfilment orders for longer is taken as it is. */
const ROUTED_WITHIN_MS = 90_000;
/** Of orders that a shop had before it was connected, the newest. */
const EARLIER_PAGES_MAX = 20;

const LIST = `query Changed($first: Int!, $after: String, $query: String!, $sortKey: OrderSortKeys!, $reverse: Boolean!) {
  orders(first: $first, after: $after, query: $query, sortKey: $sortKey, reverse: $reverse) {
    edges { cursor node { id updatedAt } } pageInfo { hasNextPage }
  }
}`;

const READ = `query Orders($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on Order {
      ${SHOPIFY_ORDER_FIELDS}
      lineItems(first: ${LINES_AT_ONCE}) { nodes { ${LINE_FIELDS} } pageInfo { hasNextPage endCursor } }
    }
  }
}`;

const MORE_LINES = `query Lines($id: ID!, $after: String) {
  order(id: $id) {
    lineItems(first: ${MORE_LINES_AT_ONCE}, after: $after) { nodes { ${LINE_FIELDS} } pageInfo { hasNextPage endCursor } }
  }
}`;

const ORDER_OF = 'query OrderOf($id: ID!) { fulfillmentOrder(id: $id) { orderId } }';

/**
 * Lists by the time of the last change.
 * Cursors hold within a list, however many orders have one time. A list that Shopify breaks off for want of points ends
 * with what was read of it.
 */
export async function listChangedOrders(shop: Shop, place: ListPlace): Promise<ChangedOrders> {
  const { from } = place;
  if (typeof from !== 'string') return listEarlier(shop, place);
  const page = await readPage(shop, { query: `updated_at:>='${from}'`, sortKey: 'UPDATED_AT', reverse: false }, place);
  const { orders, isMore, last } = page;
  if (isMore && last !== undefined) return { orders, place: { from, cursor: last.cursor }, isLast: false };
  const next = last === undefined ? from : behind(last.updatedAt, from);
  return { orders, place: { from: next }, isLast: true };
}

/** Orders of before the shop was connected that are still to be made: their people choose among them. */
async function listEarlier(shop: Shop, place: ListPlace): Promise<ChangedOrders> {
  const pages = typeof place.pages === 'number' ? place.pages : 0;
  const query = `created_at:<'${shop.since.toISOString()}' status:open fulfillment_status:unfulfilled`;
  const { orders, isMore, last } = await readPage(shop, { query, sortKey: 'CREATED_AT', reverse: true }, place);
  const first = new Date(shop.since.getTime() - DAY_MS).toISOString();
  const isOver = !isMore || last === undefined || pages + 1 >= EARLIER_PAGES_MAX;
  return { orders, place: isOver ? { from: first } : { cursor: last.cursor, pages: pages + 1 }, isLast: false };
}

type Listed = { readonly cursor: string; readonly id: string; readonly updatedAt: string };
type Page = { readonly orders: readonly ReadOrder[]; readonly isMore: boolean; readonly last: Listed | undefined };

async function readPage(
  shop: Shop,
  which: { readonly query: string; readonly sortKey: string; readonly reverse: boolean },
  { cursor }: ListPlace,
): Promise<Page> {
  const after = typeof cursor === 'string' ? cursor : null;
  const data = membersOf((await ask(shop, LIST, { first: PAGE, after, ...which })).orders);
  const listed = arrayOf(data.edges)
    .filter(isMembers)
    .map(({ cursor: at, node }) => {
      const { id, updatedAt } = membersOf(node);
      return { cursor: textOf(at), id: textOf(id), updatedAt: textOf(updatedAt) };
    });
  const isMore = membersOf(data.pageInfo).hasNextPage === true;
  const orders: ReadOrder[] = [];
  for (let at = 0; at < listed.length; at += ORDERS_AT_ONCE) {
    const some = listed.slice(at, at + ORDERS_AT_ONCE);
    try {
      orders.push(
        ...(await readByIds(
          shop,
          some.map(({ id }) => id),
        )),
      );
    } catch (error) {
      if (mayBeOfOne(error)) {
        // The list was given out: one of these orders cannot be, and each is asked for by itself.
        orders.push(...some.map(({ id }) => ({ kind: 'withheld' as const, id: numberOf(id) })));
        continue;
      }
      if (at === 0 || !(error instanceof ShopFault) || error.kind !== 'busy') throw error;
      return { orders, isMore: true, last: listed[at - 1] };
    }
  }
  return { orders, isMore, last: listed.at(-1) };
}

/** Never before where the list began: it would go back with each sync of a shop that is at rest. */
function behind(last: string, from: string): string {
  const time = Date.parse(last) - BEHIND_MS;
  return Number.isNaN(time) || time <= Date.parse(from) ? from : new Date(time).toISOString();
}

/** An order by its number. */
export async function readOrder(shop: Shop, id: string): Promise<ReadOrder | undefined> {
  if (!/^\d{1,19}$/.test(id)) return undefined;
  const [order] = await readByIds(shop, [gidOf('Order', id)]);
  if (order?.kind === 'withheld') throw new ShopFault('rejected', NOT_ROUTED, undefined, WAITS_FOR_SHOP);
  return order;
}

const NOT_ROUTED = 'Shopify has not said yet from where this order is sent.';

/** The number of the order of which a notice has named a fulfilment order. */
export async function orderOfHint(shop: Shop, hinted: string): Promise<string | undefined> {
  const id = gidOf('FulfillmentOrder', hinted.slice(BY_FULFILLMENT_ORDER.length));
  const { fulfillmentOrder } = await ask(shop, ORDER_OF, { id });
  return numberOf(membersOf(fulfillmentOrder).orderId) || undefined;
}

/** What was deleted meanwhile, or is older than Shopify shows us, is left out. */
async function readByIds(shop: Shop, ids: readonly string[]): Promise<ReadOrder[]> {
  const { nodes } = await ask(shop, READ, { ids });
  const ours = ourPlace(shop.facts);
  const orders: ReadOrder[] = [];
  for (const json of arrayOf(nodes).filter(isMembers)) orders.push(await readWhole(shop, json, ours));
  return orders;
}

/** An order that has more of something than can be read is unreadable, and stops no other. */
async function readWhole(shop: Shop, json: Members, ours: OurPlace): Promise<ReadOrder> {
  try {
    return await readParts(shop, json, ours);
  } catch (error) {
    if (!isRejected(error)) throw error;
    return { kind: 'unreadable', id: numberOf(json.id), message: error.message };
  }
}

async function readParts(shop: Shop, json: Members, ours: OurPlace): Promise<ReadOrder> {
  const lines = nodesOf(json.lineItems);
  let { hasNextPage, endCursor } = membersOf(membersOf(json.lineItems).pageInfo);
  for (let page = 0; hasNextPage === true && page < LINE_PAGES_MAX; page += 1) {
    const { order } = await ask(shop, MORE_LINES, { id: json.id, after: endCursor });
    const { lineItems } = membersOf(order);
    lines.push(...nodesOf(lineItems));
    ({ hasNextPage, endCursor } = membersOf(membersOf(lineItems).pageInfo));
  }
  const all = await readAssigned(shop, json, ours);
  if (all === undefined) return { kind: 'unreadable', id: numberOf(json.id), message: TOO_MANY_ASSIGNED };
  if (all.length === 0 && isToBeRouted(shop, json, lines)) return { kind: 'withheld', id: numberOf(json.id) };
  const sent = await readSentPieces(shop, textOf(json.id), lines);
  return readShopifyOrder(json, lines, { ours, sent, assigned: await withLines(shop, all) });
}

/**
 * Whether Shopify may say yet who sends an order, and when.
 * It does so some time after the order is there: until then nothing holds it. Lines of other services may be routed to
 * what is not shown to us.
 */
function isToBeRouted({ latest, facts }: Shop, json: Members, lines: readonly Members[]): boolean {
  const madeAt = Date.parse(textOf(json.createdAt));
  const now = latest?.().getTime() ?? Number.POSITIVE_INFINITY;
  const { handle } = ourPlace(facts);
  const isSent = ({ requiresShipping, unfulfilledQuantity, fulfillmentService }: Members): boolean => {
    const service = membersOf(fulfillmentService);
    const isOfOthers = service.type === 'THIRD_PARTY' && service.handle !== handle;
    return requiresShipping !== false && Number(unfulfilledQuantity ?? 0) > 0 && !isOfOthers;
  };
  return now - madeAt < ROUTED_WITHIN_MS && textOf(json.cancelledAt) === '' && lines.some(isSent);
}

/** Few orders depend on the lines of their fulfilment orders, which cost a query each. */
async function withLines(shop: Shop, all: readonly Assigned[]): Promise<readonly Assigned[]> {
  if (!dependsOnLines(all)) return all;
  const read: Assigned[] = [];
  for (const one of all) {
    read.push(one.of === 'others' ? one : { ...one, lines: await readAssignedLines(shop, one.id) });
  }
  return read;
}
