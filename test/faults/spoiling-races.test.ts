import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import { count, type Floor, openFloor, placeOrder } from '../harness/floor.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { teeItem } from '../harness/shop.ts';
import { assertSound, levelOf, rows } from '../harness/written.ts';

// Pieces are spoiled with no blank left beside receipts, cancels and promotions: no blank is promised twice, none is
// lost, and none is sold before the lines that are short have theirs. PLATEN_SPOILING says how many of each are run.

const ROUNDS = Number(process.env.PLATEN_SPOILING ?? 6);

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service, 'admin');
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

async function deadlocks(): Promise<number> {
  const [found] = await rows<{ deadlocks: number }>(
    service,
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return found?.deadlocks ?? Number.NaN;
}

const blank = (sku: string, quantity: number): object =>
  teeItem(service, { variant_sku: sku, quantity, print_jobs: [] });

/** An order of so many blank pieces of some variants, which has started and taken them all. */
async function started(...pieces: readonly (readonly [sku: string, quantity: number])[]) {
  for (const [sku, quantity] of pieces) await restock(sku, quantity);
  const { id } = await placeOrder(service, { items: pieces.map(([sku, quantity]) => blank(sku, quantity)) });
  await floor.post(`/orders/${id}/promote`);
  const { lines } = await floor.post(`/orders/${id}/start`, {});
  return { id, lines: lines.map((line) => line.id) };
}

/** Lays so many free pieces on the shelf. */
async function restock(sku: string, free: number): Promise<void> {
  const { allocated } = await levelOf(service, sku);
  await count(floor, sku, allocated + free);
}

const spoil = (order: { id: string; lines: readonly string[] }, quantity: number, line = 0) =>
  floor.request('POST', `/orders/${order.id}/lines/${order.lines[line]}/spoil`, { quantity, reason: 'torn' });
const receive = (...items: readonly { sku: string; quantity: number }[]) =>
  floor.request<unknown>('POST', '/stock/receipts', { items });
const cancel = (order: { id: string }) =>
  floor.request('POST', `/orders/${order.id}/cancel`, { reason: 'changed mind' });
const seen = async ({ id }: { id: string }): Promise<OpsOrder> => (await floor.request('GET', `/orders/${id}`)).body;
const lackOf = async (order: { id: string }): Promise<readonly [number, number]> => {
  const { lines } = await seen(order);
  const sum = (of: 'quantity_short' | 'quantity_to_start') => lines.reduce((total, line) => total + line[of], 0);
  return [sum('quantity_short'), sum('quantity_to_start')];
};

/** What is on hand and promised of a variant, and how much lines are short of. */
async function stockOf(sku: string): Promise<{ on_hand: number; available: number; short: number }> {
  const { body } = await floor.request<{ data: { on_hand: number; available: number; short: number }[] }>(
    'GET',
    `/stock?sku=${sku}`,
  );
  return body.data[0] ?? assert.fail('no stock');
}

test('two receipts at once: each blank goes to one line, the oldest first', async () => {
  const sku = 'TEE-CLASSIC-NVY-M';
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await started([sku, 3]);
    const second = await started([sku, 2]);
    await spoil(first, 3);
    service.shiftMs(5);
    await spoil(second, 2);
    const [one, two] = [1 + (round % 3), 1 + (round % 2)];
    const answers = await Promise.all([receive({ sku, quantity: one }), receive({ sku, quantity: two })]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    const came = one + two;
    assert.deepEqual(await lackOf(first), [Math.max(0, 3 - came), Math.min(3, came)]);
    assert.deepEqual(await lackOf(second), [2 - Math.max(0, came - 3), Math.max(0, came - 3)]);
    const { on_hand: onHand, available, short } = await stockOf(sku);
    assert.deepEqual([onHand, available, short], [came, 0, 5 - came]);
    assert.deepEqual([(await cancel(first)).status, (await cancel(second)).status], [200, 200]);
    await count(floor, sku, 0);
  }
});

test('a spoiled piece beside a receipt: the line has the blank or is short of it, and never both', async () => {
  const sku = 'TEE-CLASSIC-NVY-L';
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, two] = [await started([sku, 1]), await started([sku, 1])];
    const answers = await Promise.all([spoil(one, 1), receive({ sku, quantity: 1 }), spoil(two, 1)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201, 200],
    );
    const [first, second] = [await lackOf(one), await lackOf(two)];
    const { on_hand: onHand, short } = await stockOf(sku);
    assert.equal(short, 1, 'one blank for two spoiled pieces');
    assert.equal(first[0] + second[0], 1);
    assert.equal(onHand, first[1] + second[1], 'it lies on the shelf for a line, or was taken at once');
    await Promise.all([cancel(one), cancel(two)]);
    await count(floor, sku, 0);
  }
});

