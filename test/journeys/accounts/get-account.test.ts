import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import { closeOperations, openOperations, operator, service } from '../http/operations.ts';

before(openOperations);
after(closeOperations);

describe('operating: what the shop itself is asked about', () => {
  test('an account is shown with its balance; an unknown one is 404', async () => {
    const { accountId } = await service.openCustomer({ balancePence: 1_234 });
    const id = publicId('acct', accountId);
    const { status, body } = await operator('viewer').request<{ id: string; balance_gbp: number }>(
      'GET',
      `/accounts/${id}`,
    );
    assert.deepEqual([status, body.id, body.balance_gbp], [200, id, 12.34]);
    assert.equal((await operator().request('GET', `/accounts/acct_${'0'.repeat(26)}`)).status, 404);
  });
});
