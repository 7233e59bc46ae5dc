import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { closeShops, connectShop, openShops, ordersOf, seen, sendAndLook, service, shopOrder } from './shops.ts';

before(() => openShops());
after(closeShops);

test('a placed order can be neither placed again nor ignored', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop));
  assert.deepEqual(view.actions, { place: false, ignore: false, correct_address: false, ignore_entries: false });
  for (const action of ['place', 'ignore']) {
    assert.equal((await shop.owner.request('POST', `/shop-orders/${view.id}/${action}`)).status, 409, action);
  }
  assert.equal((await ordersOf(shop)).length, 1);
});

test('people of orders answer them, readers only look, and another account finds nothing', async () => {
  const shop = await connectShop();
  const other = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop, { high_risk: true }));
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  assert.equal((await reader.request('GET', `/shop-orders/${view.id}`)).status, 200);
  for (const action of ['place', 'ignore']) {
    assert.equal((await reader.request('POST', `/shop-orders/${view.id}/${action}`)).status, 403, action);
    assert.equal((await other.owner.request('POST', `/shop-orders/${view.id}/${action}`)).status, 404, action);
  }
  assert.equal((await other.owner.request('GET', `/shop-orders/${view.id}`)).status, 404);
  const clerk = await openRole(service, 'orders', shop.customer.accountId);
  const both = await Promise.all([1, 2].map(() => clerk.request('POST', `/shop-orders/${view.id}/place`)));
  assert.ok(both.some(({ status }) => status === 200));
  await eventually('it is placed', async () => (await seen(shop, view.id)).state === 'placed');
  assert.equal((await ordersOf(shop)).length, 1);
});
