import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LowBalanceMail } from '../../../src/payments/low-balance/low-balance-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('every role sees whether a mail is sent, below what, and whether the balance is low; that of other accounts is not shown', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 500 });
  const other = await service.openCustomer({ balancePence: 500 });
  const owner = await openRole(service, 'owner', accountId);
  const none = { threshold: null, is_low: false, is_topped_up: false, is_mailed: false };
  assert.deepEqual((await owner.request('GET', '/money/low-balance-mail')).body, none);
  const set = await owner.request<LowBalanceMail>('POST', '/money/low-balance-mail', { body: { threshold_gbp: 5.01 } });
  assert.deepEqual(set.body, { ...none, threshold: 5.01, is_low: true });
  for (const role of ['manager', 'orders', 'reader'] as const) {
    const client = await openRole(service, role, accountId);
    assert.deepEqual((await client.request('GET', '/money/low-balance-mail')).body, set.body);
  }
  const stranger = await openRole(service, 'owner', other.accountId);
  assert.deepEqual((await stranger.request('GET', '/money/low-balance-mail')).body, none);
});
