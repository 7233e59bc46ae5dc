import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrderFileItems } from '../../../src/checkout/order-files/order-file-schema.ts';
import type { TestService } from '../../harness/service.ts';
import { type FileShop, HEADINGS, openFileService, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

const rowOfItem = (number: string, product: string, sku: string) =>
  [number, product, sku, '1', 'Ada Byron', '12 Mill Lane', 'Leeds', 'LS1 4DY', 'GB'].join(',');

test('the items of a file that are no products are listed, those of most rows first, with what they may be', async () => {
  const shop = await openShop();
  const content = [
    HEADINGS,
    rowOfItem('L-1', 'Fern shirt', 'TEE-CLASSIC-WHT-M'),
    rowOfItem('L-2', 'A mug', ''),
    rowOfItem('L-3', 'A mug', ''),
    rowOfItem('L-4', 'Fern tee', 'TEE-CLASSIC-WHT-M'),
    rowOfItem('L-5', 'Fern tee', 'SHIRT-9'),
    rowOfItem('L-6', shop.productId, 'SHIRT-10'),
  ].join('\n');
  const { id } = await upload(shop, content);
  const { body } = await shop.person.request<OrderFileItems>('GET', `/order-files/${id}/items`);
  assert.deepEqual(
    body.unknown.map(({ key, title, rows, suggestions }) => [key, title, rows, suggestions.length > 0]),
    [
      ['title A mug', 'A mug', 2, false],
      ['title Fern shirt - TEE-CLASSIC-WHT-M', 'Fern shirt', 1, true],
      ['sku SHIRT-9', 'Fern tee', 1, true],
    ],
  );
  assert.deepEqual(body.unknown[1]?.suggestions[0], {
    product_id: shop.productId,
    product_name: 'Fern tee',
    variant_sku: 'TEE-CLASSIC-WHT-M',
  });
});
