import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { MEDUSA } from '../../../src/channels/platforms/medusa/medusa.ts';
import { publishToMedusa } from '../../../src/channels/platforms/medusa/products.ts';
import type { Shop } from '../../../src/channels/platforms/port.ts';
import type { PublishedProduct, ShopProduct } from '../../../src/channels/platforms/published-product.ts';
import { callsTo } from '../../../src/channels/platforms/shop-call.ts';
import { createAuthority } from '../../harness/authority.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop } from '../../harness/shop.ts';
import { type MedusaDouble, startMedusaDouble } from './medusa-double.ts';
import { isSoldThere } from './medusa-goods.ts';

let service: TestService;
let medusa: MedusaDouble;
let shop: Shop;

before(async () => {
  const authority = createAuthority();
  medusa = await startMedusaDouble(authority, () => service.ctx.clock.now());
  service = await startTestService({ authority, env: { TRUSTED_PRIVATE_HOSTS: medusa.stranger.hostPort } });
  const { customer } = await openShop(service, 1);
  const address = MEDUSA.addressOf(medusa.stranger.url('/app'));
  assert.ok(address !== undefined);
  const call = callsTo(service.ctx, {
    accountId: customer.accountId,
    address,
    headers: MEDUSA.authorise({ key: medusa.key }),
    signal: new AbortController().signal,
  });
  shop = { call, credentials: {}, facts: {}, noticeUrl: '', noticeSecret: '', since: new Date() };
});
after(async () => {
  await service.stop();
  await medusa.stranger.close();
});
beforeEach(() => {
  medusa.instead = () => undefined;
  medusa.goods.products.length = 0;
  medusa.writes.length = 0;
});

const variant = (colour: string, size: string, isInStock = true) => {
  return { sku: `prod_fern/TEE-${colour}-${size}`, colour, size, isInStock };
};

const FERN: PublishedProduct = {
  id: 'prod_fern',
  title: 'Fern tee',
  description: 'Drawn by hand.',
  isOffered: true,
  variants: [variant('White', 'M'), variant('White', 'L', false)],
  pictures: ['https://print.example/fern-1.png'],
};

/** The only product of the shop, and what is known of it. */
async function publish(changes: Partial<PublishedProduct> = {}, known?: ShopProduct) {
  const there = await publishToMedusa(shop, { ...FERN, ...changes }, known);
  assert.ok(there !== 'gone');
  const [product] = medusa.goods.products;
  assert.ok(product !== undefined && medusa.goods.products.length === 1);
  return { there, product, sold: product.variants.filter(isSoldThere).map(({ sku }) => sku) };
}

test('a product is made once as a draft without prices, whose answer was lost', async () => {
  medusa.instead = ({ method, path }) => {
    const isMade = method === 'POST' && path.startsWith('/admin/products?');
    return isMade ? { status: 500, json: {} } : undefined;
  };
  await assert.rejects(publish(), { name: 'ShopFault', kind: 'away' });
  medusa.instead = () => undefined;
  await publish();
  const { there, product, sold } = await publish();
  assert.deepEqual(
    [product.status, product.external_id, product.images],
    ['draft', FERN.id, [{ url: FERN.pictures[0] }]],
  );
  assert.deepEqual([product.sales_channels, product.shipping_profile_id], [[{ id: 'sc_1' }], 'sp_1']);
  assert.deepEqual(
    product.variants.map(({ id, sku, prices, inventory_items: [item] }) => [
      id,
      sku,
      prices,
      item?.inventory.location_levels,
    ]),
    FERN.variants.map(({ sku }) => [there.variants[sku], sku, [], [{ location_id: 'sloc_1', stocked_quantity: 0 }]]),
  );
  assert.deepEqual(sold, ['prod_fern/TEE-White-M']);
  await publishToMedusa(shop, { ...FERN, id: 'prod_same_title', variants: [] }, undefined);
  assert.deepEqual(
    medusa.goods.products.map(({ handle }) => handle),
    ['fern-tee-fern', 'fern-tee-me-title'],
  );
});

test('a sync that dies after the product was made leaves levels to the next, and nothing is made twice', async () => {
  medusa.instead = ({ path }) => (path.startsWith('/admin/inventory-items') ? 'reset' : undefined);
  await assert.rejects(publish(), { kind: 'away' });
  medusa.instead = () => undefined;
  const { there } = await publish();
  const writes = medusa.writes.length;
  await publish({}, there);
  assert.equal(medusa.writes.length, writes, 'what is so is not written again');
});

