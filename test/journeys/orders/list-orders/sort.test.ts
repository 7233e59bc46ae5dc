import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { eventually } from '../../../harness/context.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, HOME, problemsOf } from '../../../harness/shop.ts';

// A list of orders begins with the newest or with the oldest, whatever it is narrowed by, and a cursor belongs to one
// of the two.

let service: TestService;
let customer: Customer;
const placed: CreatedOrder[] = [];
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 1_000_000 });
  const product = await addProduct(service, customer, 'TEE-CLASSIC');
  for (let index = 0; index < 5; index += 1) {
    const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
    const body = {
      items,
      shipping_address: HOME,
      external_reference: `sort-${index}`,
      type: index === 2 ? 'sample' : 'bulk',
    };
    const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
    assert.equal(answer.status, 201, answer.text);
    placed.push(answer.body);
    service.shiftMs(60_000);
  }
  const last = await customer.request('POST', `/orders/${idOf(4)}/cancel`);
  assert.equal(last.status, 200, last.text);
});
after(() => service.stop());

const idOf = (index: number): string => placed[index]?.id ?? assert.fail(`there is no order ${index}`);
const placedAt = (index: number): string => placed[index]?.created_at ?? assert.fail(`there is no order ${index}`);

async function read(query: string): Promise<Page<Order>> {
  const answer = await customer.request<Page<Order>>('GET', `/orders?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** The places of a list's orders among those that were placed, page by page. */
async function walk(query: string, limit: number): Promise<number[]> {
  const seen: number[] = [];
  for (let cursor = ''; ; ) {
    const page = await read(`${query}&limit=${limit}${cursor}`);
    seen.push(...page.data.map(({ id }) => placed.findIndex((order) => order.id === id)));
    assert.equal(page.has_more, page.next_cursor !== null);
    if (page.next_cursor === null) return seen;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

test('the newest order comes first, unless the oldest is asked for; the one list is the other from its end', async () => {
  for (const limit of [1, 2, 5, 100]) {
    assert.deepEqual(await walk('', limit), [4, 3, 2, 1, 0]);
    assert.deepEqual(await walk('sort=newest', limit), [4, 3, 2, 1, 0]);
    assert.deepEqual(await walk('sort=oldest', limit), [0, 1, 2, 3, 4]);
  }
});

test('the oldest come first in a list that is narrowed, too, page by page', async () => {
  for (const [query, expected] of [
    ['status=pending', [0, 1, 2, 3]],
    ['status=cancelled', [4]],
    ['type=bulk', [0, 1, 3, 4]],
    ['type=bulk&status=pending', [0, 1, 3]],
    [`placed_since=${placedAt(1)}&placed_before=${placedAt(4)}`, [1, 2, 3]],
    [`placed_since=${placedAt(1)}&placed_before=${placedAt(4)}&type=bulk`, [1, 3]],
    [`placed_before=${placedAt(0)}`, []],
    ['number=sort-3', [3]],
    ['external_reference=sort-3', [3]],
    [`external_reference=sort-3&placed_since=${placedAt(4)}`, []],
    ['blocked_by=anything', []],
  ] as const) {
    assert.deepEqual(await walk(`${query}&sort=oldest`, 1), expected, query);
    assert.deepEqual(await walk(query, 1), expected.toReversed(), query);
  }
});

test('by change the oldest come first as well: those that were placed before the time, then those since', async () => {
  // The first was changed after all of them had been placed.
  const since = placedAt(2);
  const cancelled = await customer.request('POST', `/orders/${idOf(0)}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  await eventually('the changes are complete', async () => (await walk(`updated_since=${since}`, 100)).length === 4);
  for (const limit of [1, 3, 100]) {
    assert.deepEqual(await walk(`updated_since=${since}&sort=oldest`, limit), [0, 2, 3, 4]);
    assert.deepEqual(await walk(`updated_since=${since}`, limit), [4, 3, 2, 0]);
  }
  assert.deepEqual(await walk(`updated_since=${since}&sort=oldest&status=pending`, 1), [2, 3]);
});

test('a file has the order of the list that it is saved from, however many pages it takes', async () => {
  const headers = { authorization: `Bearer ${customer.token}`, accept: 'text/csv' };
  const file = await fetch(`${service.url}/api/v1/orders?sort=oldest`, { headers });
  assert.equal(file.status, 200);
  const [, ...lines] = (await file.text()).trim().split('\r\n');
  assert.deepEqual(
    lines.map((line) => line.split(',', 1)[0]),
    placed.map(({ id }) => id),
  );
});

test('another sort, two of them, and the cursor of the other order are refused by name', async () => {
  const [newest, oldest] = [await read('limit=1'), await read('sort=oldest&limit=1')];
  for (const [query, problem] of [
    ['sort=due', 'sort unknown_value'],
    ['sort=', 'sort unknown_value'],
    ['sort=OLDEST', 'sort unknown_value'],
    ['sort=oldest&sort=newest', 'sort duplicate'],
    [`cursor=${oldest.next_cursor}`, 'cursor pattern'],
    [`cursor=${oldest.next_cursor}&sort=newest`, 'cursor pattern'],
    [`cursor=${newest.next_cursor}&sort=oldest`, 'cursor pattern'],
    [`cursor=oldest_oldest_${idOf(0)}&sort=oldest`, 'cursor pattern'],
    ['cursor=oldest_&sort=oldest', 'cursor pattern'],
  ] as const) {
    const refused = await customer.request('GET', `/orders?${query}`);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], query);
  }
  const mixed = await customer.request('GET', `/orders?cursor=${oldest.next_cursor}`);
  assert.match(mixed.text, /is of a list with the oldest first\. Send it with the sort of its page\./);
});

test("a cursor is a place only: at the order of another account the list has the caller's own", async () => {
  const other = await service.openCustomer();
  const none = await other.request<Page<Order>>('GET', `/orders?sort=oldest&cursor=oldest_${idOf(0)}`);
  assert.deepEqual([none.status, none.body], [200, { data: [], has_more: false, next_cursor: null }]);
});
