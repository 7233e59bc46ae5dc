import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { newId, parseId } from '../../src/lib/ids.ts';
import { pence } from '../../src/lib/money.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../harness/service.ts';
import { body, openShop, type Shop } from '../harness/shop.ts';
import { assertSound, booksOf, rows } from '../harness/written.ts';

// What operators do to an order's money, beside each other and beside its owner.

/** Rounds of each race; the nightly run sets it higher. */
const ROUNDS = Number(process.env.PLATEN_TEST_RACES ?? 15);

let service: TestService;
let admin: Awaited<ReturnType<TestService['openOperator']>>;
before(async () => {
  service = await startTestService();
  admin = await service.openOperator('admin');
});
afterEach(() => assertSound(service));
after(() => service.stop());

type OpsAnswer = Answer<Pick<OpsOrder, 'state' | 'refunded_gbp'> & Pick<ErrorReply, 'code'>>;

const ops = (path: string, request?: object, headers?: Record<string, string>): Promise<OpsAnswer> =>
  admin.request('POST', `/orders/${path}`, request, headers);

const cancel = (shop: Shop, id: string) => shop.customer.request<Cancellation>('POST', `/orders/${id}/cancel`);

async function topUp(shop: Shop, reference: string): Promise<void> {
  const { accountId } = shop.customer;
  await creditAccount(service.ctx, { accountId, amountPence: pence(shop.totalPence), reference });
  await settleWaitingOrders(service.ctx, accountId);
}

async function moneyOf(id: string) {
  const [row] = await rows<{ state: string; paid: number; back: number; cancels: number; created: number }>(
    service,
    `select state, balance_paid_pence + method_paid_pence as paid, refunded_pence + refund_owed_pence as back,
       (select count(*) from event e where e.order_id = o.id and event = 'order.cancelled') as cancels,
       (select count(*) from event e where e.order_id = o.id and event = 'order.created') as created
     from orders o where id = $1`,
    [parseId('ord', id) ?? ''],
  );
  assert.ok(row);
  return row;
}

test('a cancel by its owner, one by ops, a settlement and a top-up at once: always cancelled, told once, and all given back', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const shop = await openShop(service, 0);
    const { id } = (await shop.order()).body;
    const [owner, byOps, settled] = await Promise.all([
      cancel(shop, id),
      ops(`${id}/cancel`, { reason: 'A race.' }),
      ops(`${id}/settle`),
      topUp(shop, 'a race'),
    ]);
    assert.deepEqual([owner.status, byOps.status], [200, 200]);
    assert.ok([200, 409].includes(settled.status), settled.text);
    const money = await moneyOf(id);
    assert.deepEqual([money.state, money.cancels, money.back], ['cancelled', 1, money.paid]);
    assert.equal(money.created, money.paid > 0 ? 1 : 0);
    const settledPence = settled.status === 200 ? shop.totalPence : 0;
    assert.equal((await booksOf(service, shop.customer)).balance_pence, shop.totalPence + settledPence);
  }
});

test('D62 goodwill, cancelled pieces and a whole cancel at once: never a penny more than was paid, and the whole in the end', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const shop = await openShop(service, 10);
    const start = (await booksOf(service, shop.customer)).balance_pence;
    const [item] = body(shop).items;
    const order = (await shop.order({ items: [{ ...item, quantity: 4 }] })).body;
    const lines = [{ line_id: order.items.lineItems[0]?.id, quantity: 1 }];
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => ops(`${order.id}/refunds`, { amount_gbp: 5, reason: 'A race.' })),
      ...Array.from({ length: 3 }, () => ops(`${order.id}/cancel`, { reason: 'A race.', lines })),
      ops(`${order.id}/cancel`, { reason: 'A race.' }),
    ]);
    for (const { status, text } of answers) assert.ok([200, 409, 422].includes(status), text);
    const money = await moneyOf(order.id);
    assert.deepEqual([money.state, money.cancels, money.back], ['cancelled', 1, money.paid]);
    assert.equal((await booksOf(service, shop.customer)).balance_pence, start);
  }
});

test('as many goodwills at once as the order is worth, and no more', async () => {
  const shop = await openShop(service, 1);
  const order = (await shop.order()).body;
  const fits = Math.floor(shop.totalPence / 100);
  const answers = await Promise.all(
    Array.from({ length: fits + 10 }, () => ops(`${order.id}/refunds`, { amount_gbp: 1, reason: 'A race.' })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, fits);
  assert.equal(answers.filter(({ status }) => status === 422).length, 10);
  assert.equal((await booksOf(service, shop.customer)).balance_pence, fits * 100);
});

test('one Idempotency-Key twenty times at once: pieces are cancelled and refunded once', async () => {
  const shop = await openShop(service, 5);
  const [item] = body(shop).items;
  const order = (await shop.order({ items: [{ ...item, quantity: 3 }] })).body;
  const request = { reason: 'Once.', lines: [{ line_id: order.items.lineItems[0]?.id, quantity: 1 }] };
  const key = { 'idempotency-key': newId() };
  const answers = await Promise.all(Array.from({ length: 20 }, () => ops(`${order.id}/cancel`, request, key)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const [line] = await rows<{ quantity_cancelled: number }>(
    service,
    'select quantity_cancelled from order_line where order_id = $1',
    [parseId('ord', order.id) ?? ''],
  );
  assert.equal(line?.quantity_cancelled, 1);
  const credits = await rows(service, 'select 1 from order_credit where order_id = $1', [
    parseId('ord', order.id) ?? '',
  ]);
  assert.equal(credits.length, 1);
});

test('E88 a refund that fails leaves nothing of an ops cancel or a goodwill behind, not even its key: the same request works next', async () => {
  const shop = await openShop(service, 3);
  const order = (await shop.order()).body;
  const before = await moneyOf(order.id);
  const requests = [
    [`${order.id}/refunds`, { amount_gbp: 1, reason: 'x' }],
    [`${order.id}/cancel`, { reason: 'x' }],
  ] as const;
  for (const [path, request] of requests) {
    const key = { 'idempotency-key': newId() };
    const audited = await rows(service, 'select 1 from operator_action');
    await service.ctx.database.script(`
      create function refuse_refund() returns trigger language plpgsql as $$
        begin raise exception 'no refunds today'; end $$;
      create trigger refuse_refund before insert on posting for each row
        when (new.kind = 'refund') execute function refuse_refund();`);
    const failed = await ops(path, request, key);
    await service.ctx.database.script('drop function refuse_refund() cascade');
    assert.deepEqual([failed.status, failed.body.code], [502, 'refund_failed']);
    assert.equal((await rows(service, 'select 1 from operator_action')).length, audited.length);
    if (path.endsWith('refunds')) assert.deepEqual(await moneyOf(order.id), before);
    assert.equal((await ops(path, request, key)).status, 200);
  }
  const money = await moneyOf(order.id);
  assert.deepEqual([money.state, money.back], ['cancelled', money.paid]);
});
