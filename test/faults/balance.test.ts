import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { pence } from '../../src/lib/money.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import { openRace, second, service, topUp } from '../harness/race.ts';
import { decorated, type OrderAnswer, openShop, servePicture, statusesOf } from '../harness/shop.ts';
import { booksOf, holdBalance, rows } from '../harness/written.ts';

// One balance, and orders and top-ups that want it at the same time, in an exact order: the test holds the balance's
// lock.

openRace();

const paymentStatuses = (answers: readonly { body: { payment_status: string } }[]): string[] =>
  answers.map((answer) => answer.body.payment_status).toSorted();

test('two orders on a balance that covers one: exactly one is paid, and the balance is never below zero', async () => {
  for (let round = 0; round < 5; round += 1) {
    const shop = await openShop(service, 1, 7);
    await holdBalance(second, shop);
    const both = [shop.order(), shop.order()];
    await second.untilWaiting(2);
    await second.query('rollback');
    const answers = await Promise.all(both);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    assert.deepEqual(paymentStatuses(answers), ['failed', 'paid']);
    const books = await booksOf(service, shop.customer);
    assert.deepEqual(books, { orders: 2, paid: 1, charges: 1, charged_pence: shop.totalPence, balance_pence: 7 });
  }
});

test('D59 fifty orders at once on a balance that covers ten: exactly ten are paid', async () => {
  const shop = await openShop(service, 10, 1);
  const answers = await Promise.all(Array.from({ length: 50 }, () => shop.order()));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(paymentStatuses(answers).filter((status) => status === 'paid').length, 10);
  const books = await booksOf(service, shop.customer);
  assert.deepEqual(books, {
    orders: 50,
    paid: 10,
    charges: 10,
    charged_pence: 10 * shop.totalPence,
    balance_pence: 1,
  });
});

test('a top-up settles waiting orders oldest first, passes over what it does not cover, and leaves the forgotten', async () => {
  const shop = await openShop(service, 0);
  const forgotten = await shop.order();
  service.shiftMs(73 * 3_600_000);
  const [oldest, middle, newest] = [await shop.order(), await shop.order(), await shop.order()];
  for (const { body: order } of [forgotten, oldest, middle, newest]) assert.equal(order.payment_status, 'failed');
  assert.equal(await topUp(shop, 2 * shop.totalPence + shop.totalPence - 1), 2);
  const status = async (order: typeof oldest): Promise<string> =>
    (await shop.customer.request<{ payment_status: string }>('GET', `/orders/${order.body.id}`)).body.payment_status;
  assert.deepEqual(await Promise.all([forgotten, oldest, middle, newest].map(status)), [
    'failed',
    'paid',
    'paid',
    'failed',
  ]);
  assert.equal(await topUp(shop, 1), 1);
  assert.equal(await topUp(shop, 10 * shop.totalPence), 0, 'the forgotten one is not settled by itself');
  assert.equal((await booksOf(service, shop.customer)).balance_pence, 10 * shop.totalPence);
});

test('order.created follows order.payment_failed, and is later even when the clock has stepped back (6.2 created_at)', async () => {
  const shop = await openShop(service, 0);
  const order = await shop.order();
  service.shiftMs(-60_000);
  assert.equal(await topUp(shop, shop.totalPence), 1);
  service.shiftMs(60_000);
  const events = await rows<{ event: string; sequence: number; created_at: Date }>(
    service,
    'select event, sequence, created_at from event where account_id = $1 order by created_at',
    [shop.customer.accountId],
  );
  assert.deepEqual(
    events.map(({ event, sequence }) => [event, sequence]),
    [
      ['order.payment_failed', 1],
      ['order.created', 2],
    ],
  );
  const [failed, created] = events;
  assert.ok(failed !== undefined && created !== undefined && created.created_at > failed.created_at);
  const read = await shop.customer.request<{ version: number }>('GET', `/orders/${order.body.id}`);
  assert.equal(read.body.version, 2);
});

