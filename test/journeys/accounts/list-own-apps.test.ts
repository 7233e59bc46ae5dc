import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthClient } from '../../../src/accounts/access/ops-schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { registerApp } from './own-apps.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('the apps of the account, newest first and page by page, without a secret, and of no other account', async () => {
  const { accountId } = await service.openCustomer();
  const client = await openRole(service, 'owner', accountId);
  const one = await registerApp(client, { name: 'One' });
  await registerApp(client, { name: 'Two', confidential: false });
  await registerApp(await openRole(service, 'owner', (await service.openCustomer()).accountId));
  const manager = await openRole(service, 'manager', accountId);
  const first = await manager.request<Page<OauthClient>>('GET', '/apps?limit=1');
  assert.deepEqual([first.body.data.map(({ name }) => name), first.body.has_more], [['Two'], true]);
  const rest = await manager.request<Page<OauthClient>>('GET', `/apps?cursor=${first.body.next_cursor}`);
  const { client_secret: secret, ...listed } = one;
  assert.deepEqual([rest.body.data, rest.body.has_more], [[listed], false]);
  assert.ok(secret !== null && !rest.text.includes(secret));
  for (const query of ['limit=0', 'state=live', `cursor=${publicId('tok', newId())}`]) {
    assert.equal((await manager.request('GET', `/apps?${query}`)).status, 422, query);
  }
  for (const role of ['orders', 'reader'] as const) {
    const other = await openRole(service, role, accountId);
    assert.equal((await other.request('GET', '/apps')).status, 403, role);
  }
});
