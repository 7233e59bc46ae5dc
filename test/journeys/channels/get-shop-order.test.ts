import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeShops, connectShop, openShops, sendAndLook, shopOrder } from './shops.ts';

before(() => openShops());
after(closeShops);

test('an order says what became of it, and another account finds the same as of none', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  assert.deepEqual(view.recipient, {
    name: 'Ada Byron',
    city: 'Leeds',
    postcode: 'LS1 4DY',
    country: 'United Kingdom',
  });
  assert.deepEqual(view.channel, { id: shop.channelId, name: 'Fern and Thread' });
  const other = await connectShop();
  const strip = (text: string): string => text.replace(/req_[0-9a-z]+/g, 'req');
  const foreign = await other.owner.request('GET', `/shop-orders/${view.id}`);
  const none = await other.owner.request('GET', '/shop-orders/sho_01kb0000000000000000000000');
  assert.deepEqual([foreign.status, strip(foreign.text)], [404, strip(none.text)]);
  assert.equal((await other.owner.request('GET', '/shop-orders/none')).status, 404);
});
