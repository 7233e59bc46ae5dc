import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findLink } from '../../../src/channels/linked/link-sql.ts';
import { callsWithRenewal, unsealed } from '../../../src/channels/linked/renew-credentials.ts';
import type { Shop } from '../../../src/channels/platforms/port.ts';
import type { PublishedProduct, ShopProduct } from '../../../src/channels/platforms/published-product.ts';
import { publishToShopify } from '../../../src/channels/platforms/shopify/products.ts';
import { SHOPIFY } from '../../../src/channels/platforms/shopify/shopify.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { isSoldBy } from '../../harness/shopify/product-answers.ts';
import { type DoubleShop, MERCHANT_LOCATION } from '../../harness/shopify/shop-state.ts';
import { closeShopify, connect, double, isPlaced, openShopify, service, until } from './shopify-shops.ts';

const NAMES = ['made', 'lost', 'stock', 'gone', 'edited', 'many', 'throttled', 'older', 'refused', 'unplaced'];
before(() => openShopify(NAMES.map((name) => `goods-${name}`)));
after(closeShopify);

/** A connected shop with the calls of a sync to it. */
async function open(name: string) {
  const connected = await connect(`goods-${name}`);
  const { customer, channelId, shop: there } = connected;
  const id = parseId('chan', channelId);
  assert.ok(id !== undefined);
  const link = await findLink(service.ctx.database, customer.accountId, id);
  assert.ok(link !== undefined);
  const { signal } = new AbortController();
  const access = { accountId: customer.accountId, channelId: id, address: link.address, platform: SHOPIFY, signal };
  const { call } = callsWithRenewal(service.ctx, access, {
    sealed: link.sealed,
    credentials: unsealed(service.ctx, link),
  });
  const [ours] = there.services;
  const facts = { handle: ours?.handle ?? '', locationId: ours?.locationId ?? '' };
  const shop: Shop = { call, credentials: {}, facts, noticeUrl: '', noticeSecret: '', since: new Date() };
  return { connected, shop, there, locationId: facts.locationId };
}

function variant(colour: string, size: string, isInStock = true) {
  return { sku: `prod_fern/TEE-${colour}-${size}`, colour, size, isInStock };
}

const FERN: PublishedProduct = {
  id: 'prod_fern',
  title: 'Fern tee',
  description: 'Drawn by hand.\nBy Ada & Co.\n\n<Soft> cotton.',
  isOffered: true,
  variants: [variant('White', 'M'), variant('White', 'L', false), variant('Black', 'M')],
  pictures: ['https://print.example/fern-1.png', 'https://print.example/fern-2.png'],
};

function changed(there: ShopProduct | 'gone'): ShopProduct {
  assert.ok(there !== 'gone');
  return there;
}

const soldIn = ({ products }: DoubleShop): (string | null)[] =>
  products.flatMap(({ variants }) => variants.filter(isSoldBy).map(({ sku }) => sku));

const writesOf = ({ done }: DoubleShop): string[] => done.filter((name) => name.startsWith('mutation'));

test('a product is made as a draft without prices, and its orders come to our location', async () => {
  const { shop, there, locationId } = await open('made');
  const made = changed(await publishToShopify(shop, FERN, undefined));
  const [product] = there.products;
  assert.ok(product !== undefined);
  assert.equal(made.productId, product.id);
  assert.deepEqual([product.status, product.title, product.media], ['DRAFT', 'Fern tee', FERN.pictures]);
  assert.equal(product.descriptionHtml, '<p>Drawn by hand.<br>By Ada &amp; Co.</p><p>&lt;Soft&gt; cotton.</p>');
  assert.deepEqual(
    product.options.map(({ name }) => name),
    ['Colour', 'Size'],
  );
  assert.deepEqual(
    product.variants.map(({ id, sku, price, values, levels }) => ({ id, sku, price, values, levels: [...levels] })),
    FERN.variants.map(({ sku, colour, size }) => ({
      ...{ id: made.variants[sku], sku, price: '0.00', values: [colour, size] },
      levels: [[locationId, 0]],
    })),
  );
  assert.deepEqual(soldIn(there), ['prod_fern/TEE-White-M', 'prod_fern/TEE-Black-M']);
  const writes = writesOf(there).length;
  assert.deepEqual(await publishToShopify(shop, FERN, made), made);
  assert.equal(writesOf(there).length, writes, 'what is so is not written again');
});

