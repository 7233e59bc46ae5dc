import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { channelOf, closeShops, connectShop, openShops } from './shops.ts';

before(() => openShops());
after(closeShops);

test("another account's shop is one of none, whatever is asked of it", async () => {
  const shop = await connectShop();
  const other = await connectShop();
  const path = `/channels/${shop.channelId}`;
  const asked: [string, string, object?][] = [
    ['GET', path],
    ['PATCH', path, { paused: true }],
    ['POST', `${path}/secret`],
    ['POST', `${path}/disconnect`],
    ['GET', `/shop-orders?channel=${shop.channelId}`],
  ];
  for (const [method, at, body] of asked) {
    const answer = await other.owner.request(method, at, body === undefined ? {} : { body });
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${at}`);
  }
  assert.equal((await channelOf(shop)).state, 'active');
});
