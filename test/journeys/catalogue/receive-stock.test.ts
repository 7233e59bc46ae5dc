import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StockLevels, StockMovement } from '../../../src/catalogue/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { StockOverview } from '../../../src/production/schema.ts';
import { count, type Floor, openFloor, placeOrder } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, levelOf, rows } from '../../harness/written.ts';

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

const SKU = 'TEE-CLASSIC-BLK-L';

const overview = async (sku: string): Promise<StockOverview> => {
  const { body } = await floor.request<Page<StockOverview>>('GET', `/stock?sku=${sku}`);
  const [level] = body.data;
  assert.ok(level);
  return level;
};

const movementsOf = async (query: string): Promise<Page<StockMovement>> => {
  const { status, body, text } = await floor.request<Page<StockMovement>>('GET', `/stock/movements?${query}`);
  assert.equal(status, 200, text);
  return body;
};

test('a delivery adds to what is on hand, and its movement names the delivery note and who took it in', async () => {
  const { on_hand: had } = await levelOf(service, SKU);
  const answer = await floor.post<StockLevels>(
    '/stock/receipts',
    { items: [{ sku: SKU, quantity: 40 }], reference: 'DN 1234' },
    201,
  );
  assert.deepEqual(
    answer.items.map(({ sku, on_hand, allocated, available, missing }) => [
      sku,
      on_hand,
      allocated,
      available,
      missing,
    ]),
    [[SKU, had + 40, 0, had + 40, 0]],
  );
  const [movement] = (await movementsOf(`sku=${SKU}`)).data;
  assert.ok(movement);
  const { kind, on_hand_change, allocated_change, reference, actor, order_id } = movement;
  assert.deepEqual(
    [kind, on_hand_change, allocated_change, reference, actor, order_id],
    ['receipt', 40, 0, 'DN 1234', `operator ${floor.email}`, null],
  );
});

test('a count sets what is on hand; the movement keeps the difference and why, and the customers see it at once', async () => {
  await count(floor, SKU, 7);
  const answer = await floor.post<StockLevels>(
    '/stock/counts',
    { items: [{ sku: SKU, on_hand: 5 }], reason: 'two had holes' },
    201,
  );
  assert.equal(answer.items[0]?.on_hand, 5);
  const [movement] = (await movementsOf(`sku=${SKU}`)).data;
  assert.deepEqual([movement?.kind, movement?.on_hand_change, movement?.reason], ['count', -2, 'two had holes']);
  const seen = await service.customer.request<Page<{ available: number }>>('GET', `/stock?variant_sku=${SKU}`);
  assert.equal(seen.body.data[0]?.available, 5);
});

test('an adjustment adds or takes some pieces with a reason, and leaves alone what changes meanwhile', async () => {
  await count(floor, SKU, 10);
  const adjust = (change: number) =>
    floor.post<StockLevels>('/stock/adjustments', { items: [{ sku: SKU, change }], reason: 'moth' }, 201);
  // At once, so that one does not know of the others.
  await Promise.all([-3, 2, -1, -1].map(adjust));
  assert.equal((await levelOf(service, SKU)).on_hand, 7);
  const [movement] = (await movementsOf(`sku=${SKU}`)).data;
  assert.deepEqual([movement?.kind, movement?.reason, movement?.actor], ['count', 'moth', `operator ${floor.email}`]);
  assert.equal((await adjust(-7)).items[0]?.on_hand, 0, 'down to none');
});

test('an adjustment below nothing, of nothing, or without a reason is refused, and nothing is changed', async () => {
  await count(floor, SKU, 4);
  const ask = async (item: object, more: object = { reason: 'moth' }) => {
    const answer = await floor.request('POST', '/stock/adjustments', { items: [item], ...more });
    return [answer.status, problemsOf(answer as never)];
  };
  assert.deepEqual(await ask({ sku: SKU, change: -5 }), [422, ['items[0].change out_of_bounds']]);
  assert.deepEqual(await ask({ sku: SKU, change: 10_000_000 }), [422, ['items[0].change out_of_bounds']]);
  assert.deepEqual(await ask({ sku: 'TEE-CLASSIC-PNK-M', change: 1 }), [422, ['items[0].sku unknown_variant']]);
  for (const change of [0, 1.5, '1', null, -10_000_001]) {
    const [status, problems] = await ask({ sku: SKU, change });
    assert.equal(status, 422, String(change));
    assert.match(String(problems), /^items\[0\]\.change /);
  }
  for (const reason of [undefined, '', '  ', 'x'.repeat(501)]) {
    const [status, problems] = await ask({ sku: SKU, change: 1 }, { reason });
    assert.equal(status, 422, String(reason));
    assert.match(String(problems), /^reason /);
  }
  assert.equal((await levelOf(service, SKU)).on_hand, 4);
});

