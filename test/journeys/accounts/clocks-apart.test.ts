import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import { authorizePath, nextOf, openBrowser, PASSWORD, proofOf, reachPage } from '../../harness/oauth.ts';
import { openPortal, openRole } from '../../harness/portal.ts';
import type { OperatorClient } from '../../harness/service.ts';
import { closeAccess, openAccess, otherNode, service } from './access.ts';
import { invite, tokenOf, useLink } from './links.ts';
import { mustSignIn, openSignedIn } from './people.ts';

// What ends at one node has ended at another whose clock is behind: so has it for a request that had read the clock
// before, and waited. Here the other node is some seconds ahead.

let ahead: OperatorClient;

before(async () => {
  await openAccess();
  otherNode.shiftMs(5_000);
  ahead = await otherNode.openOperator('admin');
});
after(closeAccess);

async function act(path: string, body: object = {}): Promise<void> {
  const answer = await ahead.request('POST', path, body);
  assert.equal(answer.status, 200, answer.text);
}

test('a new password ends what was open in a browser, and a sign-in that had begun', async () => {
  const { path, app, browser, person } = await openSignedIn();
  const other = openBrowser(service);
  const waiting = await reachPage(other, authorizePath(app));
  const form = { proof: proofOf(waiting.page), action: 'sign_in', email: person.email, password: PASSWORD };
  const answered = await other.post(waiting.path, form);
  assert.equal(answered.status, 303, 'the password was right');
  await act(`${path}/password`, { password: 'another long password' });
  await reachPage(other, nextOf(answered));
  assert.ok(await mustSignIn(other, app), 'the sign-in had begun before');
  assert.ok(await mustSignIn(browser, app));
});

test('a session that an operator ends is over', async () => {
  const { app, browser, person } = await openSignedIn();
  const sessions = await ahead.request<{ data: { id: string }[] }>(
    'GET',
    `/accounts/${publicId('acct', person.accountId)}/sessions`,
  );
  for (const { id } of sessions.body.data) await act(`/sessions/${id}/revoke`);
  assert.ok(await mustSignIn(browser, app));
});

test('a session of the portal that its person ends is over', async () => {
  const owner = await openRole(service, 'owner');
  const other = await openPortal(service, owner.person);
  const listed = await owner.request<{ data: { id: string; current: boolean }[] }>('GET', '/sessions');
  const [ended] = listed.body.data.filter(({ current }) => !current);
  const answer = await owner.at(otherNode).request('DELETE', `/sessions/${ended?.id}`);
  assert.equal(answer.status, 204, answer.text);
  assert.equal((await other.request('GET', '/session')).status, 401);
});

test('an invitation that was used, replaced or withdrawn is used by nobody', async () => {
  const owner = await openRole(service, 'owner');
  const there = owner.at(otherNode);
  const first = await invite(there, { email: 'twice@example.com' });
  const second = await invite(there, { email: 'twice@example.com' });
  assert.equal((await useLink(first.token, { password: 'a long password of hers' })).status, 404);
  assert.equal((await there.request('DELETE', `/people/invitations/${second.id}`)).status, 204);
  assert.equal((await useLink(second.token, { password: 'a long password of hers' })).status, 404);
});

test('a link for a new password works once', async () => {
  const { path } = await openSignedIn();
  const { body } = await ahead.request<{ url: string }>('POST', `${path}/password-link`, {});
  const token = tokenOf(body.url);
  const once = await useLink(token, { password: 'a long password of hers' }, otherNode);
  assert.equal(once.status, 201, once.text);
  assert.equal((await useLink(token, { password: 'a long password of his' })).status, 404);
});
