import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ChannelProduct } from '../../../src/channels/product-schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { publish, published, untilState } from './woo-products.ts';
import { linkShop } from './woo-shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);
afterEach(() => assertSound(service));

test('a product that its shop refuses is seen in words, and written again once the cause is mended', async () => {
  const shop = await linkShop();
  const path = `/channels/${shop.channelId}/products`;
  await published(shop);
  await rows(
    service,
    "update channel_product set failed_at = now(), problem = 'The shop refuses it.', due_at = null where account_id = $1",
    [shop.customer.accountId],
  );
  const { body } = await floor.request<{ data: ChannelProduct[] }>('GET', path);
  assert.deepEqual(
    body.data.map(({ product_id: id, state, problem }) => [id, state, problem]),
    [[shop.productId, 'failed', 'The shop refuses it.']],
  );
  const again = await floor.request<ChannelProduct>('POST', `${path}/${shop.productId}/retry`);
  assert.deepEqual([again.status, again.body.problem], [200, null], again.text);
  await untilState(shop, 'published');
  for (const product of [publicId('prod', newId()), 'prod_x']) {
    assert.equal((await floor.request('POST', `${path}/${product}/retry`)).status, 404, product);
  }
  assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  assert.ok([404, 409].includes((await floor.request('POST', `${path}/${shop.productId}/retry`)).status));
  assert.equal((await publish(shop)).status, 409);
});