test('a product whose answer was lost is found again by its id', async () => {
  const { shop, there } = await open('lost');
  there.loseAnswerOf = 'mutation MakeProduct';
  await assert.rejects(publishToShopify(shop, FERN, undefined), { name: 'ShopFault', kind: 'away' });
  const made = changed(await publishToShopify(shop, FERN, undefined));
  const other = { ...FERN, id: 'prod_other', variants: [{ ...variant('White', 'M'), sku: 'prod_other/TEE' }] };
  await publishToShopify(shop, other, undefined);
  assert.deepEqual(
    there.products.map(({ handle, variants }) => [handle, variants.length]),
    [
      ['fern-tee', 3],
      ['fern-tee-1', 1],
    ],
  );
  assert.deepEqual(
    Object.keys(made.variants),
    FERN.variants.map(({ sku }) => sku),
  );
});

test('variants go out of stock and come back, and an archived product sells none', async () => {
  const { shop, there, locationId } = await open('stock');
  const made = changed(await publishToShopify(shop, FERN, undefined));
  const [product] = there.products;
  assert.ok(product !== undefined);
  product.status = 'ACTIVE';
  for (const one of product.variants) one.price = '25.00';
  await publishToShopify(shop, { ...FERN, variants: FERN.variants.map((one) => ({ ...one, isInStock: true })) }, made);
  assert.equal(soldIn(there).length, 3);
  // A refund has put a piece back, and the shop's people do not count another.
  product.variants[0]?.levels.set(locationId, 1);
  if (product.variants[1] !== undefined) product.variants[1].tracked = false;
  there.loseAnswerOf = 'mutation ChangeVariants';
  await assert.rejects(publishToShopify(shop, { ...FERN, isOffered: false }, made), { kind: 'away' });
  await publishToShopify(shop, { ...FERN, isOffered: false }, made);
  assert.deepEqual([soldIn(there), product.status], [[], 'ACTIVE']);
  assert.equal(product.variants[0]?.levels.get(locationId), 0);
  await publishToShopify(shop, { ...FERN, variants: FERN.variants.slice(0, 1) }, made);
  assert.deepEqual(soldIn(there), ['prod_fern/TEE-White-M'], 'what is no variant any more is not sold');
  assert.equal(await publishToShopify(shop, { ...FERN, id: 'prod_never', isOffered: false }, undefined), 'gone');
  assert.equal(there.products.length, 1);
});

test('a product that was deleted in the shop is gone, and is not made again', async () => {
  const { shop, there } = await open('gone');
  const made = changed(await publishToShopify(shop, FERN, undefined));
  there.products.length = 0;
  assert.equal(await publishToShopify(shop, FERN, made), 'gone');
  assert.equal(there.products.length, 0);
});

test('what its people have changed is left alone, and a new variant is not sold before it has a price', async () => {
  const { shop, there } = await open('edited');
  const made = changed(await publishToShopify(shop, FERN, undefined));
  const [product] = there.products;
  assert.ok(product !== undefined);
  const edits = { title: 'Farn', descriptionHtml: '<p>Baumwolle</p>', status: 'ACTIVE', media: ['https://own/1.png'] };
  Object.assign(product, edits, {
    options: product.options.map((one, at) => ({ ...one, name: ['Farbe', 'Größe'][at] })),
  });
  const [first, second] = product.variants;
  assert.ok(first !== undefined && second !== undefined);
  Object.assign(first, { sku: 'OWN-1', price: '25.00' });
  product.variants = product.variants.filter((one) => one !== second);
  const grown = { ...FERN, title: 'Fern tee 2', pictures: [], variants: [...FERN.variants, variant('Red', 'XL')] };
  const now = changed(await publishToShopify(shop, grown, made));
  assert.deepEqual({ ...product, ...edits }, product);
  assert.deepEqual(
    product.variants.map(({ sku, price, values }) => [sku, price, values.join(' ')]),
    [
      ['OWN-1', '25.00', 'White M'],
      ['prod_fern/TEE-Black-M', '0.00', 'Black M'],
      ['prod_fern/TEE-Red-XL', '0.00', 'Red XL'],
    ],
    'what was deleted is not added again',
  );
  const added = product.variants[2];
  assert.ok(added !== undefined);
  assert.deepEqual([now.variants['prod_fern/TEE-Red-XL'], isSoldBy(added)], [added.id, false]);
  assert.equal(now.variants['prod_fern/TEE-White-M'], first.id);
  added.price = '29.00';
  await publishToShopify(shop, grown, now);
  assert.ok(isSoldBy(added));
  product.options.pop();
  await assert.rejects(publishToShopify(shop, { ...grown, variants: [...grown.variants, variant('Sand', 'S')] }, now), {
    kind: 'rejected',
    message: 'A variant cannot be added: the product has other options in the shop than colour and size.',
  });
});

