import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccessToken } from '../../../src/accounts/access/ops-schema.ts';
import type { MintedToken } from '../../../src/accounts/portal/token-schema.ts';
import { hashToken } from '../../../src/accounts/token.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closeAccess, isAccepted, openAccess, service, untilUnknown } from './access.ts';

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

test('a token with an end is refused from then on, and the list says when; without one it has none', async () => {
  const client = await openRole(service, 'owner');
  const mint = async (more: object) => {
    const body = { name: 'Shop', scopes: ['orders:read'], ...more };
    return (await client.request<MintedToken>('POST', '/tokens', { body })).body;
  };
  const [ending, lasting] = [await mint({ valid_days: 30 }), await mint({})];
  const days = (Date.parse(ending.expires_at ?? '') - Date.parse(ending.created_at)) / 86_400_000;
  assert.deepEqual([Math.round(days), lasting.expires_at], [30, null]);
  const { data } = (await client.request<Page<AccessToken>>('GET', '/tokens?limit=2')).body;
  assert.deepEqual(
    data.map(({ expires_at: at }) => at),
    [null, ending.expires_at],
  );
  assert.ok(await isAccepted(ending.token));
  await rows(service, "update access_token set expires_at = now() - interval '1 second' where token_hash = $1", [
    hashToken(ending.token),
  ]);
  await untilUnknown(ending.token);
  assert.ok(await isAccepted(lasting.token));
});

test('a token without a name or scopes, or with a scope that there is not, is refused', async () => {
  const client = await openRole(service, 'owner');
  for (const [body, problem] of [
    [{ name: ' ', scopes: ['orders:read'] }, 'name pattern'],
    [{ name: 'x', scopes: [] }, 'scopes out_of_bounds'],
    [{ name: 'x', scopes: ['all'] }, 'scopes[0] unknown_value'],
    [{ name: 'x', scopes: ['orders:read'], valid_days: 0 }, 'valid_days out_of_bounds'],
    [{ name: 'x', scopes: ['orders:read'], valid_days: 3_651 }, 'valid_days out_of_bounds'],
    [{ name: 'x', scopes: ['orders:read'], account: 'acct_1' }, 'account unknown_field'],
  ] as const) {
    const answer = await client.request('POST', '/tokens', { body });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], answer.text);
  }
});
