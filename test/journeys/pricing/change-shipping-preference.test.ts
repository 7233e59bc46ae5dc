import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShippingPreference } from '../../../src/pricing/preferred/preference-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('a manager chooses the service that order forms begin with, and none again; each account has its own', async () => {
  const manager = await openRole(service, 'manager');
  const change = (name: unknown) =>
    manager.request<ShippingPreference>('PATCH', '/shipping-preference', { body: { service: name } });
  const { body: before } = await manager.request<ShippingPreference>('GET', '/shipping-preference');
  assert.equal(before.service, null);
  const [chosen = ''] = before.services;
  assert.equal((await change(chosen)).body.service, chosen);
  const { accountId } = await service.openCustomer();
  const other = await openRole(service, 'reader', accountId);
  assert.equal((await other.request<ShippingPreference>('GET', '/shipping-preference')).body.service, null);
  assert.equal((await change(null)).body.service, null);
});

test('a service that there is not, and a person who only places orders, are refused', async () => {
  const manager = await openRole(service, 'manager');
  const unknown = await manager.request('PATCH', '/shipping-preference', { body: { service: 'Pigeon' } });
  assert.deepEqual([unknown.status, problemsOf(unknown)], [422, ['service unknown_value']]);
  const orders = await openRole(service, 'orders');
  const refused = await orders.request('PATCH', '/shipping-preference', { body: { service: null } });
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
});
