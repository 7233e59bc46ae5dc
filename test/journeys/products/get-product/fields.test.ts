import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Product } from '../../../../src/products/schema.ts';
import { closeLists, openLists, service } from '../../http/lists.ts';

before(openLists);
after(closeLists);

test('2.3 fields: the demo product shows every field of the specification (2.3 print_areas, 2.3 variants)', async () => {
  const { body } = await service.customer.request<Product>('GET', `/products/${service.demo.products.fixed}`);
  const fields =
    'id,name,description,status,tags,retail_price,base_product,mockup_url,thumbnail_url,mockups,personalised,print_areas,variants,created_at,updated_at';
  assert.deepEqual(Object.keys(body), fields.split(','));
  assert.deepEqual(
    [body.name, body.status, body.retail_price, body.personalised],
    ['Fern and Tide tee', 'active', 28, false],
  );
  assert.deepEqual(Object.keys(body.variants[0] ?? {}), ['id', 'blank_variant_sku', 'colour', 'colour_hex', 'active']);
  const file = new URL('../../../../data/demo/products.json', import.meta.url);
  const demo = JSON.parse(await readFile(file, 'utf8')) as { products: { areas?: { design: string }[] }[] };
  const stored = demo.products.flatMap(({ areas = [] }) => areas).map(({ design: _design, ...area }) => area);
  assert.deepEqual(body.print_areas, stored);
});
