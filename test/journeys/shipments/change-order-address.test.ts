import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { linesOf, openFloor, parcelOf, ship } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket, HOME, problemsOf, TEE_WHITE_M } from '../../harness/shop.ts';
import { assertSound, balancePence, eventsOf, rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

async function place(address: object = {}): Promise<CreatedOrder> {
  const items = [{ product_id: service.demo.products.fixed, variant_sku: TEE_WHITE_M, quantity: 1, print_jobs: [] }];
  const { status, body, text } = await service.customer.request<CreatedOrder>(
    'POST',
    '/orders',
    basket(service, { items, shipping_address: { ...HOME, ...address } }),
  );
  assert.equal(status, 201, text);
  return body;
}

const change = (order: { id: string }, body: object) =>
  service.customer.request<Order>('PATCH', `/orders/${order.id}/address`, body);
const refused = (order: { id: string }, body: object) =>
  service.customer.request('PATCH', `/orders/${order.id}/address`, body);

test('the owner changes the address within the window; the price stays, and no event is sent', async () => {
  const order = await place();
  const before = await balancePence(service, service.customer);
  const events = await eventsOf(service, order);
  const seen = (await service.customer.request<Order>('GET', `/orders/${order.id}`)).body;
  assert.deepEqual(seen.actions.change_address, { available: true, until: order.cancellable_until });
  const changed = await change(order, { line1: '1 High Street', city: 'York', postcode: 'YO1 7HH' });
  assert.equal(changed.status, 200, changed.text);
  const { line1, city, postcode, contact_name: name } = changed.body.shipping_address;
  assert.deepEqual([line1, city, postcode, name], ['1 High Street', 'York', 'YO1 7HH', 'Ada Byron']);
  assert.equal(changed.body.total, order.charged.total);
  assert.equal(await balancePence(service, service.customer), before);
  assert.deepEqual(await eventsOf(service, order), events);
  const history =
    'select actor, action, reason from order_history h join orders o on o.id = h.order_id where o.reference = $1 order by h.id desc limit 1';
  assert.deepEqual(await rows(service, history, [order.reference]), [
    { actor: 'customer', action: 'change_address', reason: 'changed: line1, city, postcode' },
  ]);
  await assertSound(service);
});

test('another price, no member, no country and a late change are refused, and the address stays', async () => {
  const order = await place();
  for (const body of [{ country_code: 'FR', postcode: '75001' }, { postcode: 'BT1 1AA' }, { postcode: 'ZE1 0AA' }]) {
    const answer = await refused(order, body);
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], JSON.stringify(body));
  }
  assert.deepEqual(problemsOf(await refused(order, {})), [' required']);
  assert.deepEqual(problemsOf(await refused(order, { country_code: 'UK' })), ['country_code unknown_country']);
  const cancelled = await place();
  await service.customer.request('POST', `/orders/${cancelled.id}/cancel`);
  const late = await refused(cancelled, { line2: 'Flat 2' });
  assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
  service.shiftMs(2 * 3_600_000);
  const closed = await refused(order, { line2: 'Flat 2' });
  assert.deepEqual([closed.status, closed.body.code], [409, 'cancellation_window_closed']);
  const { body } = await service.customer.request<Order>('GET', `/orders/${order.id}`);
  assert.deepEqual([body.shipping_address.line2, body.actions.change_address.available], ['', false]);
});

test('within a shipping zone, a country with a duty of its own is refused, and one without is not', async () => {
  const of = { county: 'PR', phone: '+1 787 555 0100' };
  const order = await place({ ...of, city: 'San Juan', postcode: '00901', country_code: 'PR' });
  const hawaii = { city: 'Honolulu', county: 'HI', postcode: '96813', country_code: 'US' };
  const answer = await refused(order, hawaii);
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], answer.text);
  assert.match(answer.body.detail ?? '', /another country, with a duty of its own/);
  const guam = await change(order, { city: 'Hagåtña', county: 'GU', postcode: '96910', country_code: 'GU' });
  assert.deepEqual([guam.status, guam.body.total], [200, order.charged.total], guam.text);
  const paid = await place({ ...of, ...hawaii });
  assert.ok(paid.charged.total > order.charged.total, 'duty is paid in advance in one of them');
  assert.equal((await refused(paid, { postcode: '00901', country_code: 'PR' })).status, 409);
  assert.equal((await change(paid, { city: 'Hilo', postcode: '96720' })).status, 200);
  await assertSound(service);
});

test('against the last parcel either the parcel has the new address, or the change is refused', async () => {
  const floor = await openFloor(service, 'admin');
  for (let round = 0; round < 4; round += 1) {
    const order = await place();
    await floor.post(`/orders/${order.id}/promote`);
    for (const line of linesOf(order)) await floor.post(`/orders/${order.id}/lines/${line}/start`);
    const [answer] = await Promise.all([
      refused(order, { line2: 'Flat 2' }),
      ship(floor, order.id, parcelOf(order, [1]).items),
    ]);
    const sent =
      "select s.shipping_address->>'line2' as line2 from shipment s join orders o on o.id = s.order_id where o.reference = $1";
    const [parcel] = await rows<{ line2: string }>(service, sent, [order.reference]);
    assert.equal(parcel?.line2, answer.status === 200 ? 'Flat 2' : '', answer.text);
    if (answer.status !== 200) assert.equal(answer.body.code, 'conflict');
  }
});
