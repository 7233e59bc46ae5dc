import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeShops, connectShop, mystery, openShops, sendAndLook, setItem, shopOrder } from './shops.ts';

before(() => openShops());
after(closeShops);

test('an item that is forgotten waits again; the mapping of a product that was archived does, too', async () => {
  const shop = await connectShop();
  const { productId, sku } = shop;
  await setItem(shop, { key: 'variant 9001', title: 'Fern tee', product_id: productId, variant_sku: sku });
  assert.equal((await sendAndLook(shop, shopOrder(shop, { items: [mystery] }))).state, 'placed');
  const forget = { body: { key: 'variant 9001' } };
  assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/items/forget`, forget)).status, 204);
  assert.equal((await sendAndLook(shop, shopOrder(shop, { items: [mystery] }))).reason, 'needs_mapping');
  await setItem(shop, { key: 'variant 9001', title: 'Fern tee', product_id: productId, variant_sku: sku });
  assert.equal((await shop.owner.api('DELETE', `/products/${productId}`)).status, 204);
  assert.equal((await sendAndLook(shop, shopOrder(shop, { items: [mystery] }))).reason, 'needs_mapping');
});
