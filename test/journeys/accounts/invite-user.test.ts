import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { InvitedUser } from '../../../src/accounts/joining/invitation-schema.ts';
import { newId, parseId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { openPerson } from '../../harness/oauth.ts';
import { openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { act, admin, auditOf, closeAccess, openAccess, service } from './access.ts';
import { invite, readLink, tokenOf, useLink } from './links.ts';

before(openAccess);
after(closeAccess);

/** Where a new account, which has no people yet, is invited to. */
async function openInvitations(): Promise<{ uuid: Uuid; accountId: string; path: string }> {
  const { accountId: uuid } = await service.openCustomer();
  const accountId = publicId('acct', uuid);
  return { uuid, accountId, path: `/accounts/${accountId}/invitations` };
}

test('an operator invites the owner of a new account, who chooses a password and is signed in', async () => {
  const { accountId, path } = await openInvitations();
  const body = { email: ' First@Example.com', role: 'owner', name: 'Ada', reason: 'signed the contract' };
  const { status, body: invited, text } = await admin.request<InvitedUser>('POST', path, body);
  assert.equal(status, 201, text);
  const { id, url, expires_at: expiresAt, ...rest } = invited;
  const said = { account_id: accountId, email: 'first@example.com', role: 'owner', name: 'Ada', mailed: false };
  assert.deepEqual(rest, said);
  assert.ok(expiresAt !== null && Date.parse(expiresAt) > service.ctx.clock.now().getTime());
  const token = tokenOf(url ?? undefined);
  assert.deepEqual((await readLink(token)).body.email, 'first@example.com');
  const used = await useLink(token, { password: 'a password of the owner' });
  assert.deepEqual([used.status, used.body.user?.role, used.body.account?.id], [201, 'owner', accountId]);
  const log = await auditOf(parseId('lnk', id));
  assert.deepEqual(
    log.map(({ action, detail }) => [action, detail]),
    [['invite_user', { account_id: accountId, invitation_id: id, role: 'owner', reason: 'signed the contract' }]],
    'the audit log, which is kept for years, has no address',
  );
});

test('a repeat under its key names the same invitation without its link, which goes on', async () => {
  const { path } = await openInvitations();
  const body = { email: 'again@example.com', role: 'reader' };
  const ask = () => admin.request<InvitedUser>('POST', path, body, { 'idempotency-key': 'an-invitation' });
  const [first, again] = [await ask(), await ask()];
  assert.deepEqual([first.status, again.status], [201, 201]);
  const { id, email, role, name, account_id } = first.body;
  assert.deepEqual(again.body, { id, account_id, email, role, name, url: null, mailed: false, expires_at: null });
  assert.equal((await readLink(tokenOf(first.body.url ?? undefined))).status, 200);
});

test('a malformed address and a role that there is not are 422, and an unknown account is 404', async () => {
  const { path } = await openInvitations();
  const body = { email: 'new@example.com', role: 'reader' };
  assert.deepEqual(problemsOf(await admin.request('POST', path, { ...body, email: 'nothing' })), ['email pattern']);
  assert.deepEqual(problemsOf(await admin.request('POST', path, { ...body, role: 'admin' })), ['role unknown_value']);
  const before = await auditOf(undefined);
  for (const id of [publicId('acct', newId()), 'nothing']) {
    const answer = await admin.request('POST', `/accounts/${id}/invitations`, body);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
  }
  assert.deepEqual(await auditOf(undefined), before);
});

test('only admins invite', async () => {
  const { path } = await openInvitations();
  for (const role of ['viewer', 'production', 'finance'] as const) {
    const operator = await service.openOperator(role);
    const answer = await operator.request('POST', path, { email: 'new@example.com', role: 'owner' });
    assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_scope'], role);
  }
  assert.deepEqual((await admin.request<{ data: unknown[] }>('GET', path)).body.data, []);
});

test('an address that is invited already is 409, also by an owner, and the link that is open goes on', async () => {
  const owner = await openRole(service, 'owner');
  const path = `/accounts/${publicId('acct', service.customer.accountId)}/invitations`;
  const open = await invite(owner);
  const ask = () => admin.request('POST', path, { email: open.email.toUpperCase(), role: 'owner' });
  const refused = await ask();
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail, new RegExp(`withdraw ${open.id} first`));
  assert.equal((await readLink(open.token)).status, 200);
  await act(`/invitations/${open.id}/withdraw`);
  assert.equal((await ask()).status, 201);
});

test('of two operators who invite an address at once, one is refused', async () => {
  const { path } = await openInvitations();
  const ask = () => admin.request('POST', path, { email: 'twice@example.com', role: 'owner' });
  const answers = await Promise.all([ask(), ask()]);
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409],
  );
});

test('an address that signs in to this or another account is 409, and so is a suspended account', async () => {
  const { uuid, accountId, path } = await openInvitations();
  const ask = (email: string) => admin.request('POST', path, { email, role: 'reader' });
  const own = await openPerson(service, uuid);
  const other = await openPerson(service);
  assert.match((await ask(own.email)).body.detail, /is a person of this account already/);
  const elsewhere = await ask(other.email);
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [409, 'conflict']);
  assert.match(elsewhere.body.detail, new RegExp(publicId('acct', service.customer.accountId)));
  await act(`/users/${publicId('user', other.id)}/disable`);
  assert.equal((await ask(other.email)).status, 409, 'a disabled person keeps their address');
  await act(`/accounts/${accountId}/suspend`, { reason: 'unpaid' });
  assert.match((await ask('new@example.com')).body.detail, /suspended/);
});

test('an account has a hundred open invitations at the most', async () => {
  const { uuid, path } = await openInvitations();
  await rows(
    service,
    `insert into account_link (account_id, id, kind, token_hash, email, role, name, created_at, ends_at)
     select $1, gen_random_uuid(), 'invitation', sha256(n::text::bytea), n || '@example.com', 'reader', '', $2, $3
     from generate_series(1, 100) as n`,
    [uuid, service.ctx.clock.now(), new Date(service.ctx.clock.now().getTime() + 60_000)],
  );
  const refused = await admin.request('POST', path, { email: 'new@example.com', role: 'reader' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail, /100 invitations are open/);
});
