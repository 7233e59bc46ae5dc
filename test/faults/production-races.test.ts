import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { pence } from '../../src/lib/money.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import { promoteDueOrders } from '../../src/production/auto-promote.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { count, type Floor, openFloor, placeOrder } from '../harness/floor.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { TEE_WHITE_M, teeItem } from '../harness/shop.ts';
import { assertSound, balancePence, eventsOf, levelOf, rows } from '../harness/written.ts';

// Promotion, start and cancel beside one another. PLATEN_RACES says how many of each race are run: 60 unless given.

const RACES = Number(process.env.PLATEN_RACES ?? 60);
/** At once: more than the service has connections for would only wait for them. */
const LANES = 12;

let service: TestService;
let floor: Floor;
let second: SecondConnection;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
  second = await openSecondConnection(service.database);
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await second.close();
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

async function inLanes(times: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

const blank = (sku: string, quantity = 1): object => teeItem(service, { variant_sku: sku, quantity, print_jobs: [] });

/** A slow machine answers some of many at once with 503, which promises that nothing was done: they are sent again. */
async function patiently<A extends { readonly status: number }>(ask: () => Promise<A>): Promise<A> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 503 || tries === 300) return answer;
    await setTimeout(100);
  }
}

const cancel = (order: { id: string }) =>
  patiently(() => service.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`));
const atFloor = (...asked: Parameters<Floor['request']>) => patiently(() => floor.request(...asked));

test('N204: fifty promotions at once of the same two variants, named in either order: as many as there is stock for, no deadlock', async () => {
  const [one, two] = ['TEE-CLASSIC-NVY-M', 'TEE-CLASSIC-NVY-L'];
  await count(floor, one, 30);
  await count(floor, two, 45);
  const before = await deadlocks();
  const orders: CreatedOrder[] = [];
  for (let index = 0; index < 50; index += 1) {
    const items = index % 2 === 0 ? [blank(one), blank(two)] : [blank(two), blank(one)];
    orders.push(await placeOrder(service, { items }));
  }
  const answers = await Promise.all(orders.map(({ id }) => atFloor('POST', `/orders/${id}/promote`)));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(
    statuses,
    Array.from({ length: 50 }, (_, index) => (index < 30 ? 200 : 409)),
  );
  assert.ok(answers.every(({ status, body }) => status === 200 || body.code === 'out_of_stock'));
  assert.deepEqual(await levelOf(service, one), { on_hand: 30, allocated: 30 });
  assert.deepEqual(await levelOf(service, two), { on_hand: 45, allocated: 30 });
  assert.equal(await deadlocks(), before);
});

test('an order that another promotion waits for gives way: whoever comes second sees what the first has left', async () => {
  const sku = 'TEE-CLASSIC-NVY-XL';
  await count(floor, sku, 1);
  const orders = [
    await placeOrder(service, { items: [blank(sku)] }),
    await placeOrder(service, { items: [blank(sku)] }),
  ];
  await second.query('begin');
  await second.query('select 1 from stock where sku = $1 for update', [sku]);
  const promoting = orders.map(({ id }) => floor.request('POST', `/orders/${id}/promote`));
  await second.untilWaiting(2);
  await second.query('rollback');
  const answers = await Promise.all(promoting);
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  assert.deepEqual(await levelOf(service, sku), { on_hand: 1, allocated: 1 });
});

async function topUp(): Promise<undefined> {
  const { accountId } = service.customer;
  await creditAccount(service.ctx, { accountId, amountPence: pence(1), reference: '' });
  await settleWaitingOrders(service.ctx, accountId);
}

/** However a race went, this is how it ends. */
async function assertCancelled(order: CreatedOrder, answer: Awaited<ReturnType<typeof cancel>>): Promise<OpsOrder> {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.refunded_gbp, order.charged.total);
  const { body } = await atFloor('GET', `/orders/${order.id}`);
  assert.deepEqual([body.state, body.paid_gbp, body.refunded_gbp], ['cancelled', body.total, body.total]);
  assert.equal(body.refunds.length, 1);
  for (const { allocation } of body.lines) {
    assert.equal((allocation?.consumed ?? 0) + (allocation?.released ?? 0), allocation?.allocated ?? 0);
  }
  return body;
}

test('E87: a cancel inside the window and a promotion at once: always cancelled, refunded once, and the stock is back on the shelf', async () => {
  const sku = 'TEE-CLASSIC-SKY-M';
  await count(floor, sku, 1_000_000);
  const balance = await balancePence(service, service.customer);
  const outcomes = new Map<number, number>();
  await inLanes(RACES, async (index) => {
    const order = await placeOrder(service, { items: [blank(sku, 2)] });
    const promote = () => atFloor('POST', `/orders/${order.id}/promote`);
    const [cancelled, promoted] =
      index % 2 === 0
        ? await Promise.all([cancel(order), promote()])
        : await Promise.all([promote(), cancel(order)]).then(([a, b]) => [b, a] as const);
    outcomes.set(promoted.status, (outcomes.get(promoted.status) ?? 0) + 1);
    assert.ok(promoted.status === 200 || promoted.body.code === 'conflict', promoted.text);
    await assertCancelled(order, cancelled);
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.cancelled']);
  });
  assert.deepEqual(await levelOf(service, sku), { on_hand: 1_000_000, allocated: 0 });
  assert.equal(await balancePence(service, service.customer), balance);
  assert.ok(
    [...outcomes.keys()].every((status) => status === 200 || status === 409),
    JSON.stringify([...outcomes]),
  );
});

test('E87: a cancel inside the window and a start at once: always cancelled, refunded once; what was taken off the shelf is a task for ops', async () => {
  const sku = 'TEE-CLASSIC-SKY-L';
  await count(floor, sku, 1_000_000);
  const balance = await balancePence(service, service.customer);
  let startedFirst = 0;
  await inLanes(RACES, async (index) => {
    const order = await placeOrder(service, { items: [blank(sku, 2), blank(sku)] });
    const { lines } = await floor.post(`/orders/${order.id}/promote`);
    const start = () => atFloor('POST', `/orders/${order.id}/lines/${lines[0]?.id}/start`);
    const [cancelled, started] =
      index % 2 === 0
        ? await Promise.all([cancel(order), start()])
        : await Promise.all([start(), cancel(order)]).then(([a, b]) => [b, a] as const);
    assert.ok(started.status === 200 || started.body.code === 'conflict', started.text);
    const { lines: after, tasks } = await assertCancelled(order, cancelled);
    const isFirst = started.status === 200;
    startedFirst += isFirst ? 1 : 0;
    assert.deepEqual(
      after.map(({ allocation }) => [allocation?.consumed, allocation?.released]),
      isFirst
        ? [
            [2, 0],
            [0, 1],
          ]
        : [
            [0, 2],
            [0, 1],
          ],
    );
    assert.equal(tasks.length, isFirst ? 1 : 0);
    const events = ['order.created', ...(isFirst ? ['order.in_production'] : []), 'order.cancelled'];
    assert.deepEqual(await eventsOf(service, order), events);
  });
  assert.deepEqual(await levelOf(service, sku), { on_hand: 1_000_000 - 2 * startedFirst, allocated: 0 });
  assert.equal(await balancePence(service, service.customer), balance);
});

test('promotions, starts, receipts, counts, cancels and top-ups of the same variants at once: no deadlock, and stock is never below zero', async () => {
  const skus = [TEE_WHITE_M, 'TEE-CLASSIC-WHT-L', 'TEE-CLASSIC-WHT-S'];
  for (const sku of skus) await count(floor, sku, 200);
  const before = await deadlocks();
  await inLanes(60, async (index) => {
    const items = skus.map((_, at) => blank(skus[(index + at) % skus.length] ?? '', 1 + (at % 2)));
    const order = await placeOrder(service, { items });
    const promoted = await atFloor('POST', `/orders/${order.id}/promote`);
    assert.ok([200, 409].includes(promoted.status), promoted.text);
    const receipt = { items: skus.toReversed().map((sku) => ({ sku, quantity: 1 })) };
    const line = promoted.body.lines?.[0]?.id ?? 'line_none';
    const answers = await Promise.all([
      atFloor('POST', '/stock/receipts', receipt),
      atFloor('POST', `/orders/${order.id}/lines/${line}/start`),
      index % 3 === 0 ? cancel(order) : atFloor('POST', `/orders/${order.id}/hold`, { reason: 'a look' }),
      topUp(),
    ]);
    for (const answer of answers) assert.ok(answer === undefined || answer.status < 500, answer?.text);
  });
  assert.equal(await deadlocks(), before);
  const broken = await rows(service, 'select sku from stock where on_hand < 0 or allocated < 0 or allocated > on_hand');
  assert.deepEqual(broken, []);
});

test('automatic promotion on four nodes at once beside the cancels of customers: each order is promoted once, or cancelled', async () => {
  const sku = 'TEE-CLASSIC-SKY-XL';
  await count(floor, sku, 1_000);
  const orders: CreatedOrder[] = [];
  for (let index = 0; index < 40; index += 1) orders.push(await placeOrder(service, { items: [blank(sku)] }));
  // A node whose clock shows a later time sees windows closed that are open here: the sharpest form of the race.
  const later = { ...service.ctx, clock: { now: () => new Date(service.ctx.clock.now().getTime() + 3_700_000) } };
  const [passes] = await Promise.all([
    Promise.all(Array.from({ length: 4 }, () => promoteDueOrders(later))),
    Promise.all(
      orders.filter((_, index) => index % 2 === 0).map(async (order) => assertCancelled(order, await cancel(order))),
    ),
  ]);
  const left = await rows<{ state: string; moves: number }>(
    service,
    `select state, (select count(*) from order_history h where h.order_id = o.id and h.action = 'promote') as moves
     from orders o where o.reference = any($1)`,
    [orders.map(({ reference }) => reference)],
  );
  assert.ok(
    left.every(({ state, moves }) => (state === 'released' && moves === 1) || (state === 'cancelled' && moves <= 1)),
  );
  assert.deepEqual(await levelOf(service, sku), { on_hand: 1_000, allocated: 20 });
  assert.ok(passes.some(({ promoted }) => promoted > 0));
});
