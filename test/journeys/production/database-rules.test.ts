import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { type Floor, openFloor, placeOrder, ship } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket, HOME, teeItem } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

// What holds on the shop's floor whatever the service does, and what a customer far away needs to know.

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
});
after(() => service.stop());

test('the database itself refuses pieces that cannot be: more shipped and cancelled than ordered, more taken than promised, less than nothing on the shelf', async () => {
  const items = [teeItem(service, { quantity: 5, print_jobs: [] })];
  const order = await placeOrder(service, { items });
  const [line] = order.items.lineItems;
  await floor.post(`/orders/${order.id}/promote`);
  await floor.post(`/orders/${order.id}/lines/${line?.id}/start`);
  await ship(floor, order.id, [{ line_id: line?.id, quantity: 2 }]);
  const of = `order_id = (select id from orders where reference = '${order.reference}')`;
  for (const impossible of [
    `update order_line set quantity_cancelled = 4 where ${of}`,
    `update order_line set quantity_shipped = 6 where ${of}`,
    `update order_line set quantity_shipped = -1 where ${of}`,
    `update order_line set quantity_spoiled = -1 where ${of}`,
    `update allocation set consumed = allocated + 1 where ${of}`,
    `update allocation set released = 1 where ${of}`,
    "update stock set on_hand = -1 where sku = 'TEE-CLASSIC-WHT-M'",
    "update stock set allocated = -1 where sku = 'TEE-CLASSIC-WHT-M'",
  ]) {
    await assert.rejects(rows(service, impossible), /check constraint/, impossible);
  }
});

test('2.1 shipping_address: a country without postcodes takes any text for one, but not none', async () => {
  const abroad = { ...HOME, country_code: 'HK', city: 'Kowloon', phone: '+852 5555 5555' };
  const placed = await service.customer.request<CreatedOrder>('POST', '/orders', {
    ...basket(service),
    shipping_address: { ...abroad, postcode: '-' },
  });
  assert.equal(placed.status, 201, placed.text);
  const refused = await service.customer.request('POST', '/orders', {
    ...basket(service),
    shipping_address: { ...abroad, postcode: ' ' },
  });
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'shipping_address.postcode']);
});