test('a receipt beside the cancel of a short line: the blank is the next line’s or free, and nothing stays promised', async () => {
  const sku = 'TEE-CLASSIC-NVY-S';
  for (let round = 0; round < ROUNDS; round += 1) {
    const gone = await started([sku, 2]);
    const stays = await started([sku, 1]);
    await spoil(gone, 2);
    service.shiftMs(5);
    await spoil(stays, 1);
    const answers = await Promise.all([cancel(gone), receive({ sku, quantity: 2 })]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201],
    );
    assert.deepEqual(await lackOf(gone), [0, 0]);
    assert.deepEqual(await lackOf(stays), [0, 1], 'whichever came first, the other line has its blank');
    const { on_hand: onHand, available, short } = await stockOf(sku);
    assert.deepEqual([onHand, available, short], [2, 1, 0]);
    const open = await rows(
      service,
      `select t.kind from ops_task t where t.kind = 'line_short' and t.closed_at is null`,
    );
    assert.deepEqual(open, [], 'no task is left open');
    await cancel(stays);
    await count(floor, sku, 0);
  }
});

test('a receipt beside a new order and its promotion: what is owed to a short line is not sold', async () => {
  const sku = 'TEE-CLASSIC-NVY-XL';
  for (let round = 0; round < ROUNDS; round += 1) {
    const short = await started([sku, 1]);
    await restock(sku, 1);
    const waiting = await placeOrder(service, { items: [blank(sku, 1)] });
    await count(floor, sku, 0);
    await spoil(short, 1);
    const [received, promoted, placed] = await Promise.all([
      receive({ sku, quantity: 1 }),
      floor.request('POST', `/orders/${waiting.id}/promote`),
      service.customer.request<{ code?: string }>('POST', '/orders/estimate', {
        items: [blank(sku, 1)],
        shipping_address: waiting.items.shippingAddress,
      }),
    ]);
    assert.equal(received.status, 201);
    assert.deepEqual([promoted.status, promoted.body.code], [409, 'out_of_stock']);
    assert.deepEqual([placed.status, placed.body.code], [409, 'out_of_stock']);
    assert.deepEqual(await lackOf(short), [0, 1]);
    await cancel(short);
    assert.equal((await floor.request('POST', `/orders/${waiting.id}/promote`)).status, 200, 'now it is free');
    await cancel(waiting);
    await count(floor, sku, 0);
  }
});

test('a start beside a receipt takes what is there, once', async () => {
  const sku = 'TEE-CLASSIC-SKY-M';
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = await started([sku, 3]);
    await spoil(order, 3);
    await receive({ sku, quantity: 1 });
    const start = () => floor.request('POST', `/orders/${order.id}/lines/${order.lines[0]}/start`);
    const answers = await Promise.all([start(), receive({ sku, quantity: 1 }), start()]);
    assert.ok(
      answers.every(({ status }) => [200, 201, 409].includes(status)),
      answers.map(({ text }) => text).join('\n'),
    );
    const { lines } = await seen(order);
    const consumed = lines[0]?.allocation?.consumed ?? 0;
    assert.ok(consumed === 4 || consumed === 5, `${consumed} were taken`);
    assert.deepEqual(await lackOf(order), [1, 5 - consumed]);
    assert.equal((await stockOf(sku)).on_hand, 5 - consumed);
    await cancel(order);
    await count(floor, sku, 0);
  }
});

test('receipts, cancels and spoiled pieces of the same two variants in either order wait for each other and end', async () => {
  const [one, two] = ['TEE-CLASSIC-SKY-L', 'TEE-CLASSIC-SKY-XL'];
  const before = await deadlocks();
  for (let round = 0; round < ROUNDS; round += 1) {
    const orders = [
      await started([one, 2], [two, 2]),
      await started([two, 2], [one, 2]),
      await started([one, 1], [two, 1]),
    ] as const;
    for (const order of orders) for (const line of [0, 1]) await spoil(order, 1, line);
    const answers = await Promise.all([
      receive({ sku: one, quantity: 2 }, { sku: two, quantity: 1 }),
      receive({ sku: two, quantity: 2 }, { sku: one, quantity: 1 }),
      cancel(orders[0]),
      cancel(orders[1]),
      floor.request('POST', `/orders/${orders[2].id}/start`, {}),
    ]);
    assert.deepEqual(
      answers.slice(0, 4).map(({ status }) => status),
      [201, 201, 200, 200],
    );
    const [short, toStart] = await lackOf(orders[2]);
    assert.equal(short, 0, 'three came in for three, and the two before it are cancelled');
    assert.ok(toStart <= 2);
    await cancel(orders[2]);
    for (const sku of [one, two]) await count(floor, sku, 0);
  }
  assert.equal(await deadlocks(), before);
});
