import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { Product } from '../../../src/products/schema.ts';
import { allProducts, read, refuseChange } from '../../harness/products.ts';
import { closeChanges, customer, decorated, openChanges, order, service, WHITE_M } from './changes.ts';

before(openChanges);
after(closeChanges);

test('3.3 4.4 DELETE archives: 204 without a body, again and again; no longer listed, edited or ordered, still read (3.3 archive, 3.3 archive again, 3.3 patch archived, 7 conflict, 9.4 product writes, 1.6)', async () => {
  const product = await decorated();
  const placed = await order(product.id, WHITE_M);
  assert.equal(placed.status, 201, placed.text);
  service.shiftMs(1_000);
  const first = await customer.request('DELETE', `/products/${product.id}`);
  assert.deepEqual([first.status, first.text, first.headers.get('content-type')], [204, '', null]);
  const archived = await read(customer, product.id);
  assert.equal(archived.status, 'archived');
  assert.ok(archived.updated_at > product.updated_at);
  const untouched = await allProducts(service);
  service.shiftMs(1_000);
  const repeats = await Promise.all(
    Array.from({ length: 5 }, () => customer.request('DELETE', `/products/${product.id}`)),
  );
  assert.deepEqual(new Set(repeats.map(({ status }) => status)), new Set([204]));
  for (const body of [{}, { name: 'New' }, { status: 'active' }]) {
    const refused = await refuseChange(customer, product.id, body);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  }
  const ordered = await order(product.id, WHITE_M);
  assert.deepEqual([ordered.status, ordered.body.code], [422, 'validation_failed']);
  assert.deepEqual(await allProducts(service), untouched, 'nothing of all this was written');
  const list = await customer.request<Page<Product>>('GET', '/products?limit=100');
  assert.equal(
    list.body.data.some(({ id }) => id === product.id),
    false,
  );
  const kept = await customer.request<{ items: { name: string }[] }>('GET', `/orders/${placed.body.id}`);
  assert.deepEqual([kept.status, kept.body.items[0]?.name], [200, 'A tee']);
});
