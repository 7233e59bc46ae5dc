import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedAddress, SavedAddresses } from '../../../src/orders/address-book/address-book-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { HOME } from '../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('an address is removed by a person of its account who places orders, and by no other', async () => {
  const person = await openRole(service, 'orders');
  const { id } = (await person.request<SavedAddress>('POST', '/addresses', { body: { address: HOME } })).body;
  const { accountId } = await service.openCustomer();
  const other = await openRole(service, 'owner', accountId);
  const reader = await openRole(service, 'reader');
  assert.equal((await other.request('DELETE', `/addresses/${id}`)).status, 404);
  assert.equal((await reader.request('DELETE', `/addresses/${id}`)).status, 403);
  assert.equal((await person.request('DELETE', '/addresses/adr_1')).status, 404);
  assert.equal((await person.request('DELETE', `/addresses/${id}`)).status, 204);
  assert.equal((await person.request('DELETE', `/addresses/${id}`)).status, 404);
  assert.deepEqual((await person.request<SavedAddresses>('GET', '/addresses')).body.data, []);
});
