import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OauthGrant } from '../../../src/accounts/access/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { obtainTokens, openApp, openPerson } from '../../harness/oauth.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('what people of the account have allowed to apps of any account, and nothing of other accounts', async () => {
  const { accountId } = await service.openCustomer();
  const [person, stranger] = [await openPerson(service, accountId), await openPerson(service)];
  const app = await openApp(service, { name: 'Shirt Planner' });
  await obtainTokens(service, app, person);
  await obtainTokens(service, app, person, { scope: 'products:read' });
  await obtainTokens(service, app, stranger);
  const manager = await openRole(service, 'manager', accountId);
  const { data } = (await manager.request<Page<OauthGrant>>('GET', '/grants')).body;
  assert.deepEqual(
    data.map(({ email, client_name: name, scopes }) => [email, name, scopes]),
    [
      [person.email, 'Shirt Planner', ['products:read']],
      [person.email, 'Shirt Planner', ['orders:read']],
    ],
  );
  const first = (await manager.request<Page<OauthGrant>>('GET', '/grants?limit=1')).body;
  assert.deepEqual(first.data, data.slice(0, 1));
  const next = await manager.request<Page<OauthGrant>>('GET', `/grants?cursor=${first.next_cursor}`);
  assert.deepEqual(next.body.data, data.slice(1));
  assert.equal((await manager.request('GET', '/grants?account=acct_1')).status, 422);
  for (const role of ['orders', 'reader'] as const) {
    assert.equal((await (await openRole(service, role, accountId)).request('GET', '/grants')).status, 403, role);
  }
});
