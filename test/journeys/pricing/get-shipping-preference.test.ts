import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShippingPreference } from '../../../src/pricing/preferred/preference-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('each service is listed once by its name, and one that is not offered any more counts as none', async () => {
  const reader = await openRole(service, 'reader');
  const sql = 'insert into shipping_preference (account_id, service) values ($1, $2) returning service';
  await rows(service, sql, [service.customer.accountId, 'Pigeon']);
  const { body } = await reader.request<ShippingPreference>('GET', '/shipping-preference');
  assert.equal(body.service, null);
  assert.ok(body.services.length > 1);
  assert.deepEqual([...new Set(body.services)], body.services);
});
