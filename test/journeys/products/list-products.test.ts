import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId } from '../../../src/lib/ids.ts';
import type { Product } from '../../../src/products/schema.ts';
import { addProduct } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closeLists, customer, openLists, pageOf, service, walk } from '../http/lists.ts';

before(openLists);
after(closeLists);

test('a product that is archived while the list is read leaves neither a gap nor a repeat (2.3 status, 4.4 list, C46)', async () => {
  const products: string[] = [];
  for (let count = 0; count < 6; count += 1) products.push(await addProduct(service, customer, 'MUG-11OZ'));
  const first = await pageOf<Product>('/products?limit=2');
  const cursor = first.next_cursor ?? '';
  await rows(service, "update product set status = 'archived' where id = $1", [parseId('prod', cursor) ?? '']);
  const next = await pageOf<Product>(`/products?limit=2&cursor=${cursor}`);
  const newestFirst = products.toReversed();
  assert.deepEqual(
    [...first.data, ...next.data].map(({ id }) => id),
    newestFirst.slice(0, 4),
  );
  const list = await walk<Product>('/products', 100);
  assert.equal(
    list.some(({ id }) => id === cursor),
    false,
    'archived products are not listed',
  );
  const archived = await customer.request<Product>('GET', `/products/${cursor}`);
  assert.deepEqual([archived.status, archived.body.status], [200, 'archived']);
});