test('variants go out of stock and come back, and an archived product sells none', async () => {
  const { there, product } = await publish();
  product.status = 'published';
  const all = await publish({ variants: FERN.variants.map((one) => ({ ...one, isInStock: true })) }, there);
  assert.equal(all.sold.length, 2);
  // Its people do not count it.
  if (product.variants[0] !== undefined) product.variants[0].manage_inventory = false;
  assert.deepEqual((await publish({ isOffered: false }, there)).sold, []);
  assert.deepEqual((await publish({}, there)).sold, ['prod_fern/TEE-White-M']);
  assert.equal(product.status, 'published');
  assert.equal(await publishToMedusa(shop, { ...FERN, id: 'prod_never', isOffered: false }, undefined), 'gone');
});

test('what its people have changed is left alone, and new variants come to options of other names', async () => {
  const { there, product } = await publish();
  const edits = { title: 'Farn', description: 'Baumwolle', status: 'published', images: [] };
  Object.assign(product, edits);
  for (const [at, option] of product.options.entries()) option.title = ['Farbe', 'Größe'][at] ?? '';
  product.variants.pop();
  const variants = [...FERN.variants, variant('Red', 'XL')];
  const grown = await publish({ title: 'Fern tee 2', variants }, there);
  assert.deepEqual({ ...product, ...edits }, product);
  assert.deepEqual(
    product.variants.map(({ sku, prices, options }) => [sku, prices, Object.values(options)]),
    [
      ['prod_fern/TEE-White-M', [], ['White', 'M']],
      ['prod_fern/TEE-Red-XL', [], ['Red', 'XL']],
    ],
    'what was deleted is not added again',
  );
  assert.equal(grown.there.variants['prod_fern/TEE-Red-XL'], product.variants[1]?.id);
  product.options.pop();
  await assert.rejects(publish({ variants: [...variants, variant('Sand', 'S')] }, grown.there), {
    kind: 'rejected',
    message: 'A variant cannot be added: the product has other options in the shop than colour and size.',
  });
});

test('a product of 250 variants grows by another 250 over a shop that asks for patience', async () => {
  const ofColours = (count: number) => Array.from({ length: count }, (_, at) => variant(`Colour ${at}`, 'M'));
  const { there } = await publish({ variants: ofColours(250) });
  let batches = 0;
  medusa.instead = ({ path }) => {
    batches += path.includes('/variants/batch') ? 1 : 0;
    return batches === 2 ? { status: 429, json: {} } : undefined;
  };
  await assert.rejects(publish({ variants: ofColours(500) }, there), { kind: 'busy' });
  medusa.instead = () => undefined;
  const grown = await publish({ variants: ofColours(500) }, there);
  assert.deepEqual([Object.keys(grown.there.variants).length, grown.sold.length], [500, 500]);
});

test('a product of a shop that is off for a moment is not gone, and no second one is made', async () => {
  const { there } = await publish();
  const writes = medusa.writes.length;
  medusa.instead = () => ({ status: 404, json: { message: 'no such app' } });
  for (const known of [there, undefined]) {
    for (const isOffered of [true, false]) {
      await assert.rejects(publishToMedusa(shop, { ...FERN, isOffered }, known), { name: 'ShopFault', kind: 'broken' });
    }
  }
  medusa.instead = ({ method }) => (method === 'POST' ? { status: 404, json: {} } : undefined);
  const variants = FERN.variants.map((one) => ({ ...one, isInStock: !one.isInStock }));
  await assert.rejects(publishToMedusa(shop, { ...FERN, variants }, there), { name: 'ShopFault', kind: 'broken' });
  medusa.instead = () => undefined;
  assert.equal(medusa.writes.length, writes + 1);
  assert.deepEqual((await publish({ variants }, there)).sold, ['prod_fern/TEE-White-L']);
});

test('a deleted product is gone; a shop that lacks something or refuses it says so in words', async () => {
  const { there } = await publish();
  medusa.goods.products.length = 0;
  assert.equal(await publishToMedusa(shop, FERN, there), 'gone');
  assert.equal(medusa.goods.products.length, 0);
  await assert.rejects(publish({ title: '' }), { kind: 'rejected', message: 'The shop refuses this request (400).' });
  medusa.goods.isWithoutPlaces = true;
  await assert.rejects(publish(), {
    kind: 'rejected',
    message: 'The shop has no stock location with a sales channel. Make one in the settings of Medusa.',
  });
  medusa.goods.isWithoutPlaces = false;
});
