import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { Product } from '../../../src/products/schema.ts';
import { closeChange, customer, mug, openChange } from './change.ts';

before(openChange);
after(closeChange);

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
