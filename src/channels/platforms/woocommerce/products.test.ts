import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Shop } from '../port.ts';
import type { PublishedProduct } from '../published-product.ts';
import { ShopFault } from '../shop-call.ts';
import { publishInWoo } from './products.ts';

type Asked = { readonly method: string; readonly path: string; readonly body: Record<string, unknown> };

/** A shop that answers by the path, and what it was asked. */
function shopThat(answers: (asked: Asked) => unknown): { shop: Shop; asked: Asked[] } {
  const asked: Asked[] = [];
  const call: Shop['call'] = async (method, path, body = {}) => {
    const one = { method, path: path.replace('/wp-json/wc/v3', ''), body };
    asked.push(one);
    const json = answers(one);
    return json === undefined ? undefined : { status: 200, headers: new Headers(), json };
  };
  const rest = { credentials: {}, facts: {}, noticeUrl: '', noticeSecret: '', since: new Date(0) };
  return { shop: { call, ...rest }, asked };
}

const product = (variants: number, changes: Partial<PublishedProduct> = {}): PublishedProduct => ({
  id: 'prod_1',
  title: 'Fern tee',
  description: '',
  isOffered: true,
  variants: Array.from({ length: variants }, (_, at) => ({
    sku: `prod_1/${at}`,
    colour: 'White',
    size: String(at),
    isInStock: at % 2 === 0,
  })),
  pictures: [],
  ...changes,
});

const KNOWN = { productId: '7', variants: { 'prod_1/0': '70', 'prod_1/1': '71' } };
const OURS = { id: 7, status: 'publish', attributes: [], images: [] };

test('variations are made a hundred at a time', async () => {
  let ids = 100;
  const { shop, asked } = shopThat(({ method, path, body }) => {
    if (path.includes('/batch')) return { create: (body.create as object[]).map((one) => ({ ...one, id: ++ids })) };
    return method === 'POST' ? { ...OURS, status: 'draft' } : [];
  });
  const made = await publishInWoo(shop, product(250), undefined);
  assert.notEqual(made, 'gone');
  if (made !== 'gone') assert.equal(new Set(Object.values(made.variants)).size, 250);
  const sizes = asked.filter(({ path }) => path.endsWith('/batch')).map(({ body }) => (body.create as object[]).length);
  assert.deepEqual(sizes, [100, 100, 50]);
});

test('a variation that was deleted stays so, a backorder is left alone, and what is as it should be is not written', async () => {
  const present = [{ id: 70, sku: 'RENAMED', stock_status: 'onbackorder' }];
  const { shop, asked } = shopThat(({ path }) => (path.includes('/variations') ? present : OURS));
  assert.deepEqual(await publishInWoo(shop, product(2), KNOWN), KNOWN);
  assert.deepEqual(
    asked.map(({ method }) => method),
    ['GET', 'GET'],
  );
});

test('what is out of stock alone is written, without anything else', async () => {
  const present = [
    { id: 70, sku: 'prod_1/0', stock_status: 'instock' },
    { id: 71, sku: 'prod_1/1', stock_status: 'instock' },
  ];
  const { shop, asked } = shopThat(({ method, path, body }) =>
    method === 'POST' ? body : path.includes('/variations') ? present : OURS,
  );
  await publishInWoo(shop, product(2), KNOWN);
  assert.deepEqual(
    asked.filter(({ method }) => method !== 'GET'),
    [
      {
        method: 'POST',
        path: '/products/7/variations/batch',
        body: { update: [{ id: 71, stock_status: 'outofstock' }] },
      },
    ],
  );
});

test('a product that is in no list or in the trash is gone', async () => {
  for (const answer of [undefined, { ...OURS, status: 'trash' }]) {
    const { shop } = shopThat(({ path }) => (path.startsWith('/products?') ? [] : answer));
    assert.equal(await publishInWoo(shop, product(2), KNOWN), 'gone');
  }
});

test('a product that the list holds and the shop does not give out, or that no list is there for, is a fault', async () => {
  for (const list of [undefined, {}, [{ id: 7 }]]) {
    const { shop } = shopThat(({ path }) => (path.startsWith('/products?') ? list : undefined));
    await assert.rejects(publishInWoo(shop, product(2), KNOWN), { name: 'ShopFault', kind: 'broken' });
  }
});

