import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { count, type Floor, openFloor } from '../../harness/floor.ts';
import { flat } from '../../harness/pictures.ts';
import { change, create, teeBody } from '../../harness/products.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { only, productsIn, publish, published, stockIn, untilState } from './woo-products.ts';
import { buy, channelOfLinked, inboxOf, type LinkedShop, linkShop, untilInbox, wooLine } from './woo-shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service);
});
after(closeShops);
afterEach(() => assertSound(service));

/** Has shops look for what has changed until something holds. */
async function untilLooked(what: string, holds: () => boolean): Promise<void> {
  await eventuallyLater(service, what, holds, 121_000);
}

const tee = (shop: LinkedShop, skus: string[], name = 'Fern tee'): Promise<string> =>
  teeBody(service, { name, description: 'Soft & <warm>', variant_skus: skus })
    .then((body) => create(shop.customer, body))
    .then(({ id }) => id);

test('a product arrives as a draft without a price, with its variants, their stock and its pictures', async () => {
  const shop = await linkShop();
  const art = await flat(600, 600, '#336633').png().toBuffer();
  service.stranger.serve('/art.png', { headers: { 'content-type': 'image/png' }, body: art });
  const decoration = { areas: [{ print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/art.png') }] };
  const skus = ['TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-BLK-M'];
  const body = await teeBody(service, {
    name: 'Fern tee',
    description: 'Soft & <warm>',
    variant_skus: skus,
    decoration,
  });
  const { id } = await create(shop.customer, body);
  const product = await published({ ...shop, productId: id });
  const { name, type, status, sku, description, images, price, regular_price: regular } = product;
  assert.deepEqual(
    [name, type, status, sku, description],
    ['Fern tee', 'variable', 'draft', id, 'Soft &amp; &lt;warm&gt;'],
  );
  assert.deepEqual([price, regular], [undefined, undefined]);
  assert.deepEqual(
    product.attributes.map((one) => [one.name, one.options]),
    [
      ['Colour', ['White', 'Black']],
      ['Size', ['M']],
    ],
  );
  assert.deepEqual(
    product.variations.map((one) => [one.sku, one.regular_price, one.attributes.map(({ option }) => option).join(' ')]),
    skus.map((each, at) => [`${id}/${each}`, '', at === 0 ? 'White M' : 'Black M']),
  );
  assert.equal(images.length, 2, 'a mockup of each colour');
  const [view] = await productsIn(shop);
  assert.deepEqual(view && { ...view, published_at: null }, {
    product_id: id,
    name: 'Fern tee',
    state: 'published',
    problem: null,
    published_at: null,
    left_out: [],
  });
});

test('it is made once by a sync that dies before it has noted what the shop calls it', async () => {
  const shop = await linkShop();
  await service.ctx.database.script(
    `create function test_die() returns trigger language plpgsql as $$ begin raise exception 'the sync dies'; end $$;
     create trigger test_die before update on channel_product for each row when (new.published_at is not null)
       execute function test_die()`,
  );
  await publish(shop);
  await eventually('the shop has it', () => shop.woo.products.size > 0 && only(shop).variations.length > 0);
  await eventually(
    'the sync has died',
    async () =>
      (await rows(service, "select 1 from job where kind = 'shop_sync' and last_error is not null")).length > 0,
  );
  assert.equal((await productsIn(shop))[0]?.state, 'waiting');
  await service.ctx.database.script('drop trigger test_die on channel_product; drop function test_die()');
  const isPublished = async () => (await productsIn(shop))[0]?.state === 'published';
  await eventuallyLater(service, 'it is published', isPublished, 10_000);
  const { variations } = only(shop);
  assert.ok(variations.length > 0);
  assert.equal(new Set(variations.map(({ sku }) => sku)).size, variations.length);
});

test('products that a shop answers badly stop neither its orders nor its parcels, and are said to have failed', async () => {
  const shop = await linkShop();
  const products = [shop.productId];
  for (const [at, sku] of ['TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-BLK-M'].entries()) {
    products.push(await tee(shop, [sku], `Fern tee ${at}`));
  }
  shop.woo.fail({
    times: Number.POSITIVE_INFINITY,
    only: /^POST \/products/,
    how: (_hit, response) => void response.writeHead(500).end('<h1>A plug-in has failed</h1>'),
  });
  for (const id of products) assert.equal((await publish(shop, id)).status, 202);
  const order = buy(shop);
  const haveFailed = async () => (await productsIn(shop)).filter(({ state }) => state === 'failed').length === 3;
  await eventuallyLater(service, 'all have failed', haveFailed, 121_000);
  await untilInbox(shop, order, 'placed');
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop itself is well');
  shop.woo.mend();
});

test('it is made once, wherever an answer is lost', async () => {
  for (const lost of [/^POST \/products$/, /^POST \/products\/\d+\/variations\/batch$/]) {
    const shop = await linkShop();
    shop.woo.lose(1, lost);
    assert.equal((await publish(shop)).status, 202);
    await eventually('what is wrong shows', async () => (await productsIn(shop))[0]?.problem !== null);
    const isPublished = async () => (await productsIn(shop))[0]?.state === 'published';
    await eventuallyLater(service, 'it is published', isPublished, 121_000);
    const { variations } = only(shop);
    assert.equal(new Set(variations.map(({ sku }) => sku)).size, variations.length);
    assert.ok(variations.length > 1);
  }
});

test('the same again makes no second one, and changes nothing that is the merchant’s', async () => {
  const shop = await linkShop();
  const product = await published(shop);
  Object.assign(product, { name: 'Their own name', status: 'publish', description: 'Theirs' });
  Object.assign(product.variations[0] ?? {}, { regular_price: '25.00' });
  const before = JSON.stringify(product);
  assert.equal((await publish(shop)).status, 202);
  await untilState(shop, 'published');
  assert.equal(JSON.stringify(only(shop)), before);
  assert.equal(
    (await shop.owner.request('DELETE', `/channels/${shop.channelId}/products/${shop.productId}`)).status,
    204,
  );
  assert.deepEqual(await productsIn(shop), []);
  assert.equal((await publish(shop)).status, 202);
  await untilState(shop, 'published');
  assert.equal(JSON.stringify(only(shop)), before, 'it is found again');
});

test('what goes out of stock here does in the shop, and comes back; new variants are added', async () => {
  const shop = await linkShop();
  const [one, two] = ['TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-BLK-S'] as const;
  const id = await tee(shop, [one]);
  const product = await published({ ...shop, productId: id });
  assert.deepEqual(stockIn(product), { [`${id}/${one}`]: 'instock' });
  await count(floor, one, 0);
  await untilLooked('it is out of stock', () => stockIn(product)[`${id}/${one}`] === 'outofstock');
  await count(floor, one, 1_000_000);
  await untilLooked('it is in stock', () => stockIn(product)[`${id}/${one}`] === 'instock');
  Object.assign(product.variations[0] ?? {}, { regular_price: '25.00' });
  await change(shop.customer, id, { variant_skus: [one, two] });
  await untilLooked('the variant is added', () => product.variations.length === 2);
  assert.deepEqual(
    product.attributes.map(({ options }) => options),
    [
      ['White', 'Black'],
      ['M', 'S'],
    ],
  );
  assert.equal(product.variations[0]?.regular_price, '25.00');
  await change(shop.customer, id, { variant_skus: [two] });
  await untilLooked('the variant is out', () => stockIn(product)[`${id}/${one}`] === 'outofstock');
  assert.equal((await shop.customer.request('DELETE', `/products/${id}`)).status, 204);
  await untilLooked('nothing of it is sold', () =>
    Object.values(stockIn(product)).every((each) => each === 'outofstock'),
  );
});

test('an order with the shop’s id of a variant is placed although its SKU was changed there', async () => {
  const shop = await linkShop();
  const product = await published(shop);
  const variation = product.variations.find(({ sku }) => sku === `${shop.productId}/${shop.sku}`);
  assert.ok(variation);
  variation.sku = 'RENAMED';
  const line = wooLine(shop, { product_id: product.id, variation_id: variation.id, sku: 'RENAMED' });
  const order = shop.woo.order({ line_items: [line] });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
});

test('a mapping that a person has made is kept', async () => {
  const shop = await linkShop();
  // Ids of the shop are counted: the product takes one, and its variations those that follow.
  const base = shop.woo.order().id;
  for (let id = base; id < base + 40; id += 1) {
    const item = { key: `variant ${id}`, title: 'Theirs', not_ours: true };
    assert.equal((await shop.owner.request('POST', `/channels/${shop.channelId}/items`, { body: item })).status, 204);
  }
  const product = await published(shop);
  const [variation] = product.variations;
  const order = shop.woo.order({
    line_items: [wooLine(shop, { product_id: product.id, variation_id: variation?.id ?? 0 })],
  });
  await shop.woo.tell(order);
  await eventually(
    'it is ignored',
    async () => (await inboxOf(shop))[String(order.id)]?.startsWith('ignored') === true,
  );
});

test('what the shop’s people delete is left alone until a person publishes it again', async () => {
  const shop = await linkShop();
  const product = await published(shop);
  product.status = 'trash';
  await publish(shop);
  await untilState(shop, 'gone');
  assert.equal(shop.woo.products.size, 1);
  assert.equal((await publish(shop)).status, 202);
  await untilState(shop, 'published');
  assert.deepEqual(
    [...shop.woo.products.values()].map(({ status }) => status),
    ['trash', 'draft'],
  );
});

test('a product that the shop refuses stops no other, says why, and is tried again', async () => {
  const shop = await linkShop();
  shop.woo.products.set(1, {
    id: 1,
    name: 'Theirs',
    status: 'publish',
    sku: shop.productId,
    description: '',
    attributes: [],
    images: [],
    meta_data: [],
    variations: [],
  });
  await publish(shop);
  const other = await tee(shop, ['TEE-CLASSIC-WHT-M']);
  await publish(shop, other);
  await untilState(shop, 'published', other);
  const ofFailed = async () => (await productsIn(shop)).find(({ state }) => state === 'failed');
  const failed = await eventuallyLater(service, 'it has failed', ofFailed, 121_000);
  assert.equal(
    failed.problem,
    `Another product of the shop has the SKU ${shop.productId}. Delete that product there, or give it another SKU.`,
  );
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop itself is well');
  shop.woo.products.delete(1);
  assert.equal((await publish(shop)).status, 202);
  await untilState(shop, 'published');
});
