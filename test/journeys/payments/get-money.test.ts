import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { pence } from '../../../src/lib/money.ts';
import type { AccountMoney } from '../../../src/payments/money/money-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { openShop } from '../../harness/shop.ts';
import { begun, look, openTill } from './card-top-ups.ts';
import { closeCards, openCardShop, openCards, provider, service } from './cards.ts';

before(openCards);
after(closeCards);

test('the balance, what waits for it and how much frees all of that, what is owed back, and what a top-up may be', async () => {
  const shop = await openShop(service, 0);
  const { accountId } = shop.customer;
  const reader = await openRole(service, 'reader', accountId);
  const read = async (): Promise<AccountMoney> => (await reader.request<AccountMoney>('GET', '/money')).body;
  const nothing = { orders: 0, amount: 0, is_at_least: false };
  assert.deepEqual(await read(), {
    balance: 0,
    currency: 'GBP',
    waiting: nothing,
    to_free_all: 0,
    pending_refunds: nothing,
    top_up: { min: 5, max: 999_999.99 },
    unpaid_top_ups: [],
  });
  await shop.order();
  await shop.order();
  await creditAccount(service.ctx, { accountId, amountPence: pence(100), reference: 'part' });
  const waiting = await read();
  const both = (2 * shop.totalPence) / 100;
  assert.deepEqual(waiting.waiting, { orders: 2, amount: both, is_at_least: false });
  assert.equal(waiting.to_free_all, Math.round((both - 1) * 100) / 100);
  // An order that is forgotten is settled by hand alone, and no top-up frees it.
  service.shiftMs(service.ctx.config.autoSettleHours * 3_600_000 + 1);
  const later = await openRole(service, 'reader', accountId);
  assert.deepEqual((await later.request<AccountMoney>('GET', '/money')).body.waiting, nothing);
  assert.equal(provider.calls.length, 0);
  const other = await openRole(service, 'reader');
  assert.notEqual((await other.request<AccountMoney>('GET', '/money')).body.balance, 1);
});

test('what was paid by card for a cancelled order is on its way back', async () => {
  const shop = await openCardShop(0);
  const order = await shop.order();
  assert.equal((await shop.customer.request('POST', `/orders/${order.body.id}/cancel`)).status, 200);
  const owner = await openRole(service, 'owner', shop.customer.accountId);
  const { body } = await owner.request<AccountMoney>('GET', '/money');
  assert.deepEqual(body.pending_refunds, { orders: 1, amount: shop.totalPence / 100, is_at_least: false });
});

test('top-ups of the last day that are not paid are there for those who may top up, and for no other account', async () => {
  const till = await openTill();
  await begun(await openTill());
  const [open, paid, ended] = [await begun(till, 10), await begun(till, 20), await begun(till, 30)];
  provider.pay(paid.page);
  await look(till.owner, paid.topUp);
  ended.page.status = 'expired';
  await look(till.owner, ended.topUp);
  const calls = provider.calls.length;
  const unpaid = async (by: PortalClient) =>
    (await by.request<AccountMoney>('GET', '/money')).body.unpaid_top_ups.map(({ id, state, pay_url: url }) => [
      id,
      state,
      url,
    ]);
  const both = [
    [ended.topUp.id, 'expired', null],
    [open.topUp.id, 'open', null],
  ];
  assert.deepEqual(await unpaid(till.owner), both);
  assert.deepEqual(await unpaid(await openRole(service, 'manager', till.accountId)), both);
  for (const role of ['orders', 'reader'] as const) {
    assert.deepEqual(await unpaid(await openRole(service, role, till.accountId)), [], role);
  }
  assert.equal(provider.calls.length, calls, 'the provider is not asked');
  service.shiftMs(24 * 3_600_000 + 1_000);
  assert.deepEqual(await unpaid(await openRole(service, 'owner', till.accountId)), []);
});