/** Variants of so many colours in five sizes. */
function ofColours(count: number) {
  const colours = Array.from({ length: count }, (_, at) => `Colour ${at + 1}`);
  return colours.flatMap((colour) => ['S', 'M', 'L', 'XL', 'XXL'].map((size) => variant(colour, size)));
}

test('a product of 250 variants is made at once, and grows by another 250', async () => {
  const { shop, there } = await open('many');
  const made = changed(await publishToShopify(shop, { ...FERN, variants: ofColours(50) }, undefined));
  assert.equal(Object.keys(made.variants).length, 250);
  const now = changed(await publishToShopify(shop, { ...FERN, variants: ofColours(100) }, made));
  assert.equal(Object.keys(now.variants).length, 500);
  assert.equal(there.products[0]?.variants.length, 500);
  await publishToShopify(shop, { ...FERN, variants: ofColours(100), isOffered: false }, now);
  assert.equal(soldIn(there).length, 0);
});

test('what Shopify asks to be patient with in the middle goes on where it was', async () => {
  const { shop, there } = await open('throttled');
  const made = changed(await publishToShopify(shop, FERN, undefined));
  // Read, a hundred added, and then.
  there.faults.push('none', 'none', 'throttled');
  const grown = { ...FERN, variants: [...FERN.variants, ...ofColours(40)] };
  await assert.rejects(publishToShopify(shop, grown, made), { name: 'ShopFault', kind: 'busy' });
  assert.equal(there.products[0]?.variants.length, 103);
  const now = changed(await publishToShopify(shop, grown, made));
  assert.equal(there.products[0]?.variants.length, 203);
  assert.equal(Object.keys(now.variants).length, 203);
});

test('a shop that has not consented to products says so, and its orders go on', async () => {
  const { connected, shop, there } = await open('older');
  for (const scope of ['write_products', 'read_inventory', 'write_inventory']) there.scopes.delete(scope);
  await assert.rejects(publishToShopify(shop, FERN, undefined), {
    kind: 'rejected',
    message: 'Shopify does not let the print shop publish products. Connect the shop again so that it allows products.',
  });
  const order = await double.order(there, [connected.ours]);
  await until(connected, order.id, isPlaced);
});

test('what Shopify refuses is a fault in words, without what it has sent', async () => {
  const { shop } = await open('refused');
  const publish = (changes: Partial<PublishedProduct>) => publishToShopify(shop, { ...FERN, ...changes }, undefined);
  await assert.rejects(publish({ variants: ofColours(410) }), {
    kind: 'rejected',
    message: 'The product has more variants than this shop takes.',
  });
  await assert.rejects(publish({ pictures: ['ftp://print.example/1.png'] }), {
    kind: 'rejected',
    message: 'Shopify refuses this product because of input.files.0.originalSource.',
  });
});

test('in a shop without our location a product stands at the shop’s own', async () => {
  const { shop, there } = await open('unplaced');
  await publishToShopify({ ...shop, facts: { handle: '', locationId: '' } }, FERN, undefined);
  const [product] = there.products;
  assert.ok(product?.variants.every(({ levels }) => levels.has(MERCHANT_LOCATION)));
  assert.equal(soldIn(there).length, 2);
});
