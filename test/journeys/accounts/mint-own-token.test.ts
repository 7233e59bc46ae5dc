import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MintedToken } from '../../../src/accounts/portal/token-schema.ts';
import { hashToken } from '../../../src/accounts/token.ts';
import { openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closeAccess, isAccepted, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('a person mints a token with some scopes; it works at once, and is stored as a hash', async () => {
  const client = await openRole(service, 'manager');
  const body = { name: 'Shop', scopes: ['orders:read'] };
  const { status, body: minted } = await client.request<MintedToken>('POST', '/tokens', { body });
  assert.deepEqual([status, minted.name, minted.scopes], [201, 'Shop', ['orders:read']]);
  assert.ok(await isAccepted(minted.token));
  const stored = await rows(service, 'select * from access_token where token_hash = $1', [hashToken(minted.token)]);
  assert.equal(stored.length, 1);
  assert.ok(!JSON.stringify(stored).includes(minted.token));
  const list = await client.request('GET', '/tokens');
  assert.ok(!list.text.includes(minted.token) && list.text.includes(minted.id));
});

test('a token without a name or scopes, or with a scope that there is not, is refused', async () => {
  const client = await openRole(service, 'owner');
  for (const [body, problem] of [
    [{ name: ' ', scopes: ['orders:read'] }, 'name pattern'],
    [{ name: 'x', scopes: [] }, 'scopes out_of_bounds'],
    [{ name: 'x', scopes: ['all'] }, 'scopes[0] unknown_value'],
    [{ name: 'x', scopes: ['orders:read'], account: 'acct_1' }, 'account unknown_field'],
  ] as const) {
    const answer = await client.request('POST', '/tokens', { body });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], answer.text);
  }
});
