import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { User } from '../../../src/accounts/access/ops-schema.ts';
import { authorizePath, decideOn, openBrowser, reachPage, signInOn } from '../../harness/oauth.ts';
import { openRole } from '../../harness/portal.ts';
import { act, admin, assertUnknown, auditOf, closeAccess, openAccess, service, untilUnknown } from './access.ts';
import { invite, readLink } from './links.ts';
import { assertAllEnded, openSignedIn, signInStatus } from './people.ts';

before(openAccess);
after(closeAccess);

test('a disabled user cannot sign in, and the sessions and grants of the user end on every node', async () => {
  const signedIn = await openSignedIn();
  const before = await signInStatus(signedIn, 'not the password at all');
  const user = await act<User>(`${signedIn.path}/disable`, { reason: 'left the company' });
  assert.notEqual(user.disabled_at, null);
  await assertAllEnded(signedIn);
  assert.equal(await signInStatus(signedIn), before, 'the right password is answered as a wrong one');
  assert.deepEqual(await act<User>(`${signedIn.path}/disable`), user);
  const [entry] = await auditOf(signedIn.person.id);
  assert.deepEqual(
    [entry?.action, Object.keys(entry?.detail ?? {})],
    ['disable_user', ['account_id', 'user_id', 'reason']],
  );
});

test('the open invitations of the account end, so that nobody comes back by one', async () => {
  const owner = await openRole(service, 'owner');
  const { token } = await invite(owner, { role: 'owner' });
  await act(`/users/${owner.session.user.id}/disable`);
  assert.equal((await readLink(token)).status, 404);
});

test('while a consent is being given: either it came first and ended with the rest, or it is refused', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { path, browser, consent, person } = await openSignedIn();
    const [answered] = await Promise.all([
      decideOn(browser, consent, 'approve').catch(() => undefined),
      admin.request('POST', `${path}/disable`),
    ]);
    const live = await service.ctx.database.all(
      {
        name: 'test_live_of_user',
        text: `select 1 from oauth_grant where user_id = $1 and revoked_at is null union all
               select 1 from oauth_record r where r.user_id = $1 and r.kind = 'session' and r.expires_at > $2`,
      },
      [person.id, service.ctx.clock.now()],
    );
    assert.deepEqual(live, [], `round ${round}: ${answered?.href}`);
  }
});

test('while somebody signs in: no session comes of it', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { path, app, person } = await openSignedIn();
    const browser = openBrowser(service);
    const waiting = await reachPage(browser, authorizePath(app));
    await Promise.all([
      signInOn(browser, waiting, person).catch(() => undefined),
      admin.request('POST', `${path}/disable`),
    ]);
    const question = await reachPage(browser, authorizePath(app));
    assert.ok(question.page.text.includes('id="password"'));
    await act(`${path}/enable`);
    const asked = await reachPage(browser, authorizePath(app));
    assert.ok(asked.page.text.includes('id="password"'), 'a session came back with the user');
  }
});

test('an unknown user is 404; others of the account go on', async () => {
  await assertUnknown((id) => `/users/${id}/disable`, 'user_', 'user');
  const [one, other] = [await openSignedIn(), await openSignedIn()];
  await act(`${one.path}/disable`);
  await untilUnknown(one.tokens.access_token);
  assert.equal(await signInStatus(other), 200);
});
