import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { pence } from '../../src/lib/money.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import { openRace, second, service, topUp } from '../harness/race.ts';
import { body, decorated, type OrderAnswer, openShop, type Shop, servePicture } from '../harness/shop.ts';
import { balancePence, holdBalance, rows } from '../harness/written.ts';

// One setup between orders that are placed, settled and cancelled at once. Each test holds the lock that decides who is
// first; the balance is the last that all of them take.

openRace();

const FEE = 1_800;
const FEE_AND_VAT = 2_160;

let pictures = 0;

type Design = { shop: Shop; costPence: number; place: () => Promise<OrderAnswer> };

/** A shop without money, and a new design to embroider. */
async function openDesign(): Promise<Design> {
  pictures += 1;
  const colour = `#2${String(pictures).padStart(5, '0')}`;
  const url = await servePicture(service, `/raced-${pictures}.png`, { colour });
  const shop = await openShop(service, 0);
  const items = [decorated(shop, url, 'embroidery', 'left_sleeve')];
  const place = () => shop.order({ items });
  const estimate = await shop.customer.request<{ total: number }>('POST', '/orders/estimate', {
    ...body(shop),
    items,
  });
  return { shop, place, costPence: inPence(estimate.body.total) };
}

const inPence = (pounds: number): number => Math.round(pounds * 100);

async function stateOf({ customer }: Shop) {
  const [state] = await rows<{ orders: string[]; fees: number; rights: string[] }>(
    service,
    `select array(select state || ' ' || total_pence from orders where account_id = $1 order by id) as orders,
       (select coalesce(sum(amount_pence), 0)::bigint from posting where account_id = $1 and credit_account = 'setup_fees') as fees,
       array(select o.reference from setup_right r join orders o on o.id = r.paid_by_order where r.account_id = $1) as rights`,
    [customer.accountId],
  );
  return state ?? assert.fail();
}

test('two orders of one design at once that cannot be paid: both are charged its setup, and neither has the right', async () => {
  const { shop, place, costPence } = await openDesign();
  await holdBalance(second, shop);
  const both = [place(), place()];
  await second.untilWaiting(2);
  await second.query('rollback');
  const answers = await Promise.all(both);
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.payment_status, inPence(body.charged.total)]),
    [
      [201, 'failed', costPence],
      [201, 'failed', costPence],
    ],
  );
  assert.deepEqual((await stateOf(shop)).rights, []);
  assert.equal(await topUp(shop, costPence), 1);
  const { orders, fees } = await stateOf(shop);
  assert.deepEqual([orders, fees], [[`placed ${costPence}`, `awaiting_payment ${costPence - FEE_AND_VAT}`], FEE]);
});

test('a placing and a settling meet at the right: whoever holds it first pays it, and the other settles for less', async () => {
  const { shop, place, costPence } = await openDesign();
  await place();
  // Enough for both, with the setup once.
  await topUpUnsettled(shop, 2 * costPence - FEE_AND_VAT);
  await holdBalance(second, shop);
  const placing = place();
  await second.untilWaiting(1);
  const settling = settleWaitingOrders(service.ctx, shop.customer.accountId);
  await second.untilWaiting(2);
  await second.query('rollback');
  const placed = await placing;
  assert.deepEqual([placed.body.payment_status, inPence(placed.body.charged.total)], ['paid', costPence]);
  assert.equal(await settling, 1);
  const { fees, rights, orders } = await stateOf(shop);
  assert.deepEqual([fees, rights], [FEE, [placed.body.reference]]);
  assert.deepEqual(orders, [`placed ${costPence - FEE_AND_VAT}`, `placed ${costPence}`]);
  assert.equal(await balancePence(service, shop.customer), 0);
});

