import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '../../../src/accounts/token.ts';
import { openPerson } from '../../harness/oauth.ts';
import { openRole, pastProof } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closeAccess, openAccess, service } from './access.ts';
import { invite, readLink, useLink } from './links.ts';

before(openAccess);
after(closeAccess);

test('an invitation is a link for an hour, of which the database has the hash alone', async () => {
  const owner = await openRole(service, 'owner');
  const { token, expires_at: expiresAt, created_at: createdAt, id } = await invite(owner, { name: 'Bob' });
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 3_600_000);
  const stored = await rows<{ token_hash: Buffer }>(service, 'select * from account_link where name = $1', ['Bob']);
  assert.deepEqual(stored[0]?.token_hash, hashToken(token));
  assert.ok(!JSON.stringify(stored).includes(token) && id.startsWith('lnk_'));
});

test('a newer invitation to an address replaces the earlier one', async () => {
  const owner = await openRole(service, 'owner');
  const first = await invite(owner);
  const second = await invite(owner, { email: first.email.toUpperCase(), role: 'reader' });
  assert.equal((await readLink(first.token)).status, 404);
  assert.equal((await readLink(second.token)).status, 200);
});

test('an address that signs in to another account is answered as any other, and so is its link in the end', async () => {
  const owner = await openRole(service, 'owner');
  const { accountId } = await service.openCustomer();
  const elsewhere = await openPerson(service, accountId);
  const { token } = await invite(owner, { email: elsewhere.email });
  const used = await useLink(token, { password: 'a password of an attacker' });
  assert.deepEqual([used.status, used.body.code], [404, 'not_found']);
  const [user] = await rows<{ account_id: string }>(service, 'select account_id from account_user where email = $1', [
    elsewhere.email,
  ]);
  assert.equal(user?.account_id, accountId);
});

test('a person of this account, a malformed address, a role that there is not and an old proof are refused', async () => {
  const owner = await openRole(service, 'owner');
  const other = await openPerson(service);
  const ask = (body: object) => owner.request('POST', '/people/invitations', { body });
  const known = await ask({ email: other.email, role: 'reader' });
  assert.deepEqual([known.status, known.body.code], [409, 'conflict']);
  assert.deepEqual(problemsOf(await ask({ email: 'nothing', role: 'reader' })), ['email pattern']);
  assert.deepEqual(problemsOf(await ask({ email: 'a@example.com', role: 'admin' })), ['role unknown_value']);
  await pastProof(service, owner);
  assert.equal((await ask({ email: 'a@example.com', role: 'reader' })).body.code, 'proof_required');
});
