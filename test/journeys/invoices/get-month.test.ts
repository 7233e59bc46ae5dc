import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { MonthOfMoney } from '../../../src/invoices/months/month-schema.ts';
import { newId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api', env: { SELLER_TIME_ZONE: 'Europe/London' } });
});
after(() => service.stop());

const moveTo = (iso: string): void => service.shiftMs(Date.parse(iso) - service.ctx.clock.now().getTime());

test('a month has its days and the balances around it; the documents are counted in get-month-documents', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  moveTo('2028-02-28T12:00:00Z');
  await creditAccount(service.ctx, { accountId, amountPence: pence(150), reference: newId() });
  moveTo('2028-03-01T12:00:00Z');
  await creditAccount(service.ctx, { accountId, amountPence: pence(75), reference: newId() });
  const reader = await openRole(service, 'reader', accountId);
  const february = await reader.request<MonthOfMoney>('GET', '/money/month?month=2028-02');
  assert.deepEqual(february.body, {
    month: '2028-02',
    first_day: '2028-02-01',
    last_day: '2028-02-29',
    is_over: true,
    invoices: 0,
    credit_notes: 0,
    is_at_least: false,
    parts: 0,
    documents_of_a_part: 200,
    opening_balance: 0,
    closing_balance: 1.5,
    currency: 'GBP',
  });
  const march = await reader.request<MonthOfMoney>('GET', '/money/month?month=2028-03');
  const { opening_balance: opening, closing_balance: closing, is_over: isOver } = march.body;
  assert.deepEqual([opening, closing, isOver], [1.5, 2.25, false]);
});

test('no month and one to come are refused', async () => {
  const reader = await openRole(service, 'reader');
  for (const [query, problem] of [
    ['', 'month required'],
    ['month=2028-13', 'month time'],
    ['month=2028-2', 'month pattern'],
    ['month=2028-04', 'month out_of_bounds'],
    ['month=2028-03&part=1', 'part unknown_field'],
  ]) {
    const answer = await reader.request('GET', `/money/month?${query}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], query);
  }
});
