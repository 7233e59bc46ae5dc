import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';
import { ask, membersOf, nodesOf, numberOf } from './ask.ts';
import { readAllAssigned, TOO_MANY_ASSIGNED } from './fulfillment-orders.ts';

// The fulfilments of an order are a list, of which Shopify gives the first so many and nothing after them; those of a
// fulfilment order are a connection with pages (shopify.dev, `Order.fulfillments`, `FulfillmentOrder.fulfillments`).
// No limit of an order is documented, and what was taken back stands in both.

const AT_ONCE = 100;
const MORE_AT_ONCE = 50;
/** Fulfilments that are read of an order at the most; an ordinary one has one or two. */
const FULFILMENTS_MAX = 1_000;
/** Those of one fulfilment order; an empty page may say that there is another. */
const MORE_PAGES_MAX = FULFILMENTS_MAX / MORE_AT_ONCE + 1;

const FIELDS = 'id status trackingInfo(first: 5) { number }';

/** What is read of an order, so that `standingFulfilments` reads the rest. */
export const FIRST_FULFILMENTS = `fulfillments(first: ${AT_ONCE}) { ${FIELDS} }`;

const MORE = `query MoreFulfilments($id: ID!, $after: String) {
  fulfillmentOrder(id: $id) {
    fulfillments(first: ${MORE_AT_ONCE}, after: $after) { nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } }
  }
}`;

const LINES_AT_ONCE = 100;
const LINE_PAGES_MAX = 10;

const PACKED = `query Packed($id: ID!, $after: String) {
  fulfillment(id: $id) {
    fulfillmentLineItems(first: ${LINES_AT_ONCE}, after: $after) {
      nodes { quantity lineItem { id } } pageInfo { hasNextPage endCursor }
    }
  }
}`;

const STANDING = new Set(['SUCCESS', 'OPEN', 'PENDING']);

/**
 * The fulfilments that stand of an order, which was read with the first of them.
 * Throws a fault of the order where they are more than are read: what was sent would not be known.
 */
export async function standingFulfilments(shop: Pick<Shop, 'call'>, order: Members): Promise<Members[]> {
  const first = arrayOf(order.fulfillments).filter(isMembers);
  const all = new Map(first.map((one) => [textOf(one.id), one]));
  if (first.length >= AT_ONCE)
    for (const one of await ofEachOrder(shop, textOf(order.id))) all.set(textOf(one.id), one);
  if (all.size > FULFILMENTS_MAX) throw new ShopFault('rejected', TOO_MANY);
  return [...all.values()].filter(({ status }) => STANDING.has(textOf(status)));
}

const TOO_MANY = `The order has more than ${FULFILMENTS_MAX.toLocaleString('en-GB')} fulfilments in Shopify, which is more than can be read. Ship it from there, or split it.`;

async function ofEachOrder(shop: Pick<Shop, 'call'>, orderId: string): Promise<Members[]> {
  const assigned = await readAllAssigned(shop, orderId);
  if (assigned === undefined) throw new ShopFault('rejected', TOO_MANY_ASSIGNED);
  const found: Members[] = [];
  for (const { id } of assigned) {
    let after: unknown = null;
    // What is in several of them is found in each: the bound is one of calls, too.
    for (let page = 0; found.length <= FULFILMENTS_MAX; page += 1) {
      if (page >= MORE_PAGES_MAX) throw new ShopFault('rejected', TOO_MANY);
      const { fulfillments } = membersOf((await ask(shop, MORE, { id, after })).fulfillmentOrder);
      found.push(...nodesOf(fulfillments));
      const { hasNextPage, endCursor } = membersOf(membersOf(fulfillments).pageInfo);
      if (hasNextPage !== true) break;
      after = endCursor;
    }
  }
  if (found.length > FULFILMENTS_MAX) throw new ShopFault('rejected', TOO_MANY);
  return found;
}

/** The pieces in a fulfilment, by the numbers of their lines. */
export async function packedIn(shop: Pick<Shop, 'call'>, id: string): Promise<ReadonlyMap<string, number>> {
  const packed = new Map<string, number>();
  let after: unknown = null;
  for (let page = 0; page < LINE_PAGES_MAX; page += 1) {
    const { fulfillmentLineItems: lines } = membersOf((await ask(shop, PACKED, { id, after })).fulfillment);
    for (const { quantity, lineItem } of nodesOf(lines)) {
      // A line stands in it once for each fulfilment order that it was sent of.
      const line = numberOf(membersOf(lineItem).id);
      packed.set(line, (packed.get(line) ?? 0) + Number(quantity));
    }
    const { hasNextPage, endCursor } = membersOf(membersOf(lines).pageInfo);
    if (hasNextPage !== true) break;
    after = endCursor;
  }
  return packed;
}
