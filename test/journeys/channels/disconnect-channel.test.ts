import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import { eventually } from '../../harness/context.ts';
import {
  closeShops,
  connectShop,
  lookAgain,
  openShops,
  ordersOf,
  seen,
  send,
  sendAndLook,
  shopOrder,
} from './shops.ts';

before(() => openShops());
after(closeShops);

test('refuses its secret at once, ignores what waits, and leaves placed orders as they are', async () => {
  const shop = await connectShop();
  const placed = await sendAndLook(shop, shopOrder(shop));
  const waiting = await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  const path = `/channels/${shop.channelId}/disconnect`;
  const { body } = await shop.owner.request<Channel>('POST', path);
  assert.equal(body.state, 'disconnected');
  assert.equal(
    (await shop.owner.request<Channel>('POST', path)).body.ended_at,
    body.ended_at,
    'a second time is the first',
  );
  assert.equal((await send(shop, shopOrder(shop))).status, 401);
  await lookAgain();
  await eventually('it is ignored', async () => (await seen(shop, waiting.id)).reason === 'disconnected');
  assert.equal((await seen(shop, waiting.id)).recipient, null, 'its address is gone');
  assert.equal((await seen(shop, placed.id)).state, 'placed');
  assert.equal((await ordersOf(shop)).length, 1);
  const change = await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: { paused: true } });
  assert.equal(change.status, 409);
  const again = await shop.owner.request('POST', `/channels/${shop.channelId}/secret`);
  assert.equal(again.status, 409);
});