test('a delivery with an unknown variant, or one variant twice, is refused whole: nothing is taken in', async () => {
  const before = await rows<{ count: number }>(service, 'select count(*) as count from stock_movement');
  const unknown = await floor.request('POST', '/stock/receipts', {
    items: [
      { sku: SKU, quantity: 1 },
      { sku: 'TEE-CLASSIC-PNK-M', quantity: 1 },
    ],
  });
  assert.deepEqual([unknown.status, problemsOf(unknown as never)], [422, ['items[1].sku unknown_variant']]);
  const twice = await floor.request('POST', '/stock/counts', {
    items: [
      { sku: SKU, on_hand: 1 },
      { sku: SKU, on_hand: 2 },
    ],
  });
  assert.deepEqual([twice.status, problemsOf(twice as never)], [422, ['items[1].sku duplicate']]);
  for (const quantity of [0, -1, 1.5, '1', null, 10_000_001]) {
    const { status } = await floor.request('POST', '/stock/receipts', { items: [{ sku: SKU, quantity }] });
    assert.equal(status, 422, String(quantity));
  }
  const full = await floor.request('POST', '/stock/receipts', { items: [{ sku: SKU, quantity: 10_000_000 }] });
  assert.deepEqual([full.status, problemsOf(full as never)], [422, ['items[0].quantity out_of_bounds']]);
  for (const body of [{ items: [] }, {}, { items: [{ quantity: 1 }] }]) {
    assert.equal((await floor.request('POST', '/stock/receipts', body)).status, 422);
  }
  assert.deepEqual(await rows(service, 'select count(*) as count from stock_movement'), before);
});

test('a delivery that is sent twice under one Idempotency-Key is taken in once, and under another body refused', async () => {
  const { on_hand: had } = await levelOf(service, SKU);
  const send = (quantity: number) =>
    floor.request<StockLevels>(
      'POST',
      '/stock/receipts',
      { items: [{ sku: SKU, quantity }] },
      { 'idempotency-key': 'dn-77' },
    );
  const answers = await Promise.all([send(3), send(3), send(3)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal((await send(4)).status, 409);
  assert.equal((await levelOf(service, SKU)).on_hand, had + 3);
});

test('stock as ops sees it: what is promised, what is available, and what is paid for and waits to be promoted', async () => {
  await count(floor, TEE_WHITE_M, 50);
  const before = await overview(TEE_WHITE_M);
  const waiting = await placeOrder(service, { items: [teeItem(service, { quantity: 4 })] });
  const promoted = await placeOrder(service, { items: [teeItem(service, { quantity: 3 })] });
  await floor.post(`/orders/${promoted.id}/promote`);
  const level = await overview(TEE_WHITE_M);
  assert.deepEqual(
    [level.on_hand, level.allocated, level.available, level.missing, level.awaiting - before.awaiting],
    [50, before.allocated + 3, 47 - before.allocated, 0, 4],
  );
  await floor.post(`/orders/${waiting.id}/hold`, { reason: 'address' });
  assert.equal(
    (await overview(TEE_WHITE_M)).awaiting - before.awaiting,
    4,
    'held before its promotion, it still waits',
  );
  const seen = await service.customer.request<Page<{ available: number }>>('GET', `/stock?variant_sku=${TEE_WHITE_M}`);
  assert.equal(seen.body.data[0]?.available, level.available, 'customers see what is available, not what is on hand');
});

test('a count below what is promised is believed: nothing is available, and it says how many pieces are missing', async () => {
  await count(floor, TEE_WHITE_M, 20);
  const order = await placeOrder(service, { items: [teeItem(service, { quantity: 5 })] });
  await floor.post(`/orders/${order.id}/promote`);
  const { allocated } = await levelOf(service, TEE_WHITE_M);
  await count(floor, TEE_WHITE_M, 1);
  const short = await overview(TEE_WHITE_M);
  assert.deepEqual([short.available, short.missing], [0, allocated - 1]);
  const refused = await service.customer.request('POST', '/orders', {
    items: [teeItem(service)],
    shipping_address: order.items.shippingAddress,
  });
  assert.equal(refused.status, 409);
  await count(floor, TEE_WHITE_M, 100);
});

test('the stock list is paged by SKU, and the movements newest first, without a gap or a repeat', async () => {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await floor.request<Page<StockOverview>>('GET', `/stock?limit=7${cursor}`);
    seen.push(...body.data.map(({ sku }) => sku));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  const all = await rows<{ sku: string }>(service, 'select sku from stock order by sku');
  assert.deepEqual(
    seen,
    all.map(({ sku }) => sku),
  );
  const first = await movementsOf('limit=3');
  const second = await movementsOf(`limit=3&cursor=${first.next_cursor}`);
  const ids = [...first.data, ...second.data].map(({ id }) => Number(id));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a),
  );
  assert.equal(new Set(ids).size, 6);
  for (const query of ['cursor=0', 'cursor=x', 'limit=0', 'sku=%20']) {
    assert.equal((await floor.request('GET', `/stock/movements?${query}`)).status, 422, query);
  }
});

test('a movement is never changed or deleted', async () => {
  for (const sql of [
    'update stock_movement set quantity = 0',
    'delete from stock_movement',
    'truncate stock_movement',
  ]) {
    await assert.rejects(rows(service, sql), /never changed or deleted/);
  }
});

test('a viewer sees stock and may not change it', async () => {
  const viewer = await openFloor(service, 'viewer');
  assert.equal((await viewer.request('GET', '/stock')).status, 200);
  assert.equal((await viewer.request('GET', '/stock/movements')).status, 200);
  const refused = await viewer.request('POST', '/stock/receipts', { items: [{ sku: SKU, quantity: 1 }] });
  assert.equal(refused.status, 403);
});
