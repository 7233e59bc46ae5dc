import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccessToken } from '../../../src/accounts/access/ops-schema.ts';
import { createAllTokenUses } from '../../../src/accounts/access/token-uses.ts';
import { createAuthenticator } from '../../../src/accounts/authenticate.ts';
import { mintToken } from '../../../src/accounts/mint-token.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { callEndpoint, openApp } from '../../harness/oauth.ts';
import { rows } from '../../harness/written.ts';
import { act, admin, assertPaged, closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('the personal tokens of the account alone, newest first, revoked ones too; nothing of the secret', async () => {
  const customer = await service.openCustomer();
  const path = `/accounts/${publicId('acct', customer.accountId)}/tokens`;
  const { accountId } = customer;
  const minted = await mintToken(service.ctx, { accountId, scopes: ['orders:read'], name: 'till' });
  const app = await openApp(service, { accountId });
  assert.equal((await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' })).status, 200);
  const id = publicId('tok', minted.id);
  await act(`/tokens/${id}/revoke`);
  const tokens = await listed<AccessToken>(path);
  assert.equal(tokens.length, 2);
  assert.deepEqual(Object.keys(tokens[0] ?? {}), [
    'id',
    'name',
    'scopes',
    'created_at',
    'expires_at',
    'last_used_at',
    'revoked_at',
  ]);
  const [first, second] = tokens;
  assert.deepEqual([first?.id, first?.name, first?.scopes, first?.last_used_at], [id, 'till', ['orders:read'], null]);
  assert.ok(first?.revoked_at !== null && second?.revoked_at === null);
  assert.ok(!JSON.stringify(tokens).includes(minted.token.slice(9)));
  await assertPaged(path);
});

test('an unknown account is 404, a cursor of another list 422', async () => {
  assert.equal((await admin.request('GET', '/accounts/acct_1/tokens')).status, 404);
  const unknown = publicId('acct', (await mintToken(service.ctx, { accountId: service.customer.accountId })).id);
  assert.equal((await admin.request('GET', `/accounts/${unknown}/tokens`)).status, 404);
  const own = publicId('acct', service.customer.accountId);
  assert.equal((await admin.request('GET', `/accounts/${own}/tokens?cursor=${own}`)).status, 422);
});

test('when a token was last used is written once in ten minutes, however often it is used, and never after its last use', async () => {
  const { accountId, token } = await service.openCustomer();
  const uses = createAllTokenUses();
  let shiftedMs = 0;
  const clock = { now: () => new Date(service.ctx.clock.now().getTime() + shiftedMs) };
  const use = async (): Promise<void> => {
    // A cache of its own for each use: every one is a look-up.
    const authenticate = createAuthenticator({ database: service.ctx.database, clock }, uses.customers);
    assert.ok(await authenticate(token));
  };
  const lastUsed = async (): Promise<Date | null | undefined> => {
    const [row] = await rows<{ last_used_at: Date | null }>(
      service,
      'select last_used_at from access_token where account_id = $1',
      [accountId],
    );
    return row?.last_used_at;
  };
  const beganAt = clock.now();
  for (let round = 0; round < 5; round += 1) await use();
  assert.equal(await lastUsed(), null, 'a use itself writes nothing');
  await uses.customers.flush(service.ctx.database);
  const first = await lastUsed();
  assert.ok(first instanceof Date && first >= beganAt && first <= clock.now());
  shiftedMs = 9 * 60_000;
  await use();
  await uses.customers.flush(service.ctx.database);
  assert.deepEqual(await lastUsed(), first);
  shiftedMs = 11 * 60_000;
  await use();
  const usedAt = clock.now();
  shiftedMs = 30 * 60_000;
  await uses.customers.flush(service.ctx.database);
  const second = await lastUsed();
  assert.ok(second instanceof Date && second > first && second <= usedAt);
});
