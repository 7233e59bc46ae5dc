import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashToken } from '../../../src/accounts/token.ts';
import { newId } from '../../../src/lib/ids.ts';
import { placeOrder } from '../../harness/floor.ts';
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

test("invitations to an address are counted for each account, so that none uses up another's", async () => {
  const email = 'wanted@example.com';
  const body = { email, role: 'reader' };
  const first = await openRole(service, 'owner');
  for (let time = 0; time < 20; time += 1) await invite(first, body);
  const refused = await first.request('POST', '/people/invitations', { body });
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
  const { accountId } = await service.openCustomer();
  const second = await openRole(service, 'owner', accountId);
  assert.equal((await second.request('POST', '/people/invitations', { body })).status, 201);
});

// Last, since what it says of the account stays.
test('an account that was opened by oneself invites ten people a day until its first order is paid', async () => {
  const { accountId } = service.customer;
  await rows(
    service,
    `insert into operator_action (id, operator_id, action, subject_id, detail, request_hash, created_at)
     values ($1, null, 'sign_up', $2, '{}', '', $3)`,
    [newId(), accountId, service.ctx.clock.now()],
  );
  service.shiftMs(86_400_001);
  const owner = await openRole(service, 'owner');
  for (let time = 0; time < 10; time += 1) await invite(owner);
  const ask = () => owner.request('POST', '/people/invitations', { body: { email: 'x@example.com', role: 'reader' } });
  const refused = await ask();
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
  assert.match(refused.text, /until its first order is paid/);
  assert.ok(refused.headers.get('retry-after'));
  await placeOrder(service);
  assert.equal((await ask()).status, 201);
});
