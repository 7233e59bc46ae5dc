import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccessToken } from '../../../src/accounts/access/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('the tokens of the account, page by page, and of no other', async () => {
  const { accountId } = await service.openCustomer();
  const client = await openRole(service, 'owner', accountId);
  for (const name of ['one', 'two']) {
    await client.request('POST', '/tokens', { body: { name, scopes: ['orders:read'] } });
  }
  const first = await client.request<Page<AccessToken>>('GET', '/tokens?limit=2');
  assert.deepEqual([first.body.data.map(({ name }) => name), first.body.has_more], [['two', 'one'], true]);
  const rest = await client.request<Page<AccessToken>>('GET', `/tokens?limit=2&cursor=${first.body.next_cursor}`);
  assert.deepEqual([rest.body.data.map(({ name }) => name), rest.body.has_more], [[''], false]);
  assert.equal((await client.request('GET', '/tokens?limit=0')).status, 422);
  assert.equal((await client.request('GET', '/tokens?state=live')).status, 422);
});
