import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { Estimate, Order } from '../../../src/orders/schema.ts';
import type { Product } from '../../../src/products/schema.ts';
import type { ProductAreaRow } from '../../../src/products/sql.ts';
import { verify } from '../../../src/verify/verify.ts';
import { addProduct, basket, problemsOf, teeItem, unsigned } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import {
  BLACK_L,
  closeChange,
  customer,
  mug,
  openChange,
  place,
  placedBefore,
  seenBefore,
  service,
  unitPriceBefore,
} from './change.ts';

before(openChange);
after(closeChange);

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
  const repeat = await place(
    basket(service, { external_reference: 'before', items: [teeItem(service, { quantity: 2 })] }),
  );
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

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
