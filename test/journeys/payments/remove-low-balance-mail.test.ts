import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('an owner or a manager takes the threshold away, and a second time is no fault; others and other accounts do not', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 500 });
  const other = await service.openCustomer({ balancePence: 500 });
  const owner = await openRole(service, 'owner', accountId);
  const manager = await openRole(service, 'manager', accountId);
  const body = { threshold_gbp: 5 };
  const held = () => rows<object>(service, 'select 1 from low_balance_mail where account_id = $1', [accountId]);
  for (const client of [owner, manager]) {
    assert.equal((await owner.request('POST', '/money/low-balance-mail', { body })).status, 200);
    for (const role of ['orders', 'reader'] as const) {
      const refused = await openRole(service, role, accountId);
      assert.equal((await refused.request('DELETE', '/money/low-balance-mail')).status, 403);
    }
    const stranger = await openRole(service, 'owner', other.accountId);
    assert.equal((await stranger.request('DELETE', '/money/low-balance-mail')).status, 204);
    assert.equal((await held()).length, 1);
    assert.equal((await client.request('DELETE', '/money/low-balance-mail')).status, 204);
    assert.equal((await client.request('DELETE', '/money/low-balance-mail')).status, 204);
    assert.equal((await held()).length, 0);
  }
  const acts = await rows<{ action: string }>(
    service,
    "select action from operator_action where subject_id = $1 and action like '%low_balance_mail' order by id",
    [accountId],
  );
  assert.deepEqual(
    acts.map(({ action }) => action),
    [1, 2].flatMap(() => ['set_low_balance_mail', 'remove_low_balance_mail']),
  );
});