test('a settling and a placing meet at the right, the settling first', async () => {
  const { shop, place, costPence } = await openDesign();
  const waiting = await place();
  await topUpUnsettled(shop, 2 * costPence - FEE_AND_VAT);
  await holdBalance(second, shop);
  const settling = settleWaitingOrders(service.ctx, shop.customer.accountId);
  await second.untilWaiting(1);
  const placing = place();
  await second.untilWaiting(2);
  await second.query('rollback');
  assert.equal(await settling, 1);
  const placed = await placing;
  assert.deepEqual([placed.body.payment_status, inPence(placed.body.charged.total)], ['paid', costPence - FEE_AND_VAT]);
  const { fees, rights } = await stateOf(shop);
  assert.deepEqual([fees, rights], [FEE, [waiting.body.reference]]);
  assert.equal(await balancePence(service, shop.customer), 0);
});

test('the order that bought the right is cancelled while another settles: the right lapses first, and the other buys it', async () => {
  const { shop, place, costPence } = await openDesign();
  const waiting = await place();
  await topUpUnsettled(shop, costPence);
  const buyer = await place();
  assert.equal(buyer.body.payment_status, 'paid');
  await topUpUnsettled(shop, costPence);
  await holdBalance(second, shop);
  const cancelling = shop.customer.request('POST', `/orders/${buyer.body.id}/cancel`);
  await second.untilWaiting(1);
  const settling = settleWaitingOrders(service.ctx, shop.customer.accountId);
  await second.untilWaiting(2);
  await second.query('rollback');
  assert.equal((await cancelling).status, 200);
  assert.equal(await settling, 1);
  const { fees, rights, orders } = await stateOf(shop);
  assert.deepEqual([orders, fees], [[`placed ${costPence}`, `cancelled ${costPence}`], 2 * FEE]);
  assert.deepEqual(rights, [waiting.body.reference]);
  assert.equal(await balancePence(service, shop.customer), costPence, 'the fee of the cancelled one went back');
});

test('the order that bought the right is cancelled while another settles: the settling first, it passes to the other', async () => {
  const { shop, place, costPence } = await openDesign();
  const waiting = await place();
  await topUpUnsettled(shop, costPence);
  const buyer = await place();
  await topUpUnsettled(shop, costPence);
  await holdBalance(second, shop);
  const settling = settleWaitingOrders(service.ctx, shop.customer.accountId);
  await second.untilWaiting(1);
  const cancelling = shop.customer.request('POST', `/orders/${buyer.body.id}/cancel`);
  await second.untilWaiting(2);
  await second.query('rollback');
  assert.equal(await settling, 1);
  assert.equal((await cancelling).status, 200);
  const { orders, rights } = await stateOf(shop);
  assert.deepEqual(orders, [`placed ${costPence - FEE_AND_VAT}`, `cancelled ${costPence}`]);
  assert.deepEqual(rights, [waiting.body.reference]);
});

test('orders of one design are placed, settled and cancelled all at once: its setup is never held by an unpaid order', async () => {
  const { shop, place, costPence } = await openDesign();
  const placed = await Promise.all(Array.from({ length: 6 }, place));
  assert.ok(placed.every(({ status }) => [201, 503].includes(status)));
  await Promise.all([
    ...placed
      .filter(({ status }) => status === 201)
      .flatMap(({ body }, index) =>
        index % 3 === 0 ? [shop.customer.request('POST', `/orders/${body.id}/cancel`)] : [],
      ),
    ...Array.from({ length: 5 }, () => topUp(shop, costPence)),
    place(),
    place(),
  ]);
  await topUp(shop, 10 * costPence);
  const { orders, rights } = await stateOf(shop);
  assert.ok(orders.every((order) => !order.startsWith('awaiting')));
  assert.equal(rights.length, 1);
  const [charged] = await rows<{ fees: number; live: number }>(
    service,
    `select count(*) filter (where setup_pence > 0) as fees, count(*) as live from orders
     where account_id = $1 and state <> 'cancelled'`,
    [shop.customer.accountId],
  );
  assert.ok(charged && charged.live > 1 && charged.fees <= 1, 'of the orders that stand at most one pays it');
});

/** Adds money and settles nothing. */
async function topUpUnsettled({ customer }: Shop, amountPence: number): Promise<void> {
  await creditAccount(service.ctx, { accountId: customer.accountId, amountPence: pence(amountPence), reference: '' });
}
