import assert from 'node:assert/strict';
import type { ChannelProduct } from '../../../src/channels/product-schema.ts';
import { eventually } from '../../harness/context.ts';
import type { Answer, ErrorReply } from '../../harness/service.ts';
import type { WooProduct } from '../../harness/woo-products.ts';
import type { LinkedShop } from './woo-shops.ts';

// Products of a customer in a linked shop of WooCommerce.

/** Publishes a product in a shop. */
export function publish(
  { owner, channelId, productId }: LinkedShop,
  product = productId,
): Promise<Answer<ChannelProduct & Partial<ErrorReply>>> {
  return owner.request('POST', `/channels/${channelId}/products`, { body: { product_id: product } });
}

/** The products in a shop as its people see them. */
export async function productsIn({ owner, channelId }: LinkedShop): Promise<ChannelProduct[]> {
  return (await owner.request<{ data: ChannelProduct[] }>('GET', `/channels/${channelId}/products`)).body.data;
}

/** Waits until a product in a shop is in a state. */
export async function untilState(shop: LinkedShop, state: string, product = shop.productId): Promise<ChannelProduct> {
  return eventually(`it is ${state}`, async () =>
    (await productsIn(shop)).find((one) => one.product_id === product && one.state === state),
  );
}

/** Publishes the product of a shop, and returns it as the shop has it then. */
export async function published(shop: LinkedShop): Promise<WooProduct> {
  const { status, text } = await publish(shop);
  assert.equal(status, 202, text);
  await untilState(shop, 'published');
  return only(shop);
}

/** The one product that a shop has. */
export function only({ woo }: LinkedShop): WooProduct {
  const [product, ...more] = woo.products.values();
  assert.equal(more.length, 0, 'it is there once');
  return product ?? assert.fail('the shop has a product');
}

/** What of the variations of a product is in stock, by their SKUs. */
export function stockIn({ variations }: WooProduct): Record<string, string> {
  return Object.fromEntries(variations.map(({ sku, stock_status: stock }) => [sku, stock]));
}
