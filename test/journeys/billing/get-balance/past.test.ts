import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { creditAccount } from '../../../../src/billing/credit-account.ts';
import type { AccountBalance } from '../../../../src/billing/schema.ts';
import { pence } from '../../../../src/lib/money.ts';
import type { Customer } from '../../../harness/service.ts';
import { problemsOf } from '../../../harness/shop.ts';
import { assertSound } from '../../../harness/written.ts';
import { closeDocuments, openDocuments, service } from '../../invoices/documents.ts';

before(openDocuments);
after(closeDocuments);
afterEach(() => assertSound(service));

describe('the balance at a past time', () => {
  const at = async (by: Customer, time: Date) =>
    (await by.request<AccountBalance>('GET', `/account/balance?at=${time.toISOString()}`)).body;

  test('is what the statement says it was then, 0 before the first entry', async () => {
    const customer = await service.openCustomer();
    const start = service.ctx.clock.now();
    const times: Date[] = [];
    for (let index = 1; index <= 9; index += 1) {
      service.shiftMs(60_000);
      await creditAccount(service.ctx, {
        accountId: customer.accountId,
        amountPence: pence(index),
        reference: `${index}`,
      });
      service.shiftMs(1_000);
      times.push(service.ctx.clock.now());
    }
    assert.equal((await at(customer, start)).balance, 0);
    for (const [index, time] of times.entries()) {
      const expected = ((index + 1) * (index + 2)) / 2;
      const answer = await at(customer, time);
      assert.deepEqual([Math.round(answer.balance * 100), answer.as_of], [expected, time.toISOString()]);
    }
  });

  test('refuses a time that is still to come, and one that no calendar has', async () => {
    const future = new Date(service.ctx.clock.now().getTime() + 60_000).toISOString();
    for (const [time, code] of [
      [future, 'out_of_bounds'],
      ['2026-02-30T00:00:00.000Z', 'time'],
      ['yesterday', 'pattern'],
    ] as const) {
      const refused = await service.customer.request('GET', `/account/balance?at=${time}`);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [`at ${code}`]], time);
    }
  });
});
