import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ListedOrderFile } from '../../../src/checkout/order-files/order-file-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { TestService } from '../../harness/service.ts';
import { confirm, type FileShop, HEADINGS, openFileService, rowOf, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('files are listed newest first, page by page, with what became of their orders; old ones end', async () => {
  const shop = await openShop();
  const files = [];
  for (const name of ['L-1', 'L-2', 'L-3']) files.push(await upload(shop, [HEADINGS, rowOf(shop, name)].join('\n')));
  const [first] = files;
  const done = await takenOn(shop, first ?? { id: '' });
  await confirm(shop, done);
  await takenOn(shop, done);
  const list = async (query: string) =>
    (await shop.person.request<Page<ListedOrderFile>>('GET', `/order-files?${query}`)).body;
  const page = await list('limit=2');
  assert.deepEqual(
    page.data.map(({ id }) => id),
    [files[2]?.id, files[1]?.id],
  );
  const next = await list(`limit=2&cursor=${page.next_cursor}`);
  assert.deepEqual(
    next.data.map(({ id, status, counts }) => [id, status, counts.placed]),
    [[first?.id, 'placed', 1]],
  );
  assert.equal(next.next_cursor, null);
});
