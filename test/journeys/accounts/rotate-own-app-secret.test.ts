import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NewAppSecret } from '../../../src/accounts/own-apps/app-schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { callEndpoint, obtainTokens, openPerson, refresh } from '../../harness/oauth.ts';
import { openRole, pastProof } from '../../harness/portal.ts';
import { auditOf, closeAccess, isAccepted, openAccess, service, untilUnknown } from './access.ts';
import { asApp, registerApp } from './own-apps.ts';

before(openAccess);
after(closeAccess);

test('a new secret ends the old one and its access tokens on every node; what people have allowed stays', async () => {
  const client = await openRole(service, 'owner');
  const registered = await registerApp(client);
  const before = asApp(registered);
  const tokens = await obtainTokens(service, before, await openPerson(service));
  assert.ok(await isAccepted(tokens.access_token));
  const answer = await client.request<NewAppSecret>('POST', `/apps/${before.clientId}/secret`);
  assert.equal(answer.status, 200, answer.text);
  await untilUnknown(tokens.access_token);
  const old = await callEndpoint(service, 'token', before, { grant_type: 'client_credentials' });
  assert.equal(old.body.error, 'invalid_client');
  const now = { ...before, secret: answer.body.client_secret };
  assert.equal((await refresh(service, now, tokens.refresh_token)).status, 200);
  const acts = (await auditOf(before.id)).map(({ action }) => action);
  assert.deepEqual(acts, ['register_own_app', 'rotate_own_app_secret']);
  assert.ok(!JSON.stringify(await auditOf(before.id)).includes(answer.body.client_secret));
});

test('a public or removed app is 409; that of another account and an unknown one are 404; nothing changes', async () => {
  const client = await openRole(service, 'owner');
  const devices = await registerApp(client, { confidential: false });
  const removed = await registerApp(client);
  assert.equal((await client.request('DELETE', `/apps/${removed.client_id}`)).status, 204);
  const theirs = await registerApp(await openRole(service, 'owner', (await service.openCustomer()).accountId));
  for (const [id, status] of [
    [devices.client_id, 409],
    [removed.client_id, 409],
    [theirs.client_id, 404],
    [publicId('client', newId()), 404],
    ['client_1', 404],
  ] as const) {
    assert.equal((await client.request('POST', `/apps/${id}/secret`)).status, status, id);
  }
  const own = await callEndpoint(service, 'token', asApp(theirs), { grant_type: 'client_credentials' });
  assert.equal(own.status, 200);
});

test('a manager cannot, nor an owner whose password was given long ago', async () => {
  const owner = await openRole(service, 'owner');
  const { client_id: id } = await registerApp(owner);
  const manager = await openRole(service, 'manager');
  assert.equal((await manager.request('POST', `/apps/${id}/secret`)).status, 403);
  await pastProof(service, owner);
  const late = await owner.request('POST', `/apps/${id}/secret`);
  assert.deepEqual([late.status, late.body.code], [403, 'proof_required']);
});
