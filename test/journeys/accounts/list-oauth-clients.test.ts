import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthClient } from '../../../src/accounts/access/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { openApp, REDIRECT } from '../../harness/oauth.ts';
import { act, admin, assertPaged, closeAccess, listed, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('the apps that the account has registered, newest first, removed ones too; nothing of the secret', async () => {
  const { accountId } = await service.openCustomer();
  const path = `/accounts/${publicId('acct', accountId)}/oauth-clients`;
  const open = await openApp(service, { accountId, isPublic: true, name: 'Pocket', scopes: ['orders:read'] });
  const confidential = await openApp(service, { accountId, name: 'Till' });
  await openApp(service);
  await act(`/oauth-clients/${open.clientId}/remove`);
  const clients = await listed<OauthClient>(path);
  assert.deepEqual(
    clients.map((client) => [client.client_id, client.name, client.confidential, client.removed_at === null]),
    [
      [confidential.clientId, 'Till', true, true],
      [open.clientId, 'Pocket', false, false],
    ],
  );
  assert.deepEqual([clients[1]?.scopes, clients[1]?.redirect_uris], [['orders:read'], [REDIRECT]]);
  assert.ok(!JSON.stringify(clients).includes('ocs_'));
  await assertPaged(path, 'client_id');
});

test('an unknown account is 404', async () => {
  assert.equal((await admin.request('GET', `/accounts/${publicId('acct', admin.id)}/oauth-clients`)).status, 404);
});
