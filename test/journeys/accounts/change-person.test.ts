import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PersonOfAccount } from '../../../src/accounts/portal/people-schema.ts';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import { eventually } from '../../harness/context.ts';
import { openRole, type PortalClient, pastProof } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { closeAccess, openAccess, otherNode, service } from './access.ts';
import { invite, readLink, useLink } from './links.ts';
import { openCrowd } from './people.ts';
import { isSignedIn, untilSignedOut } from './portal.ts';

before(openAccess);
after(closeAccess);

const change = (by: PortalClient, of: PortalClient, body: object) =>
  by.request<PersonOfAccount & { code?: string }>('PATCH', `/people/${of.session.user.id}`, { body });

test('another role holds on every node within two seconds, for scopes and for the operations of the portal', async () => {
  const [owner, other] = [await openRole(service, 'owner'), await openRole(service, 'manager')];
  assert.equal((await other.at(otherNode).request('GET', '/people')).status, 200);
  const changed = await change(owner, other, { role: 'reader', name: 'Rita' });
  assert.deepEqual([changed.status, changed.body.role, changed.body.name], [200, 'reader', 'Rita']);
  for (const node of [service, otherNode]) {
    const at = other.at(node);
    await eventually('it is a reader', async () => (await at.request('GET', '/people')).status === 403, 2_000);
    const write = await at.api('POST', '/orders', { body: {} });
    assert.deepEqual([write.status, write.body.code], [403, 'insufficient_scope']);
  }
  const { body } = await other.request<Session>('GET', '/session');
  assert.deepEqual([body.user.role, body.scopes.includes('orders:write')], ['reader', false]);
});

test('a disabled person is signed out everywhere, and may sign in again once enabled', async () => {
  const [owner, other] = [await openRole(service, 'owner'), await openRole(service, 'orders')];
  const disabled = await change(owner, other, { disabled: true });
  assert.notEqual(disabled.body.disabled_at, null);
  await untilSignedOut(other);
  assert.equal((await change(owner, other, { disabled: false })).body.disabled_at, null);
  assert.ok(!(await isSignedIn(other)), 'what ended stays ended');
});

test('the last owner who can sign in stays one, also when two take the role from each other at once', async () => {
  const { accountId } = await service.openCustomer();
  const [one, two] = [await openRole(service, 'owner', accountId), await openRole(service, 'owner', accountId)];
  const answers = await Promise.all([change(one, two, { role: 'reader' }), change(two, one, { disabled: true })]);
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  // The second may find that it is no owner any more before it asks for anything.
  assert.ok(statuses[0] === 200 && [401, 403, 409].includes(statuses[1] ?? 0), statuses.join(' '));
  const left = answers[0]?.status === 200 ? one : two;
  for (const body of [{ role: 'manager' }, { disabled: true }]) {
    const refused = await change(left, left, body);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], refused.text);
  }
  assert.ok(await isSignedIn(left));
});

test('a person of another account is 404, an old proof 403, and a wrong role or member 422; nothing changes', async () => {
  const { accountId } = await service.openCustomer();
  const [owner, stranger] = [await openRole(service, 'owner'), await openRole(service, 'reader', accountId)];
  const missing = await change(owner, stranger, { role: 'owner' });
  assert.deepEqual([missing.status, missing.body.code], [404, 'not_found']);
  for (const [body, problem] of [
    [{ role: 'admin' }, 'role unknown_value'],
    [{ email: 'a@example.com' }, 'email unknown_field'],
    [{ name: 'x'.repeat(101) }, 'name out_of_bounds'],
  ] as const) {
    const answer = await owner.request('PATCH', `/people/${owner.session.user.id}`, { body });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], answer.text);
  }
  await pastProof(service, owner);
  const old = await change(owner, owner, { name: 'Ada' });
  assert.deepEqual([old.status, old.body.code], [403, 'proof_required']);
  const { body } = await stranger.request<Session>('GET', '/session');
  assert.equal(body.user.role, 'reader');
});

test('who is removed or demoted does not come back by an invitation that they made before', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  for (const [role, body] of [
    ['owner', { disabled: true }],
    ['owner', { role: 'manager' }],
    ['manager', { role: 'orders' }],
  ] as const) {
    const other = await openRole(service, role, accountId);
    const { token } = await invite(role === 'owner' ? other : owner, { role: 'owner' });
    assert.equal((await change(owner, other, { name: 'Ada' })).status, 200);
    assert.equal((await readLink(token)).status, 200, 'another name ends nothing');
    assert.equal((await change(owner, other, body)).status, 200);
    const used = await useLink(token, { password: 'a password of an alias' });
    assert.deepEqual([used.status, used.body.code], [404, 'not_found'], JSON.stringify(body));
  }
});

test('who was removed a moment ago invites nobody, nor do they take their role back', async () => {
  const { accountId } = await service.openCustomer();
  const [owner, other] = [await openRole(service, 'owner', accountId), await openRole(service, 'owner', accountId)];
  // A session is known for a second.
  assert.equal((await other.request('GET', '/people')).status, 200);
  assert.equal((await change(owner, other, { role: 'reader' })).status, 200);
  const invited = await other.request<{ code?: string }>('POST', '/people/invitations', {
    body: { email: 'alias@example.com', role: 'owner' },
  });
  assert.equal(invited.status, 403, invited.text);
  assert.equal((await change(other, other, { role: 'owner' })).status, 403);
});

test('the last of more than 1,000 people is changed as any other', async () => {
  const { owner, last } = await openCrowd(1_001);
  const changed = await owner.request<PersonOfAccount>('PATCH', `/people/${last}`, { body: { role: 'orders' } });
  assert.deepEqual([changed.status, changed.body.id, changed.body.role], [200, last, 'orders'], changed.text);
});
