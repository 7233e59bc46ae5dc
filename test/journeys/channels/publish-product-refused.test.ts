import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { addProduct } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, connectShop, openShops, service } from './shops.ts';
import { publish, published } from './woo-products.ts';
import { linkShop } from './woo-shops.ts';

before(() => openShops());
after(closeShops);
afterEach(() => assertSound(service));

test('a product is published by owners and managers of the account, in its own shops and from its own products', async () => {
  const shop = await linkShop();
  const other = await linkShop();
  const path = `/channels/${shop.channelId}/products`;
  const body = { product_id: shop.productId };
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, shop.customer.accountId);
    assert.equal((await person.request('POST', path, { body })).status, 403, role);
    assert.equal((await person.request('DELETE', `${path}/${shop.productId}`)).status, 403, role);
    assert.equal((await person.request('GET', path)).status, 200, role);
  }
  const manager = await openRole(service, 'manager', shop.customer.accountId);
  assert.equal((await manager.request('POST', path, { body })).status, 202);
  assert.equal((await other.owner.request('POST', path, { body })).status, 404);
  assert.equal((await other.owner.request('GET', path)).status, 404);
  assert.equal((await other.owner.request('DELETE', `${path}/${shop.productId}`)).status, 404);
  for (const product of [other.productId, publicId('prod', newId()), 'prod_x', 'x']) {
    const { status, body: refused } = await publish(shop, product);
    assert.deepEqual(
      [status, refused.errors?.[0]?.path, refused.errors?.[0]?.code],
      [422, 'product_id', 'unknown_product'],
    );
  }
  const archived = await addProduct(service, shop.customer, 'TEE-CLASSIC');
  assert.equal((await shop.customer.request('DELETE', `/products/${archived}`)).status, 204);
  assert.equal((await publish(shop, archived)).status, 422);
  assert.equal((await shop.owner.request('DELETE', `${path}/${archived}`)).status, 204, 'there is nothing to stop');
});

test('a shop that takes no products or is disconnected is refused in words', async () => {
  const signed = await connectShop();
  const body = { product_id: signed.productId };
  const answer = await signed.owner.request<{ detail?: string }>('POST', `/channels/${signed.channelId}/products`, {
    body,
  });
  assert.equal(answer.status, 409);
  assert.match(answer.text, /sends its orders itself/);
  const shop = await linkShop();
  await published(shop);
  assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`)).status, 200);
  const refused = await publish(shop);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /This shop is disconnected/);
  await eventually('its products are forgotten here', async () => {
    const left = await rows(service, 'select from channel_product where account_id = $1', [shop.customer.accountId]);
    return left.length === 0;
  });
  assert.equal(shop.woo.products.size, 1, 'in the shop they stay');
});
