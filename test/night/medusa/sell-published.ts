import assert from 'node:assert/strict';
import type { ChannelProduct } from '../../../src/channels/product-schema.ts';
import { eventually } from '../../harness/context.ts';
import { flat } from '../../harness/pictures.ts';
import { create, teeBody } from '../../harness/products.ts';
import { TEE_WHITE_M } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { becomes, type Circle, FOUND_MS, reported, sinceMs, startMaking } from './both-sides.ts';

type Sold = {
  readonly id: string;
  readonly status: string;
  readonly variants: readonly { readonly id: string; readonly sku: string }[];
};

/**
 * One product the whole way round: published here, put on sale by the shop's people, bought by its own API, placed
 * here without a mapping, shipped here, and fulfilled there.
 */
export async function sellPublished(circle: Circle): Promise<void> {
  const { service, medusa, print } = circle;
  const ours = await ownProduct(circle);
  let beganMs = performance.now();
  const { id: productId, variants } = await publishedThere(circle, ours);
  print(`published    a product of ours, as a draft with ${variants.length} variants, in ${sinceMs(beganMs)}`);
  for (const { id } of variants) {
    const prices = [{ currency_code: 'gbp', amount: 20 }];
    await medusa.admin('POST', `/products/${productId}/variants/${id}`, { prices });
  }
  await medusa.admin('POST', `/products/${productId}`, { status: 'published' });
  const bought = variants.find(({ sku }) => sku === `${ours}/${TEE_WHITE_M}`);
  assert.ok(bought !== undefined, JSON.stringify(variants));
  beganMs = performance.now();
  const orderId = await medusa.buy([2], [bought.id]);
  await medusa.capture(orderId);
  const { state, order } = await becomes(circle, orderId, '');
  assert.equal(state, 'placed');
  const { lines, ship } = await startMaking(service, order?.id ?? '');
  assert.deepEqual(
    lines.map(({ quantity }) => quantity),
    [2],
  );
  await ship('RM300GB', [{ line_id: lines[0]?.id, quantity: 2 }]);
  await eventually('its parcel is reported', async () => (await reported(medusa, orderId)).length === 1, FOUND_MS);
  const [[label, pieces] = []] = await reported(medusa, orderId);
  assert.deepEqual([label, pieces?.map(([, quantity]) => quantity)], ['RM300GB https://track.example/RM300GB', [2]]);
  await assertSound(service);
  print(`fulfilled    an order of it, from its purchase there to its parcel there, in ${sinceMs(beganMs)}`);
}

/** A product with artwork, of which nothing is in the shop: the SKUs of the demo's are taken there. */
async function ownProduct({ service }: Circle): Promise<string> {
  const body = await flat(600, 600, '#336633').png().toBuffer();
  service.stranger.serve('/moss.png', { headers: { 'content-type': 'image/png' }, body });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/moss.png') }];
  const product = await teeBody(service, {
    name: 'Moss tee',
    variant_skus: [TEE_WHITE_M, 'TEE-CLASSIC-BLK-M'],
    decoration: { areas },
  });
  return (await create(service.customer, product)).id;
}

/** Publishes a product by the service, and returns it as its shop has it then. */
async function publishedThere({ owner, medusa, channelId }: Circle, ours: string): Promise<Sold> {
  const path = `/channels/${channelId}/products`;
  const asked = await owner.request('POST', path, { body: { product_id: ours } });
  assert.equal(asked.status, 202, asked.text);
  const { state, problem } = await eventually(
    'it is published, or refused',
    async () => {
      const { body } = await owner.request<{ data: ChannelProduct[] }>('GET', path);
      return body.data.find((one) => one.product_id === ours && one.state !== 'waiting');
    },
    FOUND_MS,
  );
  assert.equal(state, 'published', problem ?? '');
  const query = new URLSearchParams({ external_id: ours, fields: 'id,status,variants.id,variants.sku' });
  const { products } = await medusa.admin<{ products: Sold[] }>('GET', `/products?${query.toString()}`);
  const [product, ...more] = products;
  assert.ok(product !== undefined && more.length === 0, 'it is there once');
  assert.equal(product.status, 'draft', 'its people put it on sale');
  return product;
}
