import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsAccount } from '../../../src/accounts/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { act, assertUnknown, closeAccess, isAccepted, openAccess, service, untilUnknown } from './access.ts';

before(openAccess);
after(closeAccess);

test('a resumed account works again on every node, but what was revoked meanwhile stays revoked', async () => {
  const customer = await service.openCustomer();
  const at = `/accounts/${publicId('acct', customer.accountId)}`;
  await act(`${at}/suspend`, { reason: 'unpaid' });
  await untilUnknown(customer.token);
  const [token] = (await service.ctx.database.all<{ id: string }>(
    { name: 'test_token_of', text: 'select id from access_token where account_id = $1' },
    [customer.accountId],
  )) as { id: typeof customer.accountId }[];
  assert.ok(token !== undefined);
  const resumed = await act<OpsAccount>(`${at}/resume`);
  assert.equal(resumed.suspended, false);
  await eventually('it works again', () => isAccepted(customer.token), 3_000);
  await act(`${at}/suspend`, { reason: 'unpaid' });
  await act(`/tokens/${publicId('tok', token.id)}/revoke`);
  await act(`${at}/resume`, { reason: 'paid' });
  await untilUnknown(customer.token);
});

test('an unknown account is 404', async () => {
  await assertUnknown((id) => `/accounts/${id}/resume`, 'acct_', 'account');
});
