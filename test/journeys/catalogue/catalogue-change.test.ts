import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder, Estimate, Order } from '../../../src/orders/schema.ts';
import { importCatalogue } from '../../../src/pricing/import-catalogue.ts';
import type { Product } from '../../../src/products/schema.ts';
import type { ProductAreaRow } from '../../../src/products/sql.ts';
import { verify } from '../../../src/verify/verify.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, problemsOf, teeItem, unsigned } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

type DemoCatalogue = {
  base_products: {
    master_sku: string;
    print_areas: { print_area: string; methods: string[] }[];
    variants: { sku: string }[];
  }[];
  price_book: { blanks: { master_sku: string; breaks: { unit_pence: number }[] }[]; prints: { method: string }[] };
};

const BLACK_L = { variant_sku: 'TEE-CLASSIC-BLK-L', print_jobs: [{ area: 'back', method: 'dtf' }] };

let service: TestService;
let customer: Customer;
let mug: string;
let placedBefore: CreatedOrder;
let seenBefore: Order;
let unitPriceBefore: number | undefined;

before(async () => {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  mug = await addProduct(service, customer, 'MUG-11OZ');
  placedBefore = await place(
    basket(service, { external_reference: 'before', items: [teeItem(service, { quantity: 2 })] }),
  );
  seenBefore = (await customer.request<Order>('GET', `/orders/${placedBefore.id}`)).body;
  const black = basket(service, { items: [teeItem(service, BLACK_L)] });
  const estimated = await customer.request<Estimate>('POST', '/orders/estimate', black);
  unitPriceBefore = estimated.body.lines[0]?.unit_price;
  await importCatalogue(service.ctx, await changedCatalogue());
});
after(() => service.stop());

/** The demo's, without mugs, without the white tee in M, without its front, without stitched sleeves, and a tee 1.00 dearer. */
async function changedCatalogue(): Promise<DemoCatalogue> {
  const file = new URL('../../../data/demo/catalogue.json', import.meta.url);
  const document = JSON.parse(await readFile(file, 'utf8')) as DemoCatalogue;
  document.base_products = document.base_products.filter(({ master_sku: sku }) => sku !== 'MUG-11OZ');
  const { price_book: book } = document;
  book.blanks = book.blanks.filter(({ master_sku: sku }) => sku !== 'MUG-11OZ');
  book.prints = book.prints.filter(({ method }) => method !== 'sublimation');
  for (const base of document.base_products.filter(({ master_sku: sku }) => sku === 'TEE-CLASSIC')) {
    base.variants = base.variants.filter(({ sku }) => sku !== 'TEE-CLASSIC-WHT-M');
    base.print_areas = base.print_areas
      .filter(({ print_area: area }) => area !== 'front')
      .map((area) => ({ ...area, methods: area.methods.filter((method) => method !== 'embroidery') }));
  }
  for (const blank of book.blanks.filter(({ master_sku: sku }) => sku === 'TEE-CLASSIC')) {
    for (const step of blank.breaks) step.unit_pence += 100;
  }
  return document;
}

async function place(body: object): Promise<CreatedOrder> {
  const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.ok([200, 201].includes(answer.status), answer.text);
  return answer.body;
}

const ITEM = { variant_sku: 'TEE-CLASSIC-BLK-L', quantity: 1 };

/** A product that has a design for the front alone. */
async function addFrontOnly(): Promise<string> {
  const areas = await rows<Omit<ProductAreaRow, 'width_px' | 'height_px'>>(
    service,
    `select print_area, method, encode(design_hash, 'hex') as design_hash, x, y, scale, rotation from product_area
     where account_id = $1 and print_area = 'front'`,
    [customer.accountId],
  );
  return addProduct(service, customer, 'TEE-CLASSIC', { areas });
}

test('a new price holds for the next estimate and order, and an order that was placed keeps its own (D57, F104)', async () => {
  const body = basket(service, { items: [teeItem(service, BLACK_L)] });
  const { body: estimated } = await customer.request<Estimate>('POST', '/orders/estimate', body);
  const { charged } = await place(body);
  assert.deepEqual([charged.total, charged.lines[0]?.unit_price], [estimated.total, estimated.lines[0]?.unit_price]);
  assert.deepEqual([unitPriceBefore, charged.lines[0]?.unit_price], [8.9, 9.9]);
  const repeat = await place(basket(service, { external_reference: 'before' }));
  assert.deepEqual(unsigned(repeat), unsigned(placedBefore));
  const read = await customer.request<Order>('GET', `/orders/${placedBefore.id}`);
  assert.deepEqual(unsigned(read.body), unsigned(seenBefore));
});

