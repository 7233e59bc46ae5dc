import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrderFile, OrderFileItems } from '../../../src/checkout/order-files/order-file-schema.ts';
import type { TestService } from '../../harness/service.ts';
import { entriesOf, type FileShop, HEADINGS, openFileService, SKU, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('an item that is forgotten is unknown again; to forget it twice changes nothing', async () => {
  const shop = await openShop();
  const { person } = shop;
  const row = ['F-1', 'Old name', 'OLD-1', '1', 'Ada Byron', '12 Mill Lane', 'Leeds', 'LS1 4DY', 'GB'].join(',');
  const file = await upload(shop, [HEADINGS, row].join('\n'));
  const path = `/order-files/${file.id}/items`;
  const key = 'sku OLD-1';
  await person.request('POST', path, { body: { key, product_id: shop.productId, variant_sku: SKU } });
  assert.equal((await takenOn(shop, file)).counts.ready, 1);
  for (const plan of [3, 4]) {
    const forgotten = await person.request<OrderFile>('POST', `${path}/forget`, { body: { key } });
    assert.deepEqual([forgotten.status, forgotten.body.plan, forgotten.body.counts.wrong], [200, plan, 1]);
  }
  assert.match((await entriesOf(shop, file))[0]?.problems[0]?.message ?? '', /^There is no product "Old name"/);
  const { body } = await person.request<OrderFileItems>('GET', path);
  assert.deepEqual([body.unknown.map((item) => item.key), body.known], [[key], []]);
  const unknown = await person.request('POST', `${path}/forget`, { body: { key: 'sku NONE' } });
  assert.equal(unknown.status, 422);
});
