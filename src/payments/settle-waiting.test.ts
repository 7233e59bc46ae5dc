import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../test/harness/service.ts';
import { body, openShop, type Shop } from '../../test/harness/shop.ts';
import { assertSound, booksOf, rows } from '../../test/harness/written.ts';
import { creditAccount } from '../billing/credit-account.ts';
import { COMMAND_LINE } from '../bin/commands.ts';
import { parseId } from '../lib/ids.ts';
import { pence } from '../lib/money.ts';
import { settleWaitingOrders } from './settle-waiting.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ env: { AUTO_SETTLE_HOURS: '1' } });
});
after(() => service.stop());

const credit = (shop: Shop, amount: number) =>
  creditAccount(service.ctx, { accountId: shop.customer.accountId, amountPence: pence(amount), reference: '' });
const settle = (shop: Shop): Promise<number> => settleWaitingOrders(service.ctx, shop.customer.accountId);

test('an account with nothing that waits, and one that is not there, have nothing to settle', async () => {
  const shop = await openShop(service, 1);
  assert.equal((await shop.order()).body.payment_status, 'paid');
  assert.equal(await settle(shop), 0);
  assert.equal((await booksOf(service, shop.customer)).charges, 1);
});

test('more orders than fit one batch are all settled, each charged and announced once', async () => {
  const shop = await openShop(service, 0);
  for (let placed = 0; placed < 210; placed += 10) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => shop.order()));
    for (const { status, text } of answers) assert.equal(status, 201, text);
  }
  await credit(shop, 210 * shop.totalPence);
  assert.equal(await settle(shop), 210);
  assert.deepEqual(await booksOf(service, shop.customer), {
    orders: 210,
    paid: 210,
    charges: 210,
    charged_pence: 210 * shop.totalPence,
    balance_pence: 0,
  });
  await assertSound(service);
});

test('an order that the balance does not cover is passed over, and paid once it does', async () => {
  const shop = await openShop(service, 0);
  const [item] = body(shop).items;
  const large = await shop.order({ items: [{ ...item, quantity: 40 }] });
  const small = await shop.order();
  await credit(shop, shop.totalPence);
  assert.deepEqual([large.body.payment_status, small.body.payment_status], ['failed', 'failed']);
  assert.equal(await settle(shop), 1);
  const statusOf = async (id: string): Promise<string> =>
    (await shop.customer.request<typeof small.body>('GET', `/orders/${id}`)).body.payment_status;
  assert.deepEqual([await statusOf(large.body.id), await statusOf(small.body.id)], ['failed', 'paid']);
  await credit(shop, Math.round(large.body.charged.total * 100));
  assert.equal(await settle(shop), 1);
  assert.equal(await statusOf(large.body.id), 'paid');
});

test('the history of an order says who settled it: the command line where a command did', async () => {
  const shop = await openShop(service, 0);
  const actors = async (id: string): Promise<readonly unknown[]> =>
    rows(service, "select actor from order_history where order_id = $1 and action = 'settle'", [
      parseId('ord', id) ?? '',
    ]);
  const first = (await shop.order()).body;
  await credit(shop, shop.totalPence);
  assert.equal(await settleWaitingOrders(service.ctx, shop.customer.accountId, COMMAND_LINE), 1);
  const second = (await shop.order()).body;
  await credit(shop, shop.totalPence);
  assert.equal(await settle(shop), 1);
  assert.deepEqual(
    [await actors(first.id), await actors(second.id)],
    [[{ actor: 'command line' }], [{ actor: 'system' }]],
  );
});

test('AUTO_SETTLE_HOURS: what was placed before is left for ops, to the millisecond', async () => {
  const shop = await openShop(service, 0);
  await shop.order();
  await credit(shop, shop.totalPence);
  service.shiftMs(3_600_000);
  assert.equal(await settle(shop), 0);
  service.shiftMs(-10_000);
  assert.equal(await settle(shop), 1);
});

test('a settled order shows the time, its payment and one more event, and its history says who', async () => {
  const shop = await openShop(service, 0);
  const placed = await shop.order();
  service.shiftMs(5_000);
  await credit(shop, shop.totalPence);
  await settle(shop);
  const order = (
    await shop.customer.request<typeof placed.body & { version: number }>('GET', `/orders/${placed.body.id}`)
  ).body;
  assert.deepEqual([order.payment_status, order.status, order.version], ['paid', 'pending', 2]);
  assert.ok(order.updated_at > order.created_at);
  assert.equal(order.cancellable_until, placed.body.cancellable_until, 'the window is counted from placing');
});
