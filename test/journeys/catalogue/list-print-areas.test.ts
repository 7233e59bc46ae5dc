import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { closeLists, customer, openLists, pageOf } from '../http/lists.ts';

before(openLists);
after(closeLists);

test('the size in pixels of every print area is the one in millimetres at its resolution, and every area has a method', async () => {
  type Area = {
    print_area: string;
    methods: string[];
    width_mm: number;
    height_mm: number;
    dpi: number;
    width_px: number;
    height_px: number;
  };
  const bases = await pageOf<{ id: string }>('/catalog/products?limit=100');
  assert.ok(bases.data.length > 1);
  for (const { id } of bases.data) {
    const { data: areas } = await pageOf<Area>(`/catalog/products/${id}/print-areas`);
    for (const area of areas) {
      const px = (mm: number): number => Math.round((mm / 25.4) * area.dpi);
      assert.deepEqual([area.width_px, area.height_px], [px(area.width_mm), px(area.height_mm)], area.print_area);
      assert.ok(area.methods.length > 0, area.print_area);
    }
  }
});

test('the print areas of no base product are a 404', async () => {
  for (const id of [publicId('bprod', newId()), publicId('prod', newId()), 'nonsense']) {
    const refused = await customer.request('GET', `/catalog/products/${id}/print-areas`);
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], id);
  }
});
