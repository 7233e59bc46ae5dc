import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { openRole } from '../../harness/portal.ts';
import {
  closeShops,
  connectShop,
  lookAgain,
  openShops,
  ordersOf,
  seen,
  send,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

before(() => openShops());
after(closeShops);

test('an order that a person ignores is ignored for good, whatever the shop sends of it', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop, { on_hold: true });
  const view = await sendAndLook(shop, order);
  const ignored = await shop.owner.request<ShopOrderView>('POST', `/shop-orders/${view.id}/ignore`);
  assert.deepEqual([ignored.body.state, ignored.body.reason, ignored.body.recipient], ['ignored', 'by_person', null]);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${view.id}/ignore`)).status, 200);
  service.shiftMs(1_000);
  await send(shop, { ...order, on_hold: false, updated_at: isoTime(service.ctx.clock.now()) });
  await lookAgain();
  assert.equal((await seen(shop, view.id)).state, 'ignored');
  assert.deepEqual(await ordersOf(shop), []);
});

test('what waits for 90 days is ignored and its address removed', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  service.shiftMs(91 * 86_400_000);
  await lookAgain();
  const owner = await openRole(service, 'owner', shop.customer.accountId);
  const { body } = await owner.request<ShopOrderView>('GET', `/shop-orders/${view.id}`);
  assert.deepEqual([body.state, body.reason, body.recipient], ['ignored', 'too_old', null]);
});
