import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAllTokenUses } from '../../../src/accounts/access/token-uses.ts';
import { createSessionAuthenticator } from '../../../src/accounts/portal/authenticate-session.ts';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import { openPerson } from '../../harness/oauth.ts';
import { call, openPortal, openRole } from '../../harness/portal.ts';
import { act, closeAccess, openAccess, otherNode, service } from './access.ts';
import { isSignedIn, untilSignedIn, untilSignedOut } from './portal.ts';

before(openAccess);
after(closeAccess);

const HOUR_MS = 3_600_000;

test('a session is read on every node, with the token for changes', async () => {
  const client = await openPortal(service, await openPerson(service));
  for (const node of [service, otherNode]) {
    const { status, body } = await client.at(node).request<Session>('GET', '/session');
    assert.deepEqual([status, body.user, body.csrf_token], [200, client.session.user, client.session.csrf_token]);
  }
});

test('without a cookie, or with a made-up one, the answer is 401', async () => {
  for (const cookie of [undefined, 'platen_session=', `platen_session=${'x'.repeat(43)}`, 'platen_session=../../etc']) {
    const answer = await call(service, 'GET', '/portal/api/v1/session', { headers: { cookie } });
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized'], cookie);
    assert.equal(answer.headers.get('www-authenticate'), 'Session');
  }
  const { token } = service.customer;
  const answer = await call(service, 'GET', '/portal/api/v1/session', {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(answer.status, 401, 'a token of the public API is none of the portal');
});

test('what is withdrawn ends the session on every node within two seconds', async () => {
  const ways: readonly (readonly [what: string, end: (session: Session) => Promise<unknown>])[] = [
    ['suspended', ({ account }) => act(`/accounts/${account.id}/suspend`, { reason: 'unpaid' })],
    ['disabled', ({ user }) => act(`/users/${user.id}/disable`)],
    ['password set', ({ user }) => act(`/users/${user.id}/password`, { password: 'another password of theirs' })],
  ];
  for (const [what, end] of ways) {
    const { accountId } = await service.openCustomer();
    const client = await openRole(service, 'owner', accountId);
    const stranger = await openPortal(service, await openPerson(service));
    assert.ok(await isSignedIn(client), what);
    assert.ok(await isSignedIn(client.at(otherNode)), what);
    await end(client.session);
    await untilSignedOut(client);
    assert.ok(await isSignedIn(stranger), `${what}: that of another account goes on`);
  }
});

test('a session that was suspended with its account goes on once that is resumed; one of a disabled person does not', async () => {
  const { accountId } = await service.openCustomer();
  const client = await openRole(service, 'owner', accountId);
  const { account, user } = client.session;
  await act(`/accounts/${account.id}/suspend`, { reason: 'unpaid' });
  await untilSignedOut(client);
  await act(`/accounts/${account.id}/resume`);
  await untilSignedIn(client);
  await act(`/users/${user.id}/disable`);
  await untilSignedOut(client);
  await act(`/users/${user.id}/enable`);
  assert.ok(!(await isTaken(client)));
});

/** Whether a session is taken, by a look-up that has nothing in memory. */
async function isTaken({ secret }: { readonly secret: string }): Promise<boolean> {
  const uses = createAllTokenUses().sessions;
  const caller = await createSessionAuthenticator(service.ctx, uses)(secret);
  await uses.flush(service.ctx.database);
  return caller !== undefined;
}

test('a session is over after twelve hours without use, and after seven days of it', async () => {
  const used = await openPortal(service, await openPerson(service));
  const idle = await openPortal(service, await openPerson(service));
  service.shiftMs(11 * HOUR_MS);
  assert.ok(await isTaken(used));
  service.shiftMs(2 * HOUR_MS);
  assert.deepEqual([await isTaken(used), await isTaken(idle)], [true, false]);
  let hours = 13;
  for (; hours + 11 < 7 * 24; hours += 11) {
    service.shiftMs(11 * HOUR_MS);
    assert.ok(await isTaken(used), `after ${hours + 11} hours`);
  }
  service.shiftMs((7 * 24 - hours) * HOUR_MS);
  assert.ok(!(await isTaken(used)), 'seven days');
});

test('the last use is written at most once a minute', async () => {
  const client = await openPortal(service, await openPerson(service));
  const seenAt = async (): Promise<string | undefined> => {
    await isTaken(client);
    const { body } = await client.request<{ data: { last_seen_at: string }[] }>('GET', '/sessions');
    return body.data[0]?.last_seen_at;
  };
  const first = await seenAt();
  service.shiftMs(50_000);
  assert.equal(await seenAt(), first);
  service.shiftMs(11_000);
  assert.ok(Date.parse((await seenAt()) ?? '') - Date.parse(first ?? '') >= 61_000);
});
