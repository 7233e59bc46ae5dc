import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../../src/billing/credit-account.ts';
import { pence } from '../../../../src/lib/money.ts';
import type { CreatedOrder, Estimate, Order } from '../../../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../../../src/payments/settle-waiting.ts';
import { linesOf, parcelOf, placeOrder, ship } from '../../../harness/floor.ts';
import { addProduct, TEE_WHITE_M } from '../../../harness/shop.ts';
import { blank, closeStations, floor, openStations, promoted, service } from '../../production/stations.ts';

// When an order is due to arrive: one rule for the estimate, the list and the order.

const DAY_MS = 86_400_000;

before(openStations);
after(closeStations);

const see = async ({ id }: { id: string }): Promise<Order> =>
  (await service.customer.request<Order>('GET', `/orders/${id}`)).body;

/** The day in London that is so many days after an instant. */
function dayAfter(instant: string, days: number): string {
  const noon = new Date(
    `${new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' }).format(new Date(instant))}T12:00:00Z`,
  );
  return new Date(noon.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}

test('the estimate, the answer to placing and the order name the same days: those of the service from the placing', async () => {
  const request = {
    items: [blank()],
    shipping_address: {
      contact_name: 'Ada Byron',
      line1: '12 Mill Lane',
      city: 'Leeds',
      postcode: 'LS1 4DY',
      country_code: 'GB',
    },
  };
  const { body: estimate } = await service.customer.request<Estimate>('POST', '/orders/estimate', request);
  const { eta_days: days, expected_delivery: shown } = estimate.shipping_option;
  const { body: order } = await service.customer.request<CreatedOrder>('POST', '/orders', request);
  const expected = { earliest: dayAfter(order.created_at, days.min), latest: dayAfter(order.created_at, days.max) };
  assert.ok(days.max > days.min && days.min > 0);
  assert.deepEqual(shown, expected);
  assert.deepEqual(order.charged.shipping_option.expected_delivery, expected);
  assert.deepEqual((await see(order)).expected_delivery, expected);
  for (const option of estimate.shipping_options) {
    assert.equal(option.expected_delivery?.latest, dayAfter(order.created_at, option.eta_days.max), option.service);
  }
});

test('from the dispatch on the days run from the latest parcel; a first parcel leaves the rest where it was', async () => {
  const order = await promoted([blank(2)]);
  const before = (await see(order)).expected_delivery;
  service.shiftMs(3 * DAY_MS);
  assert.deepEqual((await see(order)).expected_delivery, before, 'what is late is not put off');
  for (const line of linesOf(order)) await floor.post(`/orders/${order.id}/lines/${line}/start`);
  await ship(floor, order.id, parcelOf(order, [1]).items);
  assert.deepEqual((await see(order)).expected_delivery, before);
  service.shiftMs(DAY_MS);
  await ship(floor, order.id, parcelOf(order, [1]).items);
  const sent = await see(order);
  assert.equal(sent.status, 'dispatched');
  const { min, max } = order.charged.shipping_option.eta_days;
  const at = sent.shipments.at(-1)?.shipped_at ?? '';
  assert.deepEqual(sent.expected_delivery, { earliest: dayAfter(at, min), latest: dayAfter(at, max) });
});

test('there is none while the order waits for its payment, then it runs from that; and none once it is cancelled', async () => {
  const poor = await service.openCustomer();
  const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
  const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1, print_jobs: [] }];
  const order = await placeOrder(service, { items }, poor);
  assert.equal(order.charged.shipping_option.expected_delivery, null);
  const own = async (): Promise<Order> => (await poor.request<Order>('GET', `/orders/${order.id}`)).body;
  assert.equal((await own()).expected_delivery, null);
  service.shiftMs(2 * DAY_MS);
  await creditAccount(service.ctx, { accountId: poor.accountId, amountPence: pence(10_000), reference: '' });
  assert.equal(await settleWaitingOrders(service.ctx, poor.accountId), 1);
  const paid = await own();
  const { min, max } = order.charged.shipping_option.eta_days;
  const at = paid.charges[0]?.charged_at ?? '';
  assert.ok(Date.parse(at) >= Date.parse(order.created_at) + 2 * DAY_MS);
  assert.deepEqual(paid.expected_delivery, { earliest: dayAfter(at, min), latest: dayAfter(at, max) });
  const cancelled = await promoted([blank()]);
  assert.notEqual((await see(cancelled)).expected_delivery, null);
  await floor.post(`/orders/${cancelled.id}/cancel`, { reason: 'a test' });
  assert.equal((await see(cancelled)).expected_delivery, null);
});
