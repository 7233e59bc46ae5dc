import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../harness/service.ts';
import { createBrand, getBrand } from './brands.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('an archived brand can be read and is the default no more; a repeat is harmless', async () => {
  const customer = await service.openCustomer();
  const { id } = await createBrand(customer, { name: 'Old', is_default: true });
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await customer.request('DELETE', `/brands/${id}`)).status, 204);
  }
  const { status, is_default } = await getBrand(customer, id);
  assert.deepEqual([status, is_default], ['archived', false]);
});

test('archiving one that is not the default leaves the default', async () => {
  const customer = await service.openCustomer();
  const { id } = await createBrand(customer, { name: 'Kept', is_default: true });
  const { id: other } = await createBrand(customer, { name: 'Old' });
  assert.equal((await customer.request('DELETE', `/brands/${other}`)).status, 204);
  assert.equal((await getBrand(customer, id)).is_default, true);
});
