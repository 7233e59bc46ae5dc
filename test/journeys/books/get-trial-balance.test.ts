import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeDays } from '../../../src/billing/close-days.ts';
import { problemsOf } from '../../harness/shop.ts';
import { bankCharge, closeEntries, finance, made, openEntries, service } from './entries.ts';
import { moveTo, trialBalance } from './reports.ts';

before(() => openEntries());
after(closeEntries);

test('a day of the seller ends at its midnight, in winter and in summer, whether it is closed or not', async () => {
  const charge = (amount_gbp: number) => made('/books/entries', bankCharge({ amount_gbp }));
  for (const [iso, amount] of [
    ['2027-01-15T23:30:00.000Z', 1],
    ['2027-01-16T00:30:00.000Z', 2],
    ['2027-07-15T22:30:00.000Z', 4],
    ['2027-07-15T23:30:00.000Z', 8],
    ['2027-07-16T00:30:00.000Z', 16],
  ] as const) {
    moveTo(iso);
    await charge(amount);
  }
  moveTo('2027-07-18T10:00:00.000Z');
  const expected = { '2027-01-14': 0, '2027-01-15': 100, '2027-01-16': 300, '2027-07-15': 700, '2027-07-16': 3_100 };
  const check = async (): Promise<void> => {
    for (const [day, amount] of Object.entries(expected)) {
      assert.equal((await trialBalance(day)).bank_charges ?? 0, amount, day);
    }
    assert.equal((await trialBalance()).bank_charges, 3_100);
  };
  await check();
  while ((await closeDays(service.ctx)) > 0);
  await check();
});

test('a day that is to come or that no calendar has is 422', async () => {
  for (const [day, problem] of [
    ['2199-01-01', 'day out_of_bounds'],
    ['2027-02-30', 'day time'],
    ['now', 'day pattern'],
  ] as const) {
    const answer = await finance.request<never>('GET', `/books/trial-balance?day=${day}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]]);
  }
});