test('what is written to a place that is not there, or is not listed, is a fault, wherever it happens', async () => {
  const present = [{ id: 70, sku: 'prod_1/0', stock_status: 'outofstock' }];
  const answers = ({ method, path }: Asked): unknown =>
    path.includes('/variations') ? (method === 'GET' ? present : {}) : OURS;
  for (const off of [/^GET .*\/variations/, /^POST .*\/batch$/]) {
    const { shop } = shopThat((one) => (off.test(`${one.method} ${one.path}`) ? undefined : answers(one)));
    await assert.rejects(publishInWoo(shop, product(1), KNOWN), { name: 'ShopFault', kind: 'broken' });
  }
  const pictures = product(0, { pictures: ['https://print.example/1.jpg'] });
  const { shop } = shopThat(({ method }) => (method === 'PUT' ? undefined : method === 'POST' ? OURS : []));
  await assert.rejects(publishInWoo(shop, pictures, undefined), { name: 'ShopFault', kind: 'broken' });
  const off = shopThat(() => undefined);
  await assert.rejects(publishInWoo(off.shop, product(1), undefined), { name: 'ShopFault', kind: 'broken' });
  assert.deepEqual(
    off.asked.map(({ method }) => method),
    ['GET'],
    'no second one is made of what cannot be looked for',
  );
});

test('a shop that lists variations, or products under our SKUs, without end is a fault', async () => {
  const full = Array.from({ length: 100 }, (_, at) => ({ id: 1_000 + at, sku: '', stock_status: 'instock' }));
  const endless = shopThat(({ path }) => {
    assert.ok(endless.asked.length < 100, 'it is asked no more');
    return path.includes('/variations') ? full : OURS;
  });
  await assert.rejects(publishInWoo(endless.shop, product(2), KNOWN), { name: 'ShopFault', kind: 'broken' });
  const crowd = Array.from({ length: 5_000 }, (_, at) => ({ id: at + 1, type: 'simple', sku: 'prod_1' }));
  const crowded = shopThat(({ method, path, body }) => {
    assert.ok(crowded.asked.length < 100, 'it is asked no more');
    if (path.includes('/batch'))
      return { create: (body.create as object[]).map((one, at) => ({ ...one, id: at + 1 })) };
    if (path.startsWith('/products?')) return crowd;
    return method === 'POST' ? OURS : path.includes('/variations') ? [] : { ...OURS, meta_data: [] };
  });
  assert.notEqual(await publishInWoo(crowded.shop, product(2), undefined), 'gone');
});

test('a variation that is made without an id is a fault, and is kept under none', async () => {
  const { shop } = shopThat(({ method, path }) => {
    if (path.includes('/batch')) return { create: [{ sku: 'prod_1/0' }] };
    return method === 'POST' ? OURS : [];
  });
  await assert.rejects(publishInWoo(shop, product(1), undefined), { name: 'ShopFault', kind: 'broken' });
});

test('what WooCommerce refuses is said in words', async () => {
  const refusing = (code: string, of: RegExp): Shop =>
    shopThat(({ method, path }) => {
      if (of.test(`${method} ${path}`)) throw new ShopFault('rejected', 'no', undefined, code);
      if (path.includes('/batch')) return { create: [{ id: 0, error: { code } }] };
      return method === 'GET' ? [] : OURS;
    }).shop;
  const pictures = { pictures: ['https://print.example/a.jpg'] };
  const cases = [
    [refusing('product_invalid_sku', /^POST \/products$/), product(1), /has the SKU prod_1\./],
    [refusing('product_invalid_sku', /^never/), product(1), /has the SKU prod_1\/0\./],
    [refusing('woocommerce_product_image_upload_error', /^PUT/), product(0, pictures), /cannot read the pictures/],
    [refusing('rest_other', /^POST \/products$/), product(1), /refuses the product/],
  ] as const;
  for (const [shop, published, words] of cases) {
    await assert.rejects(publishInWoo(shop, published, undefined), {
      name: 'ShopFault',
      kind: 'rejected',
      message: words,
    });
  }
});
