import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedAddresses } from '../../../src/orders/address-book/address-book-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { HOME } from '../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('addresses are found by all words of a search, by their labels, without one the newest, and only by their own account', async () => {
  const { accountId } = await service.openCustomer();
  const person = await openRole(service, 'orders', accountId);
  for (const [label, city] of [
    ['Studio', 'Leeds'],
    ['Archive 100%', 'York'],
    ['Shop', 'York'],
  ]) {
    await person.request('POST', '/addresses', { body: { label, address: { ...HOME, city, line2: label } } });
  }
  const find = async (search: string, by = person) =>
    (await by.request<SavedAddresses>('GET', `/addresses?search=${encodeURIComponent(search)}`)).body.data.map(
      ({ label }) => label,
    );
  assert.deepEqual(await find(' '), ['Shop', 'Archive 100%', 'Studio']);
  assert.deepEqual(await find('york BYRON'), ['Archive 100%', 'Shop']);
  assert.deepEqual(await find('0%'), ['Archive 100%']);
  assert.deepEqual(await find('%_'), []);
  assert.deepEqual(await find('york', await openRole(service, 'owner')), []);
});
