import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closeLists, customer, openLists, pageOf, service, walk } from '../http/lists.ts';

before(openLists);
after(closeLists);

test('4.7 stock is read in pages, all of it or of the SKUs asked for, unknown ones left out', async () => {
  type Stock = { variant_sku: string; available: number };
  const all = await walk<Stock>('/stock', 100);
  const [count] = await rows<{ count: number }>(service, 'select count(*) as count from stock');
  assert.equal(new Set(all.map((entry) => entry.variant_sku)).size, count?.count);
  const skus = ['TEE-CLASSIC-WHT-XL', 'NOPE', 'TEE-CLASSIC-WHT-2XL', 'TEE-CLASSIC-WHT-L', 'TEE-CLASSIC-LIM-3XL'];
  const known = ['TEE-CLASSIC-LIM-3XL', 'TEE-CLASSIC-WHT-2XL', 'TEE-CLASSIC-WHT-L', 'TEE-CLASSIC-WHT-XL'];
  const asked = await pageOf<Stock>(`/stock?variant_sku=${skus.join(',')}`);
  assert.deepEqual(
    asked.data.map((entry) => entry.variant_sku),
    known,
  );
  assert.equal(asked.data[0]?.available, 0);
  const first = await pageOf<Stock>(`/stock?variant_sku=${skus.join(',')}&limit=2`);
  const rest = await pageOf<Stock>(`/stock?variant_sku=${skus.join(',')}&limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.data, ...rest.data], asked.data);
  for (const wrong of ['', 'A,', 'A B', Array.from({ length: 101 }, (_, index) => `S${index}`).join(',')]) {
    const answer = await customer.request('GET', `/stock?variant_sku=${encodeURIComponent(wrong)}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, ['variant_sku pattern']]);
  }
});
