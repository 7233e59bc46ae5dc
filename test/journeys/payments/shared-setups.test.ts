import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Estimate, Order } from '../../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import { body, decorated, type OrderAnswer, type Shop, servePicture } from '../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import { closeCards, openCardShop, openCards, provider, service, sweep } from './cards.ts';

// A setup is paid by the first order that is paid. What another order of the same design waits for, or was charged in
// the meantime, is less by the fee (18.00) and the VAT on it (3.60).

before(openCards);
after(closeCards);
beforeEach(() => provider.decide('accept'));
afterEach(() => assertSound(service));

const FEE = 1_800;
const FEE_AND_VAT = 2_160;

let pictures = 0;

type Embroidery = Shop & { place: () => Promise<OrderAnswer>; estimate: () => Promise<Estimate>; costPence: number };

/** A shop with a card, a balance, and a new design to embroider. */
async function openEmbroidery(balanceOf: (costPence: number) => number): Promise<Embroidery> {
  pictures += 1;
  const url = await servePicture(service, `/shared-setup-${pictures}.png`, {
    colour: `#1${String(pictures).padStart(5, '0')}`,
  });
  const costOf = async (shop: Shop): Promise<number> => inPence((await estimateOf(shop, url)).total);
  const costPence = await costOf(await openCardShop(0));
  const shop = await openCardShop(balanceOf(costPence));
  const items = [decorated(shop, url, 'embroidery', 'left_sleeve')];
  return { ...shop, costPence, place: () => shop.order({ items }), estimate: () => estimateOf(shop, url) };
}

async function estimateOf(shop: Shop, url: string): Promise<Estimate> {
  const items = [decorated(shop, url, 'embroidery', 'left_sleeve')];
  return (await shop.customer.request<Estimate>('POST', '/orders/estimate', { ...body(shop), items })).body;
}

const inPence = (pounds: number): number => Math.round(pounds * 100);

const read = async (shop: Shop, order: { id: string }): Promise<Order> =>
  (await shop.customer.request<Order>('GET', `/orders/${order.id}`)).body;

const chargedOf = ({ body: { charged, payment_status } }: OrderAnswer) => [
  payment_status,
  inPence(charged.setup_total),
  inPence(charged.total),
];

async function feesOf({ customer }: Shop): Promise<number> {
  const [row] = await rows<{ pence: number }>(
    service,
    "select coalesce(sum(amount_pence), 0)::bigint as pence from posting where account_id = $1 and credit_account = 'setup_fees'",
    [customer.accountId],
  );
  return row?.pence ?? Number.NaN;
}

/** A first order whose charge is under way, and a second that is paid meanwhile. */
async function chargedAtOnce(shop: Embroidery): Promise<{ first: CreatedOrder; second: CreatedOrder }> {
  provider.fail('confirm', '500 after');
  const first = await shop.place();
  assert.deepEqual(chargedOf(first), ['processing', FEE, shop.costPence]);
  assert.equal((await shop.estimate()).setup_total, 18, 'nobody has paid it yet');
  const second = await shop.place();
  assert.deepEqual(chargedOf(second), ['paid', FEE, shop.costPence]);
  return { first: first.body, second: second.body };
}

test('two cards charged at once for one setup: it is paid once, and what the later charge has too much is owed', async () => {
  const shop = await openEmbroidery(() => 0);
  const { first } = await chargedAtOnce(shop);
  assert.equal(await sweep(), 1);
  const order = await read(shop, first);
  assert.deepEqual([order.payment_status, inPence(order.total)], ['paid', shop.costPence - FEE_AND_VAT]);
  assert.deepEqual(
    order.refunds.map(({ method, amount, status }) => [method, inPence(amount), status]),
    [['card', FEE_AND_VAT, 'pending']],
  );
  assert.equal(await feesOf(shop), FEE);
  const tasks = await rows<{ kind: string; note: string }>(
    service,
    'select kind, note from ops_task where account_id = $1',
    [shop.customer.accountId],
  );
  assert.deepEqual(tasks, [
    {
      kind: 'unwanted_payment',
      note: '£21.60 by card is more than the order costs, since another order paid its setup: pay it back.',
    },
  ]);
});

test('what the balance paid of it goes back to the balance at once, and only the rest is owed', async () => {
  const shop = await openEmbroidery(() => 400);
  const { first } = await chargedAtOnce(shop);
  assert.equal(await balancePence(service, shop.customer), 0);
  assert.equal(await sweep(), 1);
  assert.equal(await balancePence(service, shop.customer), 400);
  const order = await read(shop, first);
  assert.deepEqual(
    order.refunds.map(({ method, amount }) => [method, inPence(amount)]),
    [['card', FEE_AND_VAT - 400]],
  );
  const statement = await shop.customer.request<{ data: { type: string; amount: number }[] }>(
    'GET',
    '/account/transactions',
  );
  assert.deepEqual(
    statement.body.data.map(({ type, amount }) => [type, amount]),
    [
      ['refund', 4],
      ['charge', -4],
      ['top_up', 4],
    ],
  );
  assert.equal(await feesOf(shop), FEE);
});

