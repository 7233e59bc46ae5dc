import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeShops, connectDesignedShop, itemsOf, openShops, sendAndLook, shopOrder } from './shops.ts';

before(() => openShops());
after(closeShops);

test('an item without an id of its variant is suggested by its SKU, and by its name with colour and size', async () => {
  const shop = await connectDesignedShop();
  await sendAndLook(shop, shopOrder(shop, { items: [{ id: '1', sku: shop.sku, title: 'Something', quantity: 1 }] }));
  const { name } = (await shop.owner.api<{ name: string }>('GET', `/products/${shop.productId}`)).body;
  const byName = { id: '1', variant_id: '77', title: name, options: 'White / M', quantity: 1 };
  await sendAndLook(shop, shopOrder(shop, { items: [byName] }));
  const { missing } = await itemsOf(shop);
  for (const key of [`sku ${shop.sku}`, 'variant 77']) {
    const found = missing.find((item) => item.key === key);
    assert.deepEqual(
      found?.suggestions.map(({ product_id: id, variant_sku: sku }) => [id, sku]),
      [[shop.productId, shop.sku]],
      key,
    );
  }
});
