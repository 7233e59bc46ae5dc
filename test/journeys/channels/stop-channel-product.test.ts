import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertSound } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { only, productsIn, publish, published, untilState } from './woo-products.ts';
import { linkShop } from './woo-shops.ts';

before(() => openShops());
after(closeShops);
afterEach(() => assertSound(service));

test('a product that is stopped stays in the shop as it is, and is found again when it is published again', async () => {
  const shop = await linkShop();
  const before = JSON.stringify(await published(shop));
  const path = `/channels/${shop.channelId}/products/${shop.productId}`;
  for (let times = 0; times < 2; times += 1) assert.equal((await shop.owner.request('DELETE', path)).status, 204);
  assert.deepEqual(await productsIn(shop), []);
  assert.equal(JSON.stringify(only(shop)), before);
  assert.equal((await publish(shop)).status, 202);
  await untilState(shop, 'published');
  assert.equal(JSON.stringify(only(shop)), before);
});