test('an order that the balance had paid but for a little is paid by what comes off, and has the rest back', async () => {
  const shop = await openEmbroidery((cost) => cost - 50);
  provider.decide('decline');
  const first = await shop.place();
  assert.deepEqual(chargedOf(first), ['failed', FEE, shop.costPence]);
  provider.decide('accept');
  const second = await shop.place();
  assert.deepEqual(chargedOf(second), ['paid', FEE, shop.costPence], 'what waits gives no right');
  assert.equal(await settleWaitingOrders(service.ctx, shop.customer.accountId), 1);
  const order = await read(shop, first.body);
  assert.deepEqual([order.payment_status, inPence(order.total)], ['paid', shop.costPence - FEE_AND_VAT]);
  assert.equal(await balancePence(service, shop.customer), FEE_AND_VAT - 50);
  assert.equal(await feesOf(shop), FEE);
});

test('an operator settles and retries for less, too', async () => {
  const shop = await openEmbroidery(() => 0);
  provider.decide('decline');
  const waiting = [await shop.place(), await shop.place()];
  provider.decide('accept');
  assert.deepEqual(chargedOf(await shop.place()), ['paid', FEE, shop.costPence]);
  const finance = await service.openOperator('finance');
  const [settled, retried] = await Promise.all(
    ['settle', 'retry-payment'].map((act, index) =>
      finance.request<OpsOrder>('POST', `/orders/${waiting[index]?.body.id}/${act}`, undefined, {
        'idempotency-key': `${act}-for-less-${pictures}`,
      }),
    ),
  );
  for (const answer of [settled, retried]) {
    assert.equal(answer?.status, 200, answer?.text);
    assert.deepEqual(
      [answer?.body.payment_status, inPence(answer?.body.paid_gbp ?? Number.NaN)],
      ['paid', shop.costPence - FEE_AND_VAT],
    );
  }
  assert.equal(await feesOf(shop), FEE);
});

test('the order that bought it is cancelled: one that waits keeps its lower price but gives no right until it is paid', async () => {
  const shop = await openEmbroidery(() => 0);
  provider.decide('decline');
  const [waiting, untouched] = [await shop.place(), await shop.place()];
  provider.decide('accept');
  const buyer = await shop.place();
  const later = await shop.place();
  assert.deepEqual(chargedOf(later), ['paid', 0, shop.costPence - FEE_AND_VAT]);
  // A settling that covers nothing still takes off what has been paid by others.
  assert.equal(await settleWaitingOrders(service.ctx, shop.customer.accountId), 0);
  for (const order of [waiting, untouched]) {
    assert.equal(inPence((await read(shop, order.body)).total), shop.costPence - FEE_AND_VAT);
  }
  const cancel = async (order: OrderAnswer) =>
    assert.equal((await shop.customer.request('POST', `/orders/${order.body.id}/cancel`)).status, 200);
  await cancel(buyer);
  assert.equal((await shop.estimate()).setup_total, 0, 'it has passed to the later order, which is paid');
  await cancel(later);
  assert.equal((await shop.estimate()).setup_total, 18, 'what waits holds no right');
  const finance = await service.openOperator('finance');
  const settled = await finance.request<OpsOrder>('POST', `/orders/${waiting.body.id}/settle`, undefined, {
    'idempotency-key': `settle-${waiting.body.id}`,
  });
  assert.equal(inPence(settled.body.paid_gbp), shop.costPence - FEE_AND_VAT, 'never for more');
  const { setup_total: due, setups } = await shop.estimate();
  assert.deepEqual([due, setups.map(({ already_paid }) => already_paid)], [0, [true]], 'once paid, it holds the right');
});

test('a right that an order of an earlier version holds without having been paid counts for nobody, and stands in no way', async () => {
  const shop = await openEmbroidery(() => 0);
  provider.decide('decline');
  const [old, other] = [await shop.place(), await shop.place()];
  const { accountId } = shop.customer;
  // As an earlier version left it.
  await rows(
    service,
    `insert into setup_right (account_id, design_hash, method, paid_by_order, amount_pence, created_at)
     select account_id, decode(setups->0->>'design_hash', 'hex'), 'embroidery', id, 1800, placed_at from orders
     where reference = $1 and account_id = $2`,
    [old?.body.reference ?? '', accountId],
  );
  await rows(
    service,
    `insert into setup_reliance (account_id, design_hash, method, order_id)
     select account_id, design_hash, method, paid_by_order from setup_right where account_id = $1`,
    [accountId],
  );
  await assertSound(service);
  assert.equal((await shop.estimate()).setup_total, 18);
  provider.decide('accept');
  assert.deepEqual(chargedOf(await shop.place()), ['paid', FEE, shop.costPence]);
  const finance = await service.openOperator('finance');
  for (const { body: order } of [old, other].filter((placed) => placed !== undefined)) {
    const settled = await finance.request<OpsOrder>('POST', `/orders/${order.id}/settle`, undefined, {
      'idempotency-key': `settle-${order.id}`,
    });
    assert.equal(inPence(settled.body.paid_gbp), shop.costPence - FEE_AND_VAT);
  }
  assert.equal(await feesOf(shop), FEE);
});
