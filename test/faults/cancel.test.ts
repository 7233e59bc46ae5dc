import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { pence } from '../../src/lib/money.ts';
import type { Order } from '../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { eventually } from '../harness/context.ts';
import { openRace, second, service, topUp } from '../harness/race.ts';
import { decorated, type OrderAnswer, openShop, type Shop, servePicture } from '../harness/shop.ts';
import { booksOf, holdBalance, rows } from '../harness/written.ts';

// Cancelling beside everything else that takes an order's, a setup's or a balance's lock.

openRace();

const cancel = (shop: Shop, id: string) => shop.customer.request<Cancellation>('POST', `/orders/${id}/cancel`);

test('a cancel that comes while a top-up settles the order: settled first, then cancelled, and all of it given back', async () => {
  const shop = await openShop(service, 0);
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'failed');
  await creditAccount(service.ctx, {
    accountId: shop.customer.accountId,
    amountPence: pence(shop.totalPence),
    reference: 'in time',
  });
  await holdBalance(second, shop);
  const settling = settleWaitingOrders(service.ctx, shop.customer.accountId);
  await second.untilWaiting(1);
  const cancelling = cancel(shop, order.body.id);
  await second.untilWaiting(2);
  await second.query('rollback');
  assert.equal(await settling, 1);
  assert.equal((await cancelling).body.refunded_gbp, order.body.charged.total);
  assert.equal((await booksOf(service, shop.customer)).balance_pence, shop.totalPence);
});

test('a top-up that comes while an order is cancelled does not charge it', async () => {
  const shop = await openShop(service, 0);
  const order = await shop.order();
  // Whoever cancels holds the order until the end; the account's balance is the last that it would take, so the order
  // is held here in its place, just as a cancel does it.
  await second.query('begin');
  await second.query('select 1 from orders where reference = $1 for update', [order.body.reference]);
  const toppingUp = topUp(shop, shop.totalPence, 'too late');
  await second.untilWaiting(1);
  await second.query('rollback');
  const cancelling = cancel(shop, order.body.id);
  await toppingUp;
  const { body } = await cancelling;
  const { balance_pence: balance } = await booksOf(service, shop.customer);
  assert.equal(balance, shop.totalPence, `${body.refunded_gbp} refunded`);
  const read = await shop.customer.request<Order>('GET', `/orders/${order.body.id}`);
  assert.equal(read.body.status, 'cancelled');
});

/** A setup that comes and goes faster than an order can be quoted anew is a 503, after which a customer tries again. */
async function placeAtLast(shop: Shop, changes: object): Promise<OrderAnswer> {
  return eventually('the order is placed', async () => {
    const answer = await shop.order(changes);
    assert.ok([201, 503].includes(answer.status), answer.text);
    return answer.status === 201 && answer;
  });
}

/** A busy service may answer 503; the same call again is safe. */
async function cancelAtLast(shop: Shop, id: string) {
  return eventually('the order is cancelled', async () => {
    const answer = await cancel(shop, id);
    assert.ok([200, 503].includes(answer.status), answer.text);
    return answer.status === 200 && answer;
  });
}

test('placing, topping up and cancelling on one account at once, with one setup between them all: no deadlock, no penny lost', async () => {
  const shop = await openShop(service, 4, 50);
  const url = await servePicture(service, '/shared-design.png', { widthPx: 500, heightPx: 500, colour: '#336699' });
  const item = decorated(shop, url, 'embroidery', 'left_sleeve');
  const inPence = (pounds: number): number => Math.round(pounds * 100);
  await topUp(shop, 30_000, 'start');
  const start = (await booksOf(service, shop.customer)).balance_pence;
  let toppedUp = 0;
  const statuses = new Map<number, number>();
  await Promise.all(
    Array.from({ length: 40 }, async (_, lane) => {
      const placed = await placeAtLast(shop, lane % 2 === 0 ? { items: [item] } : {});
      if (lane % 5 === 0) {
        toppedUp += 777;
        await topUp(shop, 777, `lane ${lane}`);
      }
      if (lane % 4 === 2) return;
      const answers = await Promise.all([cancelAtLast(shop, placed.body.id), cancelAtLast(shop, placed.body.id)]);
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
  );
  assert.deepEqual([...statuses], [[200, 60]]);
  const [kept] = await rows<{ pence: number }>(
    service,
    `select coalesce(sum(total_pence), 0)::bigint as pence from orders
     where account_id = $1 and state not in ('cancelled', 'awaiting_payment')`,
    [shop.customer.accountId],
  );
  const { balance_pence: left } = await booksOf(service, shop.customer);
  assert.equal(left, start + toppedUp - (kept?.pence ?? 0));
  assert.equal(inPence(left / 100), left);
  const rights = await rows<object>(service, 'select method from setup_right where account_id = $1', [
    shop.customer.accountId,
  ]);
  assert.equal(rights.length, 1, 'live orders rely on the setup, and it is paid once');
});
