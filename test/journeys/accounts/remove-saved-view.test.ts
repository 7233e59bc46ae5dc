import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { save, viewsOf } from './views.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const remove = async (person: PortalClient, id: string) => (await person.request('DELETE', `/views/${id}`)).status;

test('a person deletes their own view, once, and no one deletes that of another', async () => {
  const { accountId } = await service.openCustomer();
  const reader = await openRole(service, 'reader', accountId);
  const owner = await openRole(service, 'owner', accountId);
  const { id } = (await save(reader)).body;
  assert.equal(await remove(owner, id), 404, 'not even an owner');
  assert.equal(await remove(reader, id), 204);
  assert.equal(await remove(reader, id), 404);
  assert.deepEqual((await viewsOf(reader)).data, []);
});

test('a view for all is deleted by an owner or a manager of its account alone', async () => {
  const { accountId } = await service.openCustomer();
  const manager = await openRole(service, 'manager', accountId);
  const { id } = (await save(manager, { is_for_all: true })).body;
  for (const role of ['orders', 'reader'] as const) {
    assert.equal(await remove(await openRole(service, role, accountId), id), 403, role);
  }
  assert.equal(await remove(await openRole(service, 'owner'), id), 404, 'of another account');
  assert.equal(await remove(manager, 'view_1'), 404);
  assert.equal((await viewsOf(manager)).data.length, 1);
  assert.equal(await remove(await openRole(service, 'owner', accountId), id), 204);
  assert.deepEqual((await viewsOf(manager)).data, []);
});
