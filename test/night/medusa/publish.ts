import assert from 'node:assert/strict';
import { MEDUSA } from '../../../src/channels/platforms/medusa/medusa.ts';
import { publishToMedusa } from '../../../src/channels/platforms/medusa/products.ts';
import type { PublishedProduct, ShopProduct } from '../../../src/channels/platforms/published-product.ts';
import { type ShopCall, ShopFault } from '../../../src/channels/platforms/shop-call.ts';
import type { MedusaServer } from './install.ts';
import type { MedusaShop } from './medusa-shop.ts';

// A product that the adapter publishes to a real shop: priced and put on sale by its people, bought, and fulfilled.

/** Publishes a product, and has it sold and stopped; returns its id in the shop. */
export async function publishAndSell(server: Pick<MedusaServer, 'url'>, medusa: MedusaShop): Promise<string> {
  const publish = async (product: PublishedProduct, known?: ShopProduct): Promise<ShopProduct> => {
    const shop = { call: callsOf(server, medusa.key), credentials: {}, facts: {}, noticeUrl: '', noticeSecret: '' };
    const there = await publishToMedusa({ ...shop, since: new Date() }, product, known);
    assert.ok(there !== 'gone');
    return there;
  };
  const made = await publish(MOSS);
  assert.deepEqual(await publish(MOSS), made, 'it is found again by its id');
  const { product } = await medusa.admin<{ product: { status: string } }>('GET', `/products/${made.productId}`);
  assert.equal(product.status, 'draft');
  const grown = await publish({ ...MOSS, variants: [...MOSS.variants, variant('Red', 'XL')] }, made);
  for (const id of Object.values(grown.variants)) {
    const prices = [{ currency_code: 'gbp', amount: 20 }];
    await medusa.admin('POST', `/products/${made.productId}/variants/${id}`, { prices });
  }
  await medusa.admin('POST', `/products/${made.productId}`, { status: 'published' });
  const [white, black, red] = ['White-M', 'Black-M', 'Red-XL'].map((name) => grown.variants[`prod_moss/${name}`] ?? '');
  const orderId = await medusa.buy([2, 1], [white ?? '', red ?? '']);
  await assert.rejects(medusa.buy([1], [black ?? '']), /insufficient_inventory/, 'what is out of stock is not sold');
  await publish({ ...MOSS, isOffered: false }, grown);
  await assert.rejects(medusa.buy([1], [white ?? '']), /insufficient_inventory/, 'what is archived here is not sold');
  await fulfil(medusa, orderId);
  await publish(MOSS, grown);
  await medusa.buy([1], [white ?? '']);
  return made.productId;
}

/** What was bought before it went out of stock is fulfilled all the same. */
async function fulfil(medusa: MedusaShop, orderId: string): Promise<void> {
  const path = `/orders/${orderId}`;
  const { order } = await medusa.admin<{
    order: {
      items: { id: string; quantity: number }[];
      shipping_methods: { shipping_option_id: string }[];
    };
  }>('GET', `${path}?fields=*items,shipping_methods.shipping_option_id`);
  await medusa.admin('POST', `${path}/fulfillments`, {
    items: order.items.map(({ id, quantity }) => ({ id, quantity })),
    shipping_option_id: order.shipping_methods[0]?.shipping_option_id,
  });
}

function variant(colour: string, size: string, isInStock = true) {
  return { sku: `prod_moss/${colour}-${size}`, colour, size, isInStock };
}

const MOSS: PublishedProduct = {
  id: 'prod_moss',
  title: 'Fern tee',
  description: 'Of the same title as another.',
  isOffered: true,
  variants: [variant('White', 'M'), variant('Black', 'M', false)],
  pictures: ['https://print.example/moss.png'],
};

function callsOf({ url }: Pick<MedusaServer, 'url'>, key: string): ShopCall {
  return async (method, path, body) => {
    const headers = { ...MEDUSA.authorise({ key }), 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (response.status === 404) return undefined;
    const text = await response.text();
    if (!response.ok) throw new ShopFault('rejected', `${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, headers: response.headers, json: JSON.parse(text) as unknown };
  };
}
