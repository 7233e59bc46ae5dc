import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session } from '../../../src/accounts/access/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { authorizePath, openApp, openBrowser, openPerson, reachPage, signInOn } from '../../harness/oauth.ts';
import { admin, assertPaged, closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('the browsers in which the people of the account are signed in, each once, until they expire', async () => {
  const { accountId } = await service.openCustomer();
  const path = `/accounts/${publicId('acct', accountId)}/sessions`;
  const app = await openApp(service);
  const people = [await openPerson(service, accountId), await openPerson(service, accountId)];
  for (const person of people) {
    const browser = openBrowser(service);
    await signInOn(browser, await reachPage(browser, authorizePath(app)), person);
    await reachPage(browser, authorizePath(app));
  }
  const sessions = await listed<Session>(path);
  assert.deepEqual(
    sessions.map(({ user_id: userId, email }) => [userId, email]),
    people.toReversed().map(({ id, email }) => [publicId('user', id), email]),
  );
  assert.ok(sessions.every((session) => session.expires_at > session.created_at));
  await assertPaged(path);
  service.shiftMs(8 * 3_600_000);
  assert.deepEqual(await listed(path), []);
});

test('an unknown account is 404', async () => {
  assert.equal((await admin.request('GET', `/accounts/${publicId('acct', admin.id)}/sessions`)).status, 404);
});
