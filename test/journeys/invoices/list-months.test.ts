import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { MonthList } from '../../../src/invoices/months/month-schema.ts';
import { newId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api', env: { SELLER_TIME_ZONE: 'Europe/London' } });
});
after(() => service.stop());

const moveTo = (iso: string): void => service.shiftMs(Date.parse(iso) - service.ctx.clock.now().getTime());

test('the months since the first movement, the latest first, each as whole as the seller’s calendar has it', async () => {
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  // Midnight in London has been half an hour ago: it is June there.
  moveTo('2027-05-31T23:30:00Z');
  await creditAccount(service.ctx, { accountId, amountPence: pence(100), reference: newId() });
  moveTo('2027-08-31T22:30:00Z');
  const reader = await openRole(service, 'reader', accountId);
  const list = async (): Promise<string[]> => {
    const { body } = await reader.request<MonthList>('GET', '/money/months');
    return body.data.map(({ month, is_over: isOver }) => `${month}${isOver ? '' : ', so far'}`);
  };
  assert.deepEqual(await list(), ['2027-08, so far', '2027-07', '2027-06']);
  moveTo('2027-08-31T23:00:00Z');
  assert.deepEqual(await list(), ['2027-09, so far', '2027-08', '2027-07', '2027-06']);
});

test('an account that has not moved has this month; over a new year months go on, and there are at most 120', async () => {
  moveTo('2028-01-15T12:00:00Z');
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  const read = async (): Promise<string[]> => {
    const reader = await openRole(service, 'reader', accountId);
    return (await reader.request<MonthList>('GET', '/money/months')).body.data.map(({ month }) => month);
  };
  assert.deepEqual(await read(), ['2028-01']);
  await creditAccount(service.ctx, { accountId, amountPence: pence(100), reference: newId() });
  moveTo('2029-01-02T12:00:00Z');
  assert.deepEqual((await read()).slice(0, 2), ['2029-01', '2028-12']);
  moveTo('2039-01-02T12:00:00Z');
  assert.equal((await read()).length, 120);
});