test('products whose variant, area or base product is no longer offered are still listed and read', async () => {
  const list = await customer.request<Page<Product>>('GET', '/products');
  assert.equal(list.status, 200, list.text);
  assert.deepEqual(
    new Set(list.body.data.map(({ id }) => id)),
    new Set([mug, ...Object.values(service.demo.products)]),
  );
  const tee = await customer.request<Product>('GET', `/products/${service.demo.products.fixed}`);
  const white = tee.body.variants.find((variant) => variant.blank_variant_sku === 'TEE-CLASSIC-WHT-M');
  assert.deepEqual([white?.active, white?.colour], [false, 'White']);
});

test('what is no longer offered cannot be ordered, and the refusal lists only what can', async () => {
  const order = (changes: object) =>
    customer.request('POST', '/orders', basket(service, { items: [teeItem(service, changes)] }));
  const variant = await order({ print_jobs: [] });
  assert.deepEqual([variant.status, problemsOf(variant)], [422, ['items[0].variant_sku unknown_variant']]);
  const offered = variant.body.errors?.[0]?.valid_values ?? [];
  assert.deepEqual([offered.length, offered.includes('TEE-CLASSIC-WHT-M')], [19, false]);
  const area = await order({ ...BLACK_L, print_jobs: [{ area: 'front', method: 'dtg' }] });
  assert.deepEqual([area.status, problemsOf(area)], [422, ['items[0].print_jobs[0].area unknown_print_area']]);
  assert.deepEqual(area.body.errors?.[0]?.valid_values, ['back', 'left_sleeve']);
  const method = await order({ ...BLACK_L, print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] });
  assert.deepEqual([method.status, problemsOf(method)], [422, ['items[0].print_jobs[0].method unknown_method']]);
  const gone = await order({ product_id: mug, variant_sku: 'MUG-11OZ-WHT', print_jobs: [] });
  assert.deepEqual([gone.status, problemsOf(gone)], [422, ['items[0].variant_sku unknown_variant']]);
});

test('4.1.2 without print_jobs a product whose first area is gone is refused: no other is printed in its place', async () => {
  const { print_jobs: _leftOut, ...item } = teeItem(service, BLACK_L);
  const refused = await customer.request('POST', '/orders', basket(service, { items: [item] }));
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['items[0].print_jobs unknown_print_area']]);
  assert.deepEqual(refused.body.errors?.[0]?.valid_values, ['back', 'left_sleeve']);
});

test('a product whose areas are all gone is neither printed elsewhere nor sent out blank unless asked for', async () => {
  const design = await addFrontOnly();
  const order = (changes: object) =>
    customer.request('POST', '/orders', basket(service, { items: [{ product_id: design, ...ITEM, ...changes }] }));
  const artwork = { artwork_url: 'https://art.example.test/none.png' };
  const statuses = [
    await order({}),
    await order({ print_jobs: [{ area: 'back', method: 'dtf' }] }),
    await order({ decoration: { areas: [{ print_area: 'back', method: 'dtf', ...artwork }] } }),
    await order({ print_jobs: [] }),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [422, 422, 422, 201]);
});

test('base products that are no longer offered are not listed, and are still read by whoever has a product of them', async () => {
  const list = await customer.request<Page<{ master_sku: string }>>('GET', '/catalog/products?limit=100');
  assert.equal(
    list.body.data.some((base) => base.master_sku === 'MUG-11OZ'),
    false,
  );
  const product = await customer.request<Product>('GET', `/products/${mug}`);
  const base = await customer.request('GET', `/catalog/products/${product.body.base_product.id}`);
  const prices = await customer.request('GET', `/catalog/products/${product.body.base_product.id}/prices`);
  assert.deepEqual([base.status, prices.status < 500], [200, true], prices.text);
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
