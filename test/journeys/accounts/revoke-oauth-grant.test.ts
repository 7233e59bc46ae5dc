import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthGrant } from '../../../src/accounts/access/ops-schema.ts';
import { obtainCode, obtainTokens, openApp, openPerson, redeem, refresh } from '../../harness/oauth.ts';
import {
  act,
  admin,
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

async function grantTo(clientId: string): Promise<string> {
  const [grant] = await listed<OauthGrant>(`/oauth-grants?client=${clientId}`);
  assert.ok(grant !== undefined);
  return grant.id;
}

test('its access tokens, its refresh token and its code end on every node; what was allowed otherwise goes on', async () => {
  const app = await openApp(service);
  const [person, other] = [await openPerson(service), await openPerson(service)];
  const untouched = await obtainTokens(service, app, other);
  const first = await obtainTokens(service, app, person);
  const second = (await refresh(service, app, first.refresh_token)).body;
  const id = await grantTo(app.clientId);
  for (const token of [first.access_token, second.access_token]) assert.ok(await isAccepted(token));
  const revoked = await act<OauthGrant>(`/oauth-grants/${id}/revoke`, { reason: 'asked for by phone' });
  assert.notEqual(revoked.revoked_at, null);
  assert.deepEqual(await act(`/oauth-grants/${id}/revoke`), revoked);
  for (const token of [first.access_token, second.access_token]) await untilUnknown(token);
  for (const node of [service, otherNode]) {
    const refused = await refresh(node, app, second.refresh_token);
    const unknown = await refresh(node, app, `ort_${'0'.repeat(38)}`);
    assert.deepEqual([refused.status, refused.body], [unknown.status, unknown.body]);
  }
  assert.ok(await isAccepted(untouched.access_token));
  const code = await obtainCode(service, app, person);
  await act(`/oauth-grants/${await grantTo(app.clientId)}/revoke`);
  const redeemed = await redeem(otherNode, app, code);
  assert.deepEqual([redeemed.status, redeemed.body.error], [400, 'invalid_grant']);
});

test('while it is refreshed: either a refresh is refused, or what it gave is good for nothing', async () => {
  const app = await openApp(service);
  for (let round = 0; round < 5; round += 1) {
    const { refresh_token: refreshToken } = await obtainTokens(service, app, await openPerson(service));
    const id = await grantTo(app.clientId);
    const [answers, revoked] = await Promise.all([
      Promise.all([service, otherNode, service].map((node) => refresh(node, app, refreshToken))),
      admin.request('POST', `/oauth-grants/${id}/revoke`),
    ]);
    assert.equal(revoked.status, 200);
    for (const { status, body } of answers) {
      if (status === 200) {
        await untilUnknown(body.access_token);
        assert.equal((await refresh(otherNode, app, body.refresh_token)).status, 400);
      } else {
        assert.deepEqual([status, body.error], [400, 'invalid_grant']);
      }
    }
  }
});

test('an unknown grant is 404', async () => {
  await assertUnknown((id) => `/oauth-grants/${id}/revoke`, 'gnt_', 'grant');
});
