import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import type { Order } from '../../../../src/orders/schema.ts';
import { placeOrder } from '../../../harness/floor.ts';
import {
  type ConnectedShop,
  closeShops,
  connectShop,
  openShops,
  sendAndLook,
  service,
  shopOrder,
} from '../../channels/shops.ts';

// The number that the buyer knows: it is shown, and it finds the order.

let shop: ConnectedShop;
before(async () => {
  await openShops();
  shop = await connectShop(8);
});
after(closeShops);

async function list(query: string): Promise<readonly Order[]> {
  const answer = await shop.customer.request<Page<Order>>('GET', `/orders?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const numbersOf = async (query: string): Promise<string[]> => (await list(query)).map(({ id }) => id);

async function placeByShop(number: string): Promise<string> {
  const { state, order } = await sendAndLook(shop, shopOrder(shop, { number }));
  assert.equal(state, 'placed');
  assert.ok(order);
  return order.id;
}

test('an order of a connected shop shows the number of the shop, any other its external reference', async () => {
  const id = await placeByShop('#2001');
  const own = await placeOrder(
    service,
    { items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 1 }], external_reference: 'web 17' },
    shop.customer,
  );
  const { body } = await shop.customer.request<Order>('GET', `/orders/${id}`);
  assert.equal(body.shop_number, '#2001');
  assert.match(body.external_reference, /^chan_/, 'the reference stays what it was');
  const shown = (await list('')).map((order) => [order.id, order.shop_number]);
  assert.deepEqual(shown, [
    [own.id, 'web 17'],
    [id, '#2001'],
  ]);
});

test('number finds an order by the number of its shop, with and without its sign, and by its reference', async () => {
  const first = await placeByShop('#2002');
  const second = await placeByShop('#2002');
  const own = await placeOrder(
    service,
    { items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 1 }], external_reference: '2002' },
    shop.customer,
  );
  assert.deepEqual(await numbersOf('number=%232002'), [second, first]);
  assert.deepEqual(await numbersOf('number=2002'), [own.id, second, first]);
  assert.deepEqual(await numbersOf(`number=2002&cursor=${second}`), [first]);
  assert.deepEqual(await numbersOf('number=2002&status=cancelled'), []);
  assert.deepEqual(await numbersOf('number=2002&type=sample'), []);
  assert.deepEqual(await numbersOf('number=2002&blocked_by=anything'), []);
  assert.deepEqual(await numbersOf('number=2002&external_reference=2002'), [own.id]);
  assert.deepEqual(await numbersOf('number=2003'), []);
  const page = await shop.customer.request<Page<Order>>('GET', '/orders?number=2002&limit=1');
  assert.deepEqual([page.body.data.map(({ id }) => id), page.body.next_cursor], [[own.id], own.id]);
});

test('1.7 a number of another account finds nothing', async () => {
  await placeByShop('#2004');
  const other = await service.openCustomer();
  const { body } = await other.request<Page<Order>>('GET', '/orders?number=2004');
  assert.deepEqual(body, { data: [], has_more: false, next_cursor: null });
});
