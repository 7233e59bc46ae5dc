import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import { call, openRole, secretOf, signIn } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { act, closeAccess, openAccess, service } from './access.ts';
import { invite, readLink, tokenOf, useLink } from './links.ts';
import { isSignedIn, untilSignedOut } from './portal.ts';

before(openAccess);
after(closeAccess);

const password = 'a password of their own';

test('a person who was invited chooses a password, is signed in, and has the role; the link works once', async () => {
  const owner = await openRole(service, 'owner');
  const { token, email } = await invite(owner, { name: 'B.' });
  const used = await useLink(token, { password, name: 'Bob' });
  assert.equal(used.status, 201, used.text);
  assert.deepEqual([used.body.user.email, used.body.user.name, used.body.user.role], [email, 'Bob', 'orders']);
  assert.equal(used.body.account.id, owner.session.account.id);
  const cookie = `platen_session=${secretOf(used)}`;
  const session = await call<Session>(service, 'GET', '/portal/api/v1/session', { headers: { cookie } });
  assert.equal(session.body.user.email, email);
  assert.equal((await useLink(token, { password })).status, 404);
  assert.equal((await signIn(service, { email, password })).status, 201);
});

test('of many who use a link at once one comes in', async () => {
  const { token } = await invite(await openRole(service, 'owner'));
  const answers = await Promise.all(Array.from({ length: 5 }, () => useLink(token, { password })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 404, 404, 404, 404],
  );
});

test('a new password by a link ends all sessions of the person, and not before it is used', async () => {
  const client = await openRole(service, 'manager');
  const made = await act<{ url: string }>(`/users/${client.session.user.id}/password-link`, { reason: 'forgotten' });
  assert.ok(await isSignedIn(client));
  const used = await useLink(tokenOf(made.url), { password });
  assert.deepEqual([used.status, used.body.user.role], [201, 'manager']);
  await untilSignedOut(client);
  assert.equal((await signIn(service, { email: client.person.email, password })).status, 201);
});

test('a link lets no disabled person in', async () => {
  const client = await openRole(service, 'manager');
  const made = await act<{ url: string }>(`/users/${client.session.user.id}/password-link`);
  await act(`/users/${client.session.user.id}/disable`);
  assert.equal((await useLink(tokenOf(made.url), { password })).status, 404);
});

// Last, since the clock of the other node does not move.
test('a link is over after an hour, and that of a suspended account while it is; a short password leaves it as it is', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const { token } = await invite(owner);
  const short = await useLink(token, { password: 'short' });
  assert.deepEqual([short.status, problemsOf(short as never)], [422, ['password out_of_bounds']]);
  await act(`/accounts/${owner.session.account.id}/suspend`, { reason: 'unpaid' });
  assert.equal((await useLink(token, { password })).status, 404);
  await act(`/accounts/${owner.session.account.id}/resume`);
  assert.equal((await readLink(token)).status, 200);
  service.shiftMs(3_600_000);
  assert.equal((await useLink(token, { password })).status, 404);
});
