import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderWithAddress } from '../../../src/channels/inbox-schema.ts';
import type { ShopOrder } from '../../../src/channels/shop-order.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { HOME, problemsOf } from '../../harness/shop.ts';
import {
  type ConnectedShop,
  closeShops,
  connectShop,
  looked,
  openShops,
  send,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

before(() => openShops());
after(closeShops);

const correct = (by: PortalClient, id: string, body: object = HOME) =>
  by.request<ShopOrderWithAddress>('POST', `/shop-orders/${id}/address`, { body });

const wrong = (shop: ConnectedShop): ShopOrder =>
  shopOrder(shop, { shipping_address: { ...shopOrder(shop).shipping_address, postcode: '' } });

/** What the shop has of an order some time later. */
function later(order: ShopOrder, changes: Partial<ShopOrder> = {}): ShopOrder {
  service.shiftMs(1_000);
  return { ...order, ...changes, updated_at: isoTime(service.ctx.clock.now()) };
}

test('an order that is refused for its address is placed with the one that a person has put right', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, wrong(shop));
  assert.deepEqual([view.reason, view.actions.correct_address], ['address_refused', true]);
  const whole = await shop.owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${view.id}`);
  assert.deepEqual(
    [whole.body.shipping_address?.line1, whole.body.shipping_address?.postcode, whole.body.shipping_address?.line2],
    ['12 Mill Lane', '', ''],
  );
  const corrected = await correct(shop.owner, view.id);
  assert.equal(corrected.status, 200, corrected.text);
  const placed = await looked(shop, view.id);
  assert.equal(placed.state, 'placed');
  const { body } = await shop.owner.api<Order>('GET', `/orders/${placed.order?.id}`);
  assert.deepEqual([body.shipping_address.line1, body.shipping_address.postcode], [HOME.line1, HOME.postcode]);
  const { body: after } = await shop.owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${view.id}`);
  assert.deepEqual([after.shipping_address, after.actions.correct_address], [null, false]);
  const again = await correct(shop.owner, view.id);
  assert.equal(again.status, 409);
  assert.match(again.text, /Change the address of its order/);
});

test('what the shop sends with the address of before keeps it; another address of the shop takes its place', async () => {
  const shop = await connectShop();
  const order = { ...wrong(shop), on_hold: true };
  const view = await sendAndLook(shop, order);
  await correct(shop.owner, view.id);
  await looked(shop, view.id);
  await send(shop, later(order, { note: 'As a gift.' }));
  await looked(shop, view.id);
  const address = async () =>
    (await shop.owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${view.id}`)).body.shipping_address?.line1;
  assert.equal(await address(), HOME.line1);
  const moved = { ...order.shipping_address, line1: '13 Mill Lane' };
  await send(shop, later(order, { shipping_address: moved }));
  await looked(shop, view.id);
  assert.equal(await address(), '13 Mill Lane');
  await send(shop, later(order, { shipping_address: moved, note: 'None.' }));
  await looked(shop, view.id);
  assert.equal(await address(), '13 Mill Lane');
});

test('an address that is none is 422 with its field, a reader 403, another account 404, an ignored order 409', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, wrong(shop));
  const { city: _city, ...without } = HOME;
  assert.deepEqual(problemsOf((await correct(shop.owner, view.id, without)) as never), ['city required']);
  assert.deepEqual(problemsOf((await correct(shop.owner, view.id, { ...HOME, country_code: 'XX' })) as never), [
    'country_code unknown_country',
  ]);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  assert.equal((await correct(reader, view.id)).status, 403);
  assert.equal((await correct((await connectShop()).owner, view.id)).status, 404);
  assert.equal((await correct(shop.owner, 'sho_nonsense')).status, 404);
  await shop.owner.request('POST', `/shop-orders/${view.id}/ignore`);
  assert.equal((await correct(shop.owner, view.id)).status, 409);
});