test('a top-up that lands while an order waits for the balance counts for it: the order is paid', async () => {
  const shop = await openShop(service, 0);
  const { accountId } = shop.customer;
  await holdBalance(second, shop);
  const placing = shop.order();
  await second.untilWaiting(1);
  // What a top-up writes, in the transaction that the order waits for.
  await second.query(
    `insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, created_at, entry,
       balance_after_pence)
     values ($1, gen_random_uuid(), 'top_up', 'bank', 'customer_balance', $2, now(), 1, $2)`,
    [accountId, shop.totalPence],
  );
  await second.query('update account_balance set balance_pence = $2, entries = 1 where account_id = $1', [
    accountId,
    shop.totalPence,
  ]);
  await second.query('commit');
  const answer = await placing;
  assert.deepEqual([answer.status, answer.body.payment_status], [201, 'paid'], answer.text);
  assert.equal((await booksOf(service, shop.customer)).balance_pence, 0);
});

test('each waiting order is settled in a transaction of its own: one that is held up holds up none before it', async () => {
  const shop = await openShop(service, 0);
  const [first, held] = [await shop.order(), await shop.order()];
  await second.query('begin');
  await second.query('select 1 from orders where reference = $1 for update', [held.body.reference]);
  const settling = topUp(shop, 2 * shop.totalPence);
  await second.untilWaiting(1);
  const read = await shop.customer.request<{ payment_status: string }>('GET', `/orders/${first.body.id}`);
  assert.equal(read.body.payment_status, 'paid');
  await second.query('rollback');
  assert.equal(await settling, 2);
});

test('the same waiting order settled by two top-ups at once is charged once', async () => {
  const shop = await openShop(service, 0);
  const order = await shop.order();
  const { accountId } = shop.customer;
  // Enough for two of it, posted without settling anything.
  await creditAccount(service.ctx, { accountId, amountPence: pence(2 * shop.totalPence), reference: '' });
  await holdBalance(second, shop);
  const first = settleWaitingOrders(service.ctx, shop.customer.accountId);
  const other = settleWaitingOrders(service.ctx, shop.customer.accountId);
  await second.untilWaiting(2);
  await second.query('rollback');
  assert.deepEqual((await Promise.all([first, other])).toSorted(), [0, 1]);
  const books = await booksOf(service, shop.customer);
  assert.deepEqual([books.charges, books.balance_pence], [1, shop.totalPence]);
  assert.equal(order.body.payment_status, 'failed');
});

test('top-ups and orders on one account, two hundred times together: no deadlock, no 5xx, every penny accounted for', async () => {
  const shop = await openShop(service, 0);
  const deadlocks = async (): Promise<number> => {
    const [row] = await second.query('select deadlocks from pg_stat_database where datname = current_database()');
    return Number(row?.deadlocks);
  };
  const before = await deadlocks();
  const url = await servePicture(service, '/storm.png', { colour: '#667788' });
  const answers: OrderAnswer[] = [];
  let round = 0;
  const lane = async (): Promise<void> => {
    while (round < 200) {
      round += 1;
      const items = round % 10 === 0 ? { items: [decorated(shop, url, 'embroidery', 'left_sleeve')] } : {};
      const external_reference = `storm ${shop.customer.accountId} ${round % 3 === 0 ? round - 1 : round}`;
      const [placed] = await Promise.all([
        shop.order({ external_reference, ...items }),
        topUp(shop, shop.totalPence, `top-up ${round}`),
      ]);
      answers.push(placed);
    }
  };
  await Promise.all(Array.from({ length: 6 }, lane));
  await topUp(shop, 100_000_00, 'the last');
  assert.deepEqual([...new Set(statusesOf(answers))], [200, 201]);
  assert.equal(await deadlocks(), before);
  const books = await booksOf(service, shop.customer);
  assert.equal(books.orders, answers.filter(({ status }) => status === 201).length);
  assert.deepEqual([books.paid, books.charges], [books.orders, books.orders]);
  assert.equal(books.balance_pence, 200 * shop.totalPence + 100_000_00 - books.charged_pence);
});
