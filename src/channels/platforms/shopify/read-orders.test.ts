import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadOrder, Shop } from '../port.ts';
import { listChangedOrders, readOrder } from './read-orders.ts';

const FIRST = 'gid://shopify/Order/1';
const SECOND = 'gid://shopify/Order/2';

type Data = Readonly<Record<string, unknown>>;
type Answers = Readonly<Record<string, (variables: { readonly ids?: readonly string[] }) => Data>>;

/** A shop that answers each query by its name. */
function shopOf(answers: Answers): Shop {
  const call: Shop['call'] = async (_method, _path, body = {}) => {
    const name = /^query (\w+)/.exec(String(body.query))?.[1] ?? '';
    const answer = answers[name] ?? assert.fail(`the shop has no answer to ${name}`);
    return { status: 200, headers: new Headers(), json: { data: answer(body.variables as object) } };
  };
  return {
    call,
    ...{ credentials: {}, facts: {}, noticeUrl: '', noticeSecret: '', since: new Date('2026-11-01T00:00:00Z') },
  };
}

const page = (nodes: readonly Data[], hasNextPage = false) => ({ nodes, pageInfo: { hasNextPage, endCursor: 'next' } });
const fulfilments = (count: number, from: number): Data[] =>
  Array.from({ length: count }, (_, at) => ({ id: `gid://shopify/Fulfillment/${from + at}`, status: 'CANCELLED' }));

/** An order as it is listed, of which so many pieces of two are left. */
function order(id: string, currentQuantity: number): Data {
  const line = { id: 'gid://shopify/LineItem/11', title: 'Fern tee', sku: 'A-1', quantity: 2, currentQuantity };
  return {
    id,
    ...{ name: '#1', processedAt: '2026-11-02T10:00:00Z', updatedAt: '2026-11-02T11:00:00Z' },
    ...{ displayFinancialStatus: 'PAID', risk: { recommendation: 'ACCEPT' } },
    lineItems: page([{ ...line, unfulfilledQuantity: currentQuantity, requiresShipping: true }]),
    fulfillmentOrders: page([]),
  };
}

const edge = (id: string): Data => ({ cursor: id, node: { id, updatedAt: '2026-11-02T11:00:00Z' } });
const found = (orders: readonly ReadOrder[]) =>
  orders.map((read) => [read.kind, read.kind === 'order' ? read.order.id : read.id]);

/** A shop whose second order has a piece that was refunded, and these answers of its fulfilments. */
function shopWithBadOrder(answers: Answers): Shop {
  const orders = new Map([order(FIRST, 2), order(SECOND, 1)].map((one) => [String(one.id), one]));
  return shopOf({
    Changed: () => ({ orders: { edges: [edge(FIRST), edge(SECOND)], pageInfo: { hasNextPage: false } } }),
    Orders: ({ ids = [] }) => ({ nodes: ids.map((id) => orders.get(id)) }),
    SentOf: () => ({ order: { id: SECOND, fulfillments: fulfilments(100, 0) } }),
    MoreAssigned: () => ({ order: { fulfillmentOrders: page([{ id: 'gid://shopify/FulfillmentOrder/1' }]) } }),
    ...answers,
  });
}

test('an order with more fulfilments than are read is unreadable in words, and the others of its list are read', async () => {
  let from = 0;
  const MoreFulfilments = (): Data => {
    from += 50;
    return { fulfillmentOrder: { fulfillments: page(fulfilments(50, from), true) } };
  };
  const { orders, isLast } = await listChangedOrders(shopWithBadOrder({ MoreFulfilments }), {
    from: '2026-11-02T00:00:00Z',
  });
  assert.deepEqual(found(orders), [
    ['order', '1'],
    ['unreadable', '2'],
  ]);
  assert.equal(isLast, true);
  const [, bad] = orders;
  assert.match(bad?.kind === 'unreadable' ? bad.message : '', /more than 1,000 fulfilments in Shopify/);
});

/** A list of which each page is empty and says that there is another; it fails once it was asked for too often. */
function withoutEnd(asMembers: (emptyPage: Data) => Data): () => Data {
  let asked = 0;
  return () => {
    asked += 1;
    assert.ok(asked <= 50, 'the list is read without end');
    return asMembers(page([], true));
  };
}

test('fulfilments and fulfilment orders whose pages are empty and have no end are read to a bound', async () => {
  const MoreFulfilments = withoutEnd((fulfillments) => ({ fulfillmentOrder: { fulfillments } }));
  const MoreAssigned = withoutEnd((fulfillmentOrders) => ({ order: { fulfillmentOrders } }));
  for (const answers of [{ MoreFulfilments }, { MoreAssigned }]) {
    const read = await readOrder(shopWithBadOrder(answers), '2');
    assert.equal(read?.kind, 'unreadable');
  }
});
