import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestService } from '../../harness/service.ts';
import { booksOf } from '../../harness/written.ts';
import { confirm, type FileShop, HEADINGS, openFileService, rowOf, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('a file goes with its plan, and not while its orders are placed; those stay', async () => {
  const shop = await openShop();
  const remove = async ({ id }: { id: string }) => (await shop.person.request('DELETE', `/order-files/${id}`)).status;
  const file = await takenOn(shop, await upload(shop, [HEADINGS, rowOf(shop, 'D-1')].join('\n')));
  await confirm(shop, file);
  assert.equal(await remove(file), 409);
  await takenOn(shop, file);
  assert.equal(await remove(file), 204);
  assert.equal((await shop.person.request('GET', `/order-files/${file.id}`)).status, 404);
  assert.equal((await booksOf(service, shop.customer)).orders, 1);
});
