import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccessToken } from '../../../src/accounts/access/ops-schema.ts';
import type { MintedToken } from '../../../src/accounts/portal/token-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openRole } from '../../harness/portal.ts';
import { closeAccess, isAccepted, openAccess, service, untilUnknown } from './access.ts';

before(openAccess);
after(closeAccess);

test('a revoked token is unknown on every node; that of another account is 404 and goes on', async () => {
  const client = await openRole(service, 'owner');
  const { accountId, token: theirToken } = await service.openCustomer();
  const other = await openRole(service, 'owner', accountId);
  const { body: minted } = await client.request<MintedToken>('POST', '/tokens', {
    body: { name: 'Shop', scopes: ['orders:read'] },
  });
  assert.ok(await isAccepted(minted.token));
  assert.equal((await client.request('DELETE', `/tokens/${minted.id}`)).status, 204);
  await untilUnknown(minted.token);
  assert.equal((await client.request('DELETE', `/tokens/${minted.id}`)).status, 204);
  const theirs = (await other.request<Page<AccessToken>>('GET', '/tokens')).body.data;
  assert.equal(theirs.length, 1);
  for (const id of [theirs[0]?.id, 'tok_1', minted.id.replace('tok', 'ses')]) {
    const answer = await client.request('DELETE', `/tokens/${id}`);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], id);
  }
  assert.ok(await isAccepted(theirToken));
});
