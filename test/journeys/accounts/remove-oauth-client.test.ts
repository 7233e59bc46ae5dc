import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthClient } from '../../../src/accounts/access/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import {
  authorizePath,
  callEndpoint,
  obtainTokens,
  openApp,
  openBrowser,
  openPerson,
  refresh,
} from '../../harness/oauth.ts';
import {
  act,
  assertUnknown,
  closeAccess,
  isAccepted,
  listed,
  openAccess,
  otherNode,
  service,
  untilUnknown,
} from './access.ts';

before(openAccess);
after(closeAccess);

test('a removed app is as an unknown one on every node, with all its tokens and grants', async () => {
  const app = await openApp(service);
  const person = await openPerson(service);
  const own = (await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' })).body;
  const granted = await obtainTokens(service, app, person);
  assert.ok((await isAccepted(own.access_token)) && (await isAccepted(granted.access_token)));
  const removed = await act<OauthClient>(`/oauth-clients/${app.clientId}/remove`, { reason: 'sold' });
  assert.notEqual(removed.removed_at, null);
  assert.deepEqual(await act(`/oauth-clients/${app.clientId}/remove`), removed);
  for (const token of [own.access_token, granted.access_token]) await untilUnknown(token);
  const none = { ...app, clientId: publicId('client', person.id) };
  for (const node of [service, otherNode]) {
    for (const ask of [
      (as: typeof app) => callEndpoint(node, 'token', as, { grant_type: 'client_credentials' }),
      (as: typeof app) => refresh(node, as, granted.refresh_token),
      (as: typeof app) => callEndpoint(node, 'revoke', as, { token: granted.refresh_token }),
    ]) {
      const [answer, unknown] = [await ask(app), await ask(none)];
      assert.deepEqual([answer.status, answer.body], [unknown.status, unknown.body]);
      assert.equal(answer.status, 401);
    }
    const pages = await Promise.all([app, none].map((as) => openBrowser(node).get(authorizePath(as))));
    assert.deepEqual(
      pages.map(({ status }) => status),
      [400, 400],
    );
    assert.equal(pages[0]?.text, pages[1]?.text);
  }
  assert.deepEqual(await listed(`/oauth-grants?client=${app.clientId}`), []);
});

test('an unknown app is 404', async () => {
  await assertUnknown((id) => `/oauth-clients/${id}/remove`, 'client_', 'app');
});
