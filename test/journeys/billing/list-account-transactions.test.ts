import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { AccountBalance, Transaction } from '../../../src/billing/schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openShop } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import {
  accountOf,
  closeCredits,
  credit,
  creditByCommand,
  finance,
  openCredits,
  service,
} from '../payments/credits.ts';

before(openCredits);
after(closeCredits);
afterEach(() => assertSound(service));

describe('a statement is in the order of its times', () => {
  test('an entry is no earlier than the one before it, whoever booked it by which clock, and a past balance is the one of its entry', async () => {
    const shop = await openShop(service, 3);
    const first = (await shop.order()).body;
    assert.equal(first.payment_status, 'paid');
    const entries = async () =>
      (await shop.customer.request<Page<Transaction>>('GET', '/account/transactions')).body.data.toReversed();
    // Whoever waited for the balance knows an older time than who had it.
    service.shiftMs(-5_000);
    await creditByCommand(shop, 11, 'late');
    assert.equal((await shop.order()).body.payment_status, 'paid');
    await finance.request('POST', `/orders/${first.id}/refunds`, { amount_gbp: 1, reason: 'late' });
    const unpaid = (await shop.order({ items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 2 }] }))
      .body;
    assert.equal(unpaid.payment_status, 'failed');
    await credit(accountOf(shop), { amount_gbp: 500, reference: 'enough' });
    service.shiftMs(5_000);
    const found = await entries();
    assert.deepEqual(
      found.map(({ type }) => type),
      ['top_up', 'charge', 'top_up', 'charge', 'refund', 'top_up', 'charge'],
    );
    const times = found.map(({ created_at: at }) => at);
    assert.deepEqual(times, times.toSorted());
    assert.equal(times[2], times[1], 'moved up to the entry before it');
    for (const [index, { created_at: at, balance_after: balance }] of found.entries()) {
      if (times[index + 1] === at) continue;
      const then = await shop.customer.request<AccountBalance>('GET', `/account/balance?at=${at}`);
      assert.equal(then.body.balance, balance, `at ${at}`);
    }
  });
});
