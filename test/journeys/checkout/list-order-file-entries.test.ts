import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrderFileEntries } from '../../../src/checkout/order-files/order-file-schema.ts';
import type { TestService } from '../../harness/service.ts';
import { type FileShop, HEADINGS, openFileService, rowOf, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('the orders of a file come in pages of a hundred, all or those of a status', async () => {
  const shop = await openShop();
  const lines = Array.from({ length: 105 }, (_, index) =>
    rowOf(shop, `E-${index}`, { quantity: index === 101 ? 'none' : '1' }),
  );
  const file = await takenOn(shop, await upload(shop, [HEADINGS, ...lines].join('\n')));
  const list = async (query: string) =>
    (await shop.person.request<OrderFileEntries>('GET', `/order-files/${file.id}/orders?${query}`)).body;
  const page = await list('');
  assert.deepEqual([page.data.length, page.next_after], [100, 100]);
  const rest = await list('after=100');
  assert.deepEqual([rest.data.map(({ place }) => place), rest.next_after], [[101, 102, 103, 104, 105], null]);
  const wrong = await list('status=wrong');
  assert.deepEqual(
    wrong.data.map(({ external_reference: number, rows }) => [number, rows]),
    [['E-101', [103]]],
  );
});
