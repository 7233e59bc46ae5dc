import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Session } from '../../../src/accounts/access/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { authorizePath, openBrowser, proofOf, reachPage, refresh, signInOn } from '../../harness/oauth.ts';
import { act, assertUnknown, auditOf, closeAccess, listed, openAccess, otherNode, service } from './access.ts';
import { mustSignIn, openSignedIn } from './people.ts';

before(openAccess);
after(closeAccess);

test('the browser has to sign in again; the other browsers and what was allowed go on', async () => {
  const { person, app, browser, consent, tokens } = await openSignedIn();
  const sessions = `/accounts/${publicId('acct', person.accountId)}/sessions`;
  // The first of the browsers that signed in.
  const own = (await listed<Session>(sessions)).at(-1);
  const other = openBrowser(otherNode);
  await signInOn(other, await reachPage(other, authorizePath(app)), person);
  assert.ok(own !== undefined);
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await act(`/sessions/${own.id}/revoke`), { id: own.id, revoked: true });
  }
  assert.equal((await browser.post(consent.path, { proof: proofOf(consent.page), action: 'approve' })).status, 400);
  assert.ok(await mustSignIn(browser, app));
  assert.ok(!(await mustSignIn(other, app)));
  assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200);
  assert.ok((await listed<Session>(sessions)).every(({ id }) => id !== own.id));
  const acts = (await auditOf(undefined)).filter(({ action }) => action === 'revoke_session');
  assert.equal(acts.length, 2);
});

test('an unknown session is 404', async () => {
  await assertUnknown((id) => `/sessions/${id}/revoke`, 'ses_', 'session');
});
