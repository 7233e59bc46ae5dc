import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../../src/billing/credit-account.ts';
import { setStock } from '../../../../src/catalogue/set-stock.ts';
import { fromPounds, pence } from '../../../../src/lib/money.ts';
import type { CreatedOrder, Estimate, Order, PlaceOrderBody } from '../../../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../../../src/payments/settle-waiting.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME, servePicture } from '../../../harness/shop.ts';
import { balancePence, rows } from '../../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

async function place(body: PlaceOrderBody, by: Customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  const amounts = JSON.stringify(answer.body.charged).match(/(?<=":)[-\d][^,}\]]*/g) ?? [];
  assert.deepEqual(
    amounts.filter((amount) => !/^\d+(\.\d{1,2})?$/.test(amount)),
    [],
    'every amount prints with two decimals at most',
  );
  return answer.body;
}

async function estimatePence(body: PlaceOrderBody, by: Customer): Promise<number> {
  const answer = await by.request<Estimate>('POST', '/orders/estimate', body);
  assert.equal(answer.status, 200, answer.text);
  return inPence(answer.body.total);
}

async function estimateOf(body: PlaceOrderBody, by: Customer): Promise<Estimate> {
  return (await by.request<Estimate>('POST', '/orders/estimate', body)).body;
}

/** Exact, from the text of the number as it was printed. */
function inPence(pounds: number): number {
  const amount = fromPounds(pounds);
  assert.ok(amount !== undefined, `${pounds} is not an amount of pence`);
  return amount;
}

/** A tote with a print on the front, from an address. */
function printedTote(productId: string, artworkUrl: string, method = 'screen_print'): PlaceOrderBody['items'][number] {
  const areas = [{ print_area: 'front', method, artwork_url: artworkUrl }];
  return { product_id: productId, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, decoration: { areas } };
}

async function openWithTote(balance: number): Promise<{ customer: Customer; body: PlaceOrderBody }> {
  const customer = await service.openCustomer({ balancePence: balance });
  const tote = await addProduct(service, customer, 'TOTE-COTTON');
  const items = [{ product_id: tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  return { customer, body: basket(service, { items }) };
}

test('a balance that is exactly the total pays the order and is then zero (D60)', async () => {
  const { customer, body } = await openWithTote(0);
  const total = await estimatePence(body, customer);
  await creditAccount(service.ctx, { accountId: customer.accountId, amountPence: pence(total), reference: 'exact' });
  const order = await place(body, customer);
  assert.deepEqual([order.payment_status, inPence(order.charged.total)], ['paid', total]);
  assert.equal(await balancePence(service, customer), 0);
});

test('a balance a penny short charges nothing: the order stands as pending and failed, and says so in a warning (6.1 order.payment_failed, 6.3 order.payment_failed, D60)', async () => {
  const { customer, body } = await openWithTote(0);
  const total = await estimatePence(body, customer);
  await creditAccount(service.ctx, {
    accountId: customer.accountId,
    amountPence: pence(total - 1),
    reference: 'short',
  });
  const order = await place({ ...body, external_reference: 'short-1' }, customer);
  assert.deepEqual([order.status, order.payment_status, inPence(order.charged.total)], ['pending', 'failed', total]);
  assert.ok(order.warnings.some(({ code }) => code === 'payment_failed'));
  assert.equal(await balancePence(service, customer), total - 1);

  const read = await customer.request<Order>('GET', `/orders/${order.id}`);
  assert.deepEqual([read.body.status, read.body.payment_status], ['pending', 'failed']);
  const charges = await rows(service, "select id from posting where account_id = $1 and kind <> 'top_up'", [
    customer.accountId,
  ]);
  assert.deepEqual(charges, []);
  const events = await rows(service, 'select event, data from event where account_id = $1', [customer.accountId]);
  const data = {
    order_id: order.id,
    reference: order.reference,
    amount_gbp: order.charged.total,
    paid_gbp: 0,
    remaining_gbp: order.charged.total,
    failed_method: 'balance',
    reason: 'The account balance does not cover the order, and the account has no other payment method.',
  };
  assert.deepEqual(events, [{ event: 'order.payment_failed', data }], 'and no order.created');

  const repeat = await customer.request<CreatedOrder>('POST', '/orders', { ...body, external_reference: 'short-1' });
  assert.deepEqual([repeat.status, repeat.body.payment_status, repeat.body.warnings], [200, 'failed', order.warnings]);
});

test('two hundred lines of 10,000 of the dearest garment are charged exact to the penny (D53)', async () => {
  const customer = await service.openCustomer({ balancePence: 20_000_000_000 });
  const hoodie = await addProduct(service, customer, 'HOODIE-PULL');
  const sku = 'HOODIE-PULL-BLK-M';
  await setStock(service.ctx, { sku, onHand: 2_000_000, reason: 'a large delivery', actor: 'test' });
  const url = await servePicture(service, '/large-order.png', { widthPx: 600, heightPx: 800, colour: '#224466' });
  const areas = ['front', 'back', 'left_chest'].map((area) => ({ print_area: area, method: 'dtg', artwork_url: url }));
  const line = { product_id: hoodie, variant_sku: sku, quantity: 10_000, decoration: { areas } };
  const body = { items: Array.from({ length: 200 }, () => line), shipping_address: HOME, type: 'sample' as const };
  const total = await estimatePence(body, customer);
  const { charged, payment_status: paymentStatus } = await place(body, customer);
  assert.equal(paymentStatus, 'paid');
  assert.equal(inPence(charged.total), total);
  const unit = inPence(charged.lines[0]?.unit_price ?? Number.NaN);
  assert.ok(charged.lines.every((priced) => inPence(priced.line_price) === unit * 10_000));
  assert.equal(inPence(charged.subtotal), unit * 2_000_000);
  assert.ok(unit * 2_000_000 > 2 ** 31, 'more pence than 32 bits hold');
  const parts = [charged.subtotal, charged.setup_total, charged.shipping_cost, charged.vat_amount, charged.duty_amount];
  assert.equal(
    total,
    parts.map(inPence).reduce((sum, part) => sum + part, 0),
  );
  assert.equal(await balancePence(service, customer), 20_000_000_000 - total);
});

test('a setup fee is charged once for an account, design and method, however many lines and later orders use it (4.4.4)', async () => {
  const customer = await service.openCustomer({ balancePence: 100_000 });
  const tote = await addProduct(service, customer, 'TOTE-COTTON');
  const url = await servePicture(service, '/setup.png', { widthPx: 900, heightPx: 900, colour: '#aa3311' });
  const again = await servePicture(service, '/setup-again.png', { widthPx: 900, heightPx: 900, colour: '#aa3311' });
  const other = await servePicture(service, '/setup-other.png', { widthPx: 900, heightPx: 900, colour: '#aa3312' });
  const order = (...urls: string[]): PlaceOrderBody =>
    basket(service, { items: urls.map((artwork) => printedTote(tote, artwork)) });
  const setupOf = async (body: PlaceOrderBody): Promise<number> => {
    const estimated = await estimatePence(body, customer);
    const { charged } = await place(body, customer);
    assert.equal(inPence(charged.total), estimated);
    return charged.setup_total;
  };
  assert.equal(await setupOf(order(url, again)), 25, 'one fee: the same bytes at two addresses are one design');
  assert.equal(await setupOf(order(url)), 0, 'the second order has no fee');
  assert.equal(await setupOf(order(again, other)), 25, 'another design has its own');
  assert.equal(await setupOf(basket(service, { items: [printedTote(tote, url, 'dtg')] })), 0, 'this method has none');

  const stranger = await service.openCustomer({ balancePence: 100_000 });
  const theirs = await addProduct(service, stranger, 'TOTE-COTTON');
  const { charged } = await place(basket(service, { items: [printedTote(theirs, url)] }), stranger);
  assert.equal(charged.setup_total, 25, 'another account pays for the same bytes itself');
});

test('4.4.4 an order that cannot be paid gives no right: each of them is charged the setup, and the first that is paid buys it', async () => {
  const customer = await service.openCustomer();
  const { accountId } = customer;
  const tote = await addProduct(service, customer, 'TOTE-COTTON');
  const url = await servePicture(service, '/unpaid.png', { widthPx: 900, heightPx: 900, colour: '#0a0b0c' });
  const body = basket(service, { items: [printedTote(tote, url)] });
  const topUp = async (amountPence: number): Promise<number> => {
    await creditAccount(service.ctx, { accountId, amountPence: pence(amountPence), reference: '' });
    return settleWaitingOrders(service.ctx, accountId);
  };
  const waiting = [await place(body, customer), await place(body, customer)];
  for (const order of waiting) {
    assert.deepEqual([order.payment_status, order.charged.setup_total], ['failed', 25]);
    assert.deepEqual(order.charged.setups, [
      { method: 'screen_print', lines: [0], areas: ['front'], amount: 25, already_paid: false },
    ]);
  }
  assert.deepEqual(await rows(service, 'select 1 from setup_right where account_id = $1', [accountId]), []);
  assert.equal(await estimatePence(body, customer), inPence(waiting[0]?.charged.total ?? Number.NaN));

  const totalPence = inPence(waiting[0]?.charged.total ?? Number.NaN);
  assert.equal(await topUp(totalPence - 1), 0);
  assert.equal(await topUp(1), 1, 'the oldest is paid, and the other waits for less');
  const lessPence = totalPence - 2_500 - 500;
  assert.equal(await topUp(lessPence - 1), 0);
  assert.equal(await topUp(1), 1, 'the setup and the VAT on it are off its price');
  assert.equal(await balancePence(service, customer), 0);
  const shown = await Promise.all(
    waiting.map(({ id }) => customer.request<{ total: number; payment_status: string }>('GET', `/orders/${id}`)),
  );
  assert.deepEqual(
    shown.map(({ body: order }) => [order.payment_status, inPence(order.total)]),
    [
      ['paid', totalPence],
      ['paid', lessPence],
    ],
  );
  assert.deepEqual((await estimateOf(body, customer)).setups, [
    { method: 'screen_print', lines: [0], areas: ['front'], amount: 0, already_paid: true },
  ]);
  assert.deepEqual(await feesOf(customer), [{ pence: 2_500 }]);
});

test('an order that waits settles for less when a later one has paid the setup, and its repeat and its invoice say so', async () => {
  const customer = await service.openCustomer();
  const { accountId } = customer;
  const tote = await addProduct(service, customer, 'TOTE-COTTON');
  const url = await servePicture(service, '/waiting.png', { widthPx: 900, heightPx: 900, colour: '#0a0b0d' });
  const body = basket(service, { items: [printedTote(tote, url)] });
  const first = { ...body, external_reference: 'waits-for-less' };
  const waiting = await place(first, customer);
  assert.deepEqual([waiting.payment_status, waiting.charged.setup_total], ['failed', 25]);
  const topUp = (amountPence: number): Promise<unknown> =>
    creditAccount(service.ctx, { accountId, amountPence: pence(amountPence), reference: '' });
  const estimated = await estimatePence(body, customer);
  await topUp(estimated);
  const paid = await place(body, customer);
  assert.deepEqual([paid.payment_status, paid.charged.setup_total], ['paid', 25]);
  assert.equal(inPence(paid.charged.total), estimated);
  await topUp(estimated - 3_000);
  assert.equal(await settleWaitingOrders(service.ctx, accountId), 1);
  assert.equal(await balancePence(service, customer), 0);
  assert.deepEqual(await feesOf(customer), [{ pence: 2_500 }]);
  const repeat = await customer.request<CreatedOrder>('POST', '/orders', first);
  assert.equal(repeat.status, 200);
  const { setup_total, setups, total, vat_amount } = repeat.body.charged;
  assert.deepEqual(
    { setup_total, total: inPence(total), vat: inPence(vat_amount), setups },
    {
      setup_total: 0,
      total: estimated - 3_000,
      vat: inPence(waiting.charged.vat_amount) - 500,
      setups: [{ method: 'screen_print', lines: [0], areas: ['front'], amount: 0, already_paid: true }],
    },
  );
  const [history] = await rows<{ reason: string }>(
    service,
    "select reason from order_history where account_id = $1 and action = 'share_setup'",
    [accountId],
  );
  assert.equal(history?.reason, '£30.00 less: another order has paid its setup');
  const [created] = await rows<{ total: number }>(
    service,
    "select (data->>'total')::float as total from event where account_id = $1 and event = 'order.created' order by id desc limit 1",
    [accountId],
  );
  assert.equal(inPence(created?.total ?? Number.NaN), estimated - 3_000);
});

const feesOf = (customer: Customer) =>
  rows(
    service,
    "select sum(amount_pence)::bigint as pence from posting where account_id = $1 and credit_account = 'setup_fees'",
    [customer.accountId],
  );

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
