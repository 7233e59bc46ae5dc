import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder, Order, PlaceOrderBody } from '../../../src/orders/schema.ts';
import { verify } from '../../../src/verify/verify.ts';
import { eventually } from '../../harness/context.ts';
import { flat } from '../../harness/pictures.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, HOME, teeItem } from '../../harness/shop.ts';
import { balancePence, rows } from '../../harness/written.ts';

const ROWS = 1_000;
const WRITERS = 10;

let service: TestService;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

async function openShop(): Promise<{ customer: Customer; place: () => Promise<string> }> {
  const customer = await service.openCustomer({ balancePence: 100_000_000 });
  const tote = await addProduct(service, customer, 'TOTE-COTTON');
  const items = [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const place = async (): Promise<string> => {
    const placed = await customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
    assert.equal(placed.status, 201, placed.text);
    return placed.body.id;
  };
  return { customer, place };
}

test(`C47 ${ROWS} orders are read in pages while ${WRITERS} writers place more: each that was there comes exactly once`, async () => {
  const { customer, place } = await openShop();
  const there = new Set<string>();
  const fill = async (): Promise<void> => {
    while (there.size < ROWS) there.add(await place());
  };
  await Promise.all(Array.from({ length: 16 }, fill));
  const over = new AbortController();
  let added = 0;
  const write = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await place();
      added += 1;
    }
  };
  const writers = Array.from({ length: WRITERS }, write);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await customer.request<Page<Order>>('GET', `/orders?limit=20${cursor}`);
    seen.push(...body.data.map(({ id }) => id));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  over.abort();
  await Promise.all(writers);
  assert.ok(added > 0, 'there were writers');
  assert.equal(new Set(seen).size, seen.length, 'none came twice');
  const found = new Set(seen);
  assert.deepEqual(
    [...there].filter((id) => !found.has(id)),
    [],
  );
});

test('C46 a page goes on from an order that has left the list meanwhile, without a repeat and without a gap', async () => {
  const { customer, place } = await openShop();
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) ids.unshift(await place());
  const pageOf = async (cursor: string): Promise<Page<Order>> =>
    (await customer.request<Page<Order>>('GET', `/orders?status=pending&limit=2${cursor}`)).body;
  const first = await pageOf('');
  const seen = first.data.map(({ id }) => id);
  let { next_cursor: cursor } = first;
  while (cursor !== null) {
    // The record that the cursor is the id of is no longer one of the list.
    assert.equal((await customer.request('POST', `/orders/${cursor}/cancel`)).status, 200);
    const page = await pageOf(`&cursor=${cursor}`);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  assert.deepEqual(seen, ids);
});

test('B40 an account that is suspended while its order is on the way: the order is placed whole or refused, and the next is 401', async () => {
  const { customer } = await openShop();
  const tote = await addProduct(service, customer, 'TOTE-COTTON');
  const picture = await flat(640, 640, '#123123').png().toBuffer();
  const waiting: (() => void)[] = [];
  service.stranger.serve('/held.png', (_hit, response) => {
    waiting.push(() => void response.writeHead(200, { 'content-length': picture.length }).end(picture));
  });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/held.png') }];
  const items = [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, decoration: { areas } }];
  const before = await balancePence(service, customer);
  const underWay = customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  await eventually('the fetch', () => waiting.length === 1);
  await rows(service, 'update account set suspended_at = now() where id = $1', [customer.accountId]);
  for (const answer of waiting) answer();
  const placed = await underWay;
  const [books] = await rows<{ orders: number; charged: number }>(
    service,
    `select (select count(*) from orders where account_id = $1) as orders,
       (select coalesce(sum(amount_pence), 0)::bigint from posting
        where account_id = $1 and debit_account = 'customer_balance') as charged`,
    [customer.accountId],
  );
  const total = placed.status === 201 ? Math.round(placed.body.charged.total * 100) : 0;
  assert.ok([201, 401, 403].includes(placed.status), placed.text);
  assert.deepEqual(books, { orders: placed.status === 201 ? 1 : 0, charged: total });
  assert.equal(before - (await balancePence(service, customer)), total);
  await eventually('the refusal', async () => (await customer.request('GET', '/orders')).status === 401, 3_000);
});

test('F102 the second request overtakes the first, which is still fetching: one order, one charge, its bytes stored once', async () => {
  const { customer } = service;
  const picture = await flat(640, 640, '#0f1e2d').png().toBuffer();
  const waiting: (() => void)[] = [];
  service.stranger.serve('/overtaken.png', (_hit, response) => {
    const answer = (): void => void response.writeHead(200, { 'content-length': picture.length }).end(picture);
    if (waiting.length === 0) waiting.push(answer);
    else answer();
  });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/overtaken.png') }];
  const body: PlaceOrderBody = basket(service, {
    items: [teeItem(service, { decoration: { areas } })],
    external_reference: 'overtaken-1',
  });
  const before = await balancePence(service, customer);
  const slow = customer.request<CreatedOrder>('POST', '/orders', body);
  await eventually('the first fetch', () => waiting.length === 1);
  const quick = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(quick.status, 201, quick.text);
  for (const answer of waiting) answer();
  const late = await slow;
  assert.deepEqual([late.status, late.body.id, late.headers.get('idempotent-replayed')], [200, quick.body.id, 'true']);
  assert.equal(before - (await balancePence(service, customer)), Math.round(quick.body.charged.total * 100));
  const [stored] = await rows<{ orders: number; blobs: number }>(
    service,
    `select (select count(*) from orders where external_reference = 'overtaken-1') as orders,
       (select count(*) from blob where hash = decode($1, 'hex')) as blobs`,
    [createHash('sha256').update(picture).digest('hex')],
  );
  assert.deepEqual(stored, { orders: 1, blobs: 1 });
});

test('B38 another account’s order and none take the same time to refuse, by id and by reference', async () => {
  const { place } = await openShop();
  const id = await place();
  const [theirs] = await rows<{ reference: string }>(service, 'select reference from orders order by id desc limit 1');
  const pairs = [
    [id, publicId('ord', newId())],
    [theirs?.reference ?? '', 'PF-22222222'],
  ] as const;
  for (const [other, nobody] of pairs) {
    const took = { other: [] as number[], nobody: [] as number[] };
    for (let round = 0; round < 300; round += 1) {
      for (const [name, key] of [
        ['other', other],
        ['nobody', nobody],
      ] as const) {
        const startedMs = performance.now();
        const { status } = await service.customer.request('GET', `/orders/${key}`);
        took[name].push(performance.now() - startedMs);
        assert.equal(status, 404);
      }
    }
    const [one, two] = [median(took.other), median(took.nobody)];
    // Taken in turn on one machine, so that a busy moment meets both.
    assert.ok(Math.abs(one - two) < 0.25 * Math.max(one, two) + 0.2, `${one} ms and ${two} ms`);
  }
});

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
