import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChannelProduct } from '../../../src/channels/product-schema.ts';
import { eventually } from '../../harness/context.ts';
import { create, teeBody } from '../../harness/products.ts';
import { rows } from '../../harness/written.ts';
import { type Connected, closeShopify, connect, openShopify, service, visitAgain } from './shopify-shops.ts';

// The people of a shop add a variant of their own to a product that is published to it.

before(() => openShopify(['foreign']));
after(closeShopify);

async function publish({ owner, channelId }: Connected, product: string): Promise<void> {
  const { status, text } = await owner.request('POST', `/channels/${channelId}/products`, {
    body: { product_id: product },
  });
  assert.equal(status, 202, text);
}

async function untilPublished(shop: Connected, product: string): Promise<void> {
  await eventually('it is published', async () => {
    await visitAgain();
    const { body } = await shop.owner.request<{ data: ChannelProduct[] }>(
      'GET',
      `/channels/${shop.channelId}/products`,
    );
    return body.data.find((one) => one.product_id === product)?.state === 'published';
  });
}

test('a variant under a SKU like ours is theirs: its product and all others are published still', async () => {
  const shop = await connect('foreign');
  const product = String(shop.ours.sku).split('/')[0] ?? '';
  await publish(shop, product);
  await untilPublished(shop, product);
  const [there = assert.fail()] = shop.shop.products;
  const [first = assert.fail()] = there.variants;
  const sku = `${first.sku}-GIFT`;
  const id = 'gid://shopify/ProductVariant/990001';
  there.variants.push({ ...first, id, sku, values: ['Gift', 'M'], levels: new Map(first.levels) });
  await publish(shop, product);
  await untilPublished(shop, product);
  // A version of before took it for ours.
  await rows(
    service,
    `update channel_product set shop_product = jsonb_set(shop_product, array['variants', $2], to_jsonb($3::text))
     where account_id = $1 returning 1`,
    [shop.customer.accountId, sku, id],
  );
  await publish(shop, product);
  await untilPublished(shop, product);
  const body = await teeBody(service, { name: 'Other tee', variant_skus: ['TEE-CLASSIC-WHT-M'] });
  const other = (await create(shop.customer, body)).id;
  await publish(shop, other);
  await untilPublished(shop, other);
});
