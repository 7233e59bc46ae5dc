import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeLists, customer, openLists, pageOf, walk } from '../http/lists.ts';

before(openLists);
after(closeLists);

test('4.7 catalogue: a base product is listed with its areas, methods and variants, and its areas with their templates', async () => {
  type Base = { id: string; master_sku: string; print_areas: string[]; variants: { sku: string }[] };
  const list = await walk<Base>('/catalog/products', 4);
  const tee = list.find((base) => base.master_sku === 'TEE-CLASSIC');
  assert.equal(new Set(list.map(({ id }) => id)).size, list.length);
  const one = await customer.request<Base>('GET', `/catalog/products/${tee?.id}`);
  assert.deepEqual(one.body, tee);
  const areas = await pageOf<{ print_area: string }>(`/catalog/products/${tee?.id}/print-areas`);
  assert.deepEqual(
    areas.data.map((entry) => entry.print_area),
    tee?.print_areas,
  );
  assert.deepEqual(areas.data[2], {
    print_area: 'left_sleeve',
    title: 'Left sleeve',
    methods: ['dtf', 'embroidery'],
    width_mm: 90,
    height_mm: 90,
    dpi: 300,
    width_px: 1_063,
    height_px: 1_063,
    format: 'png',
  });
});
