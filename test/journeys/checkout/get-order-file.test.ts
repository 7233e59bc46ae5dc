import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import type { TestService } from '../../harness/service.ts';
import { type FileShop, HEADINGS, openFileService, rowOf, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('another account has no such file, and a reader changes nothing', async () => {
  const shop = await openShop();
  const file = await upload(shop, [HEADINGS, rowOf(shop, 'R-1')].join('\n'));
  const { person: other } = await openShop();
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  const requests = [
    ['GET', '', undefined],
    ['GET', '/orders', undefined],
    ['GET', '/rows', undefined],
    ['PATCH', '', { prefix: '' }],
    ['POST', '/place', { plan: 1 }],
    ['DELETE', '', undefined],
  ] as const;
  for (const [method, path, body] of requests) {
    const given = body === undefined ? {} : { body };
    assert.equal((await other.request(method, `/order-files/${file.id}${path}`, given)).status, 404, path);
    if (method === 'GET') continue;
    assert.equal((await reader.request(method, `/order-files/${file.id}${path}`, given)).status, 403, path);
  }
  assert.equal((await reader.request('POST', '/order-files', { body: { name: 'x', content: 'a' } })).status, 403);
});
