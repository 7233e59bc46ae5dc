import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountBalance } from '../../../../src/billing/schema.ts';
import { closeMoney, openMoney, service } from '../money.ts';

before(openMoney);
after(closeMoney);

test('the balance is that of the calling account, in pounds, at a time', async () => {
  const customer = await service.openCustomer({ balancePence: 12_345 });
  const before = service.ctx.clock.now().toISOString();
  const { body } = await customer.request<AccountBalance>('GET', '/account/balance');
  assert.equal(body.account_id.startsWith('acct_'), true);
  assert.deepEqual([body.balance, body.currency, body.as_of >= before], [123.45, 'GBP', true]);
  const poor = await service.openCustomer();
  assert.equal((await poor.request<AccountBalance>('GET', '/account/balance')).body.balance, 0);
});
