import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthClient } from '../../../src/accounts/access/ops-schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { callEndpoint, obtainTokens, openPerson } from '../../harness/oauth.ts';
import { openRole } from '../../harness/portal.ts';
import { auditOf, closeAccess, isAccepted, openAccess, service, untilUnknown } from './access.ts';
import { asApp, registerApp } from './own-apps.ts';

before(openAccess);
after(closeAccess);

test('a removed app is as an unknown one on every node, with the tokens of all people; a second time changes nothing', async () => {
  const client = await openRole(service, 'owner');
  const registered = await registerApp(client);
  const app = asApp(registered);
  const guest = await openPerson(service, (await service.openCustomer()).accountId);
  const tokens = await obtainTokens(service, app, guest);
  assert.ok(await isAccepted(tokens.access_token));
  const manager = await openRole(service, 'manager');
  assert.equal((await manager.request('DELETE', `/apps/${app.clientId}`)).status, 403);
  assert.equal((await client.request('DELETE', `/apps/${app.clientId}`)).status, 204);
  await untilUnknown(tokens.access_token);
  const own = await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' });
  assert.equal(own.body.error, 'invalid_client');
  const listed = async () => (await client.request<Page<OauthClient>>('GET', '/apps')).body.data[0];
  const once = await listed();
  assert.ok(once?.client_id === app.clientId && once.removed_at !== null);
  assert.equal((await client.request('DELETE', `/apps/${app.clientId}`)).status, 204);
  assert.deepEqual(await listed(), once);
  assert.deepEqual(
    (await auditOf(app.id)).map(({ action }) => action),
    ['register_own_app', 'remove_own_app'],
  );
});

test('that of another account and an unknown one are 404, and it goes on', async () => {
  const client = await openRole(service, 'owner');
  const theirs = await registerApp(await openRole(service, 'owner', (await service.openCustomer()).accountId));
  for (const id of [theirs.client_id, publicId('client', newId()), 'client_1']) {
    const answer = await client.request('DELETE', `/apps/${id}`);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], id);
  }
  const own = await callEndpoint(service, 'token', asApp(theirs), { grant_type: 'client_credentials' });
  assert.equal(own.status, 200);
});
