import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Members } from '../members.ts';
import type { OrderReport, Shop } from '../port.ts';
import { reportToShopify } from './reports.ts';

const NONE = { nodes: [], pageInfo: { hasNextPage: false } };

/** The tags that an order of so many pieces is given for those that are cancelled here. */
async function tagsFor(quantity: number, cancelled: number): Promise<unknown> {
  const line = { id: 'gid://shopify/LineItem/7', quantity, currentQuantity: quantity, refundableQuantity: quantity };
  const order = { id: 'gid://shopify/Order/1', cancelledAt: null, fulfillments: [], fulfillmentOrders: NONE };
  const asked: Members[] = [];
  const call: Shop['call'] = async (_method, _path, { query, variables } = {}) => {
    const isTag = String(query).startsWith('mutation Tag');
    if (isTag) asked.push(variables as Members);
    const data = isTag
      ? { tagsAdd: { node: { id: order.id }, userErrors: [] } }
      : { order: { ...order, lineItems: { ...NONE, nodes: [line] } } };
    return { status: 200, headers: new Headers(), json: { data } };
  };
  const shop: Shop = {
    call,
    ...{ credentials: {}, facts: {}, noticeUrl: '', noticeSecret: '', since: new Date('2026-11-01T00:00:00Z') },
  };
  const pieces = [{ shopItemId: '7', title: 'Fern tee', cancelled, made: quantity - cancelled }];
  const report: OrderReport = {
    ...{ shopOrderId: '1', orderedAt: new Date('2026-11-02T10:00:00Z'), reference: 'PF-BWPHH875', parcels: [] },
    ...{ isCancelled: false, cancelled: pieces, everCancelled: pieces, isRefunded: false },
    ...{ isComplete: false, isAllOurs: true, news: new Set<string>() },
  };
  await reportToShopify(shop, report);
  return asked.map(({ tags }) => tags);
}

test('the tag for cancelled pieces has their count and the reference, within what Shopify takes of a tag', async () => {
  assert.deepEqual(await tagsFor(3, 1), [['Print shop cancelled 1 of PF-BWPHH875']]);
  assert.deepEqual(await tagsFor(20_000, 9_999), [['Print shop cancelled 9999 of PF-BWPHH875']]);
  assert.deepEqual(await tagsFor(20_000, 10_000), [['cancelled 10000 of PF-BWPHH875']]);
});
