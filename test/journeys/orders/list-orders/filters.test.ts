import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setStock } from '../../../../src/catalogue/set-stock.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { eventually } from '../../../harness/context.ts';
import { openSecondConnection } from '../../../harness/second-connection.ts';
import type { Customer, TestService } from '../../../harness/service.ts';
import { startTestService } from '../../../harness/service.ts';
import { addProduct, HOME, problemsOf } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
let product: string;
before(async () => {
  service = await startTestService();
  customer = await service.openCustomer({ balancePence: 10_000_000 });
  product = await addProduct(service, customer, 'TEE-CLASSIC');
});
after(() => service.stop());

async function place(changes: object = {}): Promise<CreatedOrder> {
  const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
  const answer = await customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME, ...changes });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function list(query: string): Promise<string[]> {
  const answer = await customer.request<Page<Order>>('GET', `/orders?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.map(({ id }) => id);
}

/**
 * A list by change, once it shows what is expected: transactions of anybody on the server hold it back for their
 * time.
 */
async function settles(query: string, expected: readonly string[]): Promise<void> {
  let shown: string[] = [];
  await eventually(`${query} shows ${expected.length}`, async () => {
    shown = await list(query);
    return shown.length === expected.length;
  });
  assert.deepEqual(shown, expected);
}

const cancel = (order: CreatedOrder) => customer.request('POST', `/orders/${order.id}/cancel`);

test('type and status narrow the list, alone and together, newest first', async () => {
  const bulk = await place();
  const sample = await place({ type: 'sample' });
  const cancelled = await place({ type: 'sample' });
  await cancel(cancelled);
  assert.deepEqual(await list('type=sample'), [cancelled.id, sample.id]);
  assert.deepEqual(await list('type=sample&status=pending'), [sample.id]);
  assert.deepEqual(await list('type=bulk&status=pending'), [bulk.id]);
  assert.deepEqual(await list('status=cancelled'), [cancelled.id]);
  assert.deepEqual(await list('type=bulk&status=cancelled'), []);
});

test('external_reference finds the one order that has it, under the other filters too', async () => {
  const order = await place({ external_reference: 'filter 1/ä' });
  const query = `external_reference=${encodeURIComponent('filter 1/ä')}`;
  assert.deepEqual(await list(query), [order.id]);
  assert.deepEqual(await list(`${query}&status=pending&type=bulk`), [order.id]);
  assert.deepEqual(await list(`${query}&status=cancelled`), []);
  assert.deepEqual(await list(`${query}&type=sample`), []);
  assert.deepEqual(await list(`${query}&cursor=${order.id}`), []);
  assert.deepEqual(await list('external_reference=nobody'), []);
});

test('1.7 an external_reference of another account finds nothing', async () => {
  await place({ external_reference: 'mine-alone' });
  const other = await service.openCustomer();
  const { body } = await other.request<Page<Order>>('GET', '/orders?external_reference=mine-alone');
  assert.deepEqual(body, { data: [], has_more: false, next_cursor: null });
});

describe('updated_since', () => {
  test('shows what was placed or changed at that time or later, in pages, newest first', async () => {
    const early = await Promise.all(Array.from({ length: 4 }, () => place()));
    service.shiftMs(60_000);
    const since = service.ctx.clock.now().toISOString();
    const late = [await place(), await place()];
    const [changed, , , other] = early;
    assert.ok(changed && other);
    await cancel(changed);
    await cancel(other);
    const expected = [...late.map(({ id }) => id), changed.id, other.id].toSorted().toReversed();
    await settles(`updated_since=${since}`, expected);
    const paged: string[] = [];
    for (let cursor = ''; paged.length < expected.length; cursor = `&cursor=${paged.at(-1)}`) {
      paged.push(...(await list(`updated_since=${since}&limit=1${cursor}`)));
    }
    assert.deepEqual(paged, expected);
    await settles(`updated_since=${since}&status=cancelled`, [changed.id, other.id].toSorted().toReversed());
    const at = (await customer.request<Order>('GET', `/orders/${late[1]?.id}`)).body.updated_at;
    assert.ok((await list(`updated_since=${at}`)).includes(late[1]?.id ?? ''), 'the time itself counts');
    const after = new Date(service.ctx.clock.now().getTime() + 1_000).toISOString();
    assert.deepEqual(await list(`updated_since=${after}`), []);
  });

  test('hides what a transaction changed that an older one, still open, may yet precede; nothing is ever skipped', async () => {
    const slow = await place();
    service.shiftMs(60_000);
    const since = service.ctx.clock.now().toISOString();
    const second = await openSecondConnection(service.database);
    await second.query('begin');
    await second.query('update orders set updated_at = $2, changed_by = pg_current_xact_id() where reference = $1', [
      slow.reference,
      service.ctx.clock.now(),
    ]);
    const quick = await place();
    assert.deepEqual(await list(`updated_since=${since}`), [], 'the page ends before the open transaction');
    assert.ok((await list('limit=5')).includes(quick.id), 'other lists show it at once');
    await second.query('commit');
    await second.close();
    await settles(`updated_since=${since}`, [quick.id, slow.id]);
  });

  for (const bad of ['yesterday', '2026-11-21', '2026-11-21T09:30:00Z', '2026-02-30T00:00:00.000Z', '', '0']) {
    test(`"${bad}" is refused: 422 at updated_since`, async () => {
      const answer = await customer.request('GET', `/orders?updated_since=${encodeURIComponent(bad)}`);
      assert.equal(answer.status, 422, answer.text);
      assert.match(problemsOf(answer)[0] ?? '', /^updated_since /);
    });
  }
});

for (const query of [
  'type=SAMPLE',
  'type=',
  'type=sample&type=bulk',
  'external_reference=',
  'external_reference=%20',
]) {
  test(`4.1 /orders?${query} is refused: 422 at its name`, async () => {
    const answer = await customer.request('GET', `/orders?${query}`);
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [422, query.split('=')[0]]);
  });
}

test('an order in each page is counted once, whatever its state', async () => {
  const [count] = await rows<{ count: number }>(service, 'select count(*) from orders where account_id = $1', [
    customer.accountId,
  ]);
  assert.equal((await list('limit=100')).length, count?.count);
  const all = await list('limit=100');
  await settles('limit=100&updated_since=2020-01-01T00:00:00.000Z', all);
  const [sample, bulk] = [await list('limit=100&type=sample'), await list('limit=100&type=bulk')];
  assert.equal(sample.length + bulk.length, count?.count);
});

test('a page ends early where its orders have very many lines, and the next goes on from there', async () => {
  const large = await service.openCustomer({ balancePence: 100_000_000 });
  const own = await addProduct(service, large, 'TEE-CLASSIC');
  await setStock(service.ctx, { sku: 'TEE-CLASSIC-WHT-M', onHand: 100_000, reason: 'a delivery', actor: 'test' });
  const line = { product_id: own, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 };
  const body = { items: Array.from({ length: 1_000 }, () => line), shipping_address: HOME };
  for (let order = 0; order < 7; order += 1) {
    const placed = await large.request<CreatedOrder>('POST', '/orders', body);
    assert.equal(placed.status, 201, placed.text.slice(0, 300));
  }
  const seen: number[] = [];
  let cursor = '';
  for (;;) {
    const { body: page } = await large.request<Page<Order>>('GET', `/orders?limit=100${cursor}`);
    seen.push(page.data.length);
    assert.equal(page.has_more, page.next_cursor !== null);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  assert.deepEqual(seen, [1, 1, 1, 1, 1, 1, 1]);
});

test('a span of placing narrows the list page by page, with other filters, and ends it; it is a file, too', async () => {
  const other = await service.openCustomer({ balancePence: 1_000_000 });
  const own = await addProduct(service, other, 'TEE-CLASSIC');
  const placed: CreatedOrder[] = [];
  for (let index = 0; index < 4; index += 1) {
    const items = [{ product_id: own, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
    const body = {
      items,
      shipping_address: HOME,
      external_reference: `span-${index}`,
      type: index === 2 ? 'sample' : 'bulk',
    };
    placed.push((await other.request<CreatedOrder>('POST', '/orders', body)).body);
    service.shiftMs(60_000);
  }
  const [first, second, third, fourth] = placed;
  const read = async (query: string) => (await other.request<Page<Order>>('GET', `/orders?${query}`)).body;
  const span = `placed_since=${second?.created_at}&placed_before=${fourth?.created_at}`;
  const ids = async (query: string) => (await read(query)).data.map(({ id }) => id);
  assert.deepEqual(await ids(span), [third?.id, second?.id]);
  assert.deepEqual(await ids(`${span}&type=sample`), [third?.id]);
  assert.deepEqual(await ids(`${span}&external_reference=span-1`), [second?.id]);
  assert.deepEqual(await ids(`${span}&external_reference=span-0`), []);
  const page = await read(`${span}&limit=1`);
  assert.deepEqual([page.data.map(({ id }) => id), page.has_more], [[third?.id], true]);
  const next = await read(`${span}&limit=1&cursor=${page.next_cursor}`);
  assert.deepEqual([next.data.map(({ id }) => id), next.has_more], [[second?.id], false]);
  assert.deepEqual(await ids(`placed_before=${first?.created_at}`), []);
  const impossible = await other.request('GET', '/orders?placed_since=2026-02-30T00:00:00.000Z');
  assert.deepEqual([impossible.status, problemsOf(impossible)], [422, ['placed_since time']]);
  const headers = { authorization: `Bearer ${other.token}`, accept: 'text/csv' };
  const file = await fetch(`${service.url}/api/v1/orders?${span}`, { headers });
  const [headings = '', ...lines] = (await file.text()).trim().split('\r\n');
  assert.match(headings, /^id,reference,type,/);
  assert.deepEqual(
    lines.map((line) => line.split(',', 1)[0]),
    [third?.id, second?.id],
  );
});
