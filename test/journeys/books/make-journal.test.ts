import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Journal } from '../../../src/books/reports/report-schema.ts';
import { bankCharge, cents, closeEntries, finance, made, openEntries, post, refused, service } from './entries.ts';
import { moveTo, sell, trialBalance } from './reports.ts';

before(() => openEntries());
after(closeEntries);

const PATH = '/books/journals';
const make = async (body: object): Promise<Journal> => (await post<Journal>(PATH, body)).body;

test('journals follow one another without a gap, balance, and sum to the trial balance, over both changes of the clocks', async () => {
  const times = [
    '2027-03-27T23:30:00.000Z',
    '2027-03-28T00:30:00.000Z',
    '2027-03-28T23:30:00.000Z',
    '2027-10-30T23:30:00.000Z',
    '2027-10-31T23:30:00.000Z',
    '2027-11-01T00:30:00.000Z',
  ];
  for (const [index, iso] of times.entries()) {
    moveTo(iso);
    await sell(index + 1);
    await made('/books/entries', bankCharge({ amount_gbp: index + 0.33 }));
  }
  moveTo('2027-11-05T10:00:00.000Z');
  assert.deepEqual(await refused(PATH, { to: '2027-03-27' }), ['from required']);
  const journals = [await make({ from: '2026-01-01', to: '2027-03-27' })];
  for (const to of ['2027-03-28', '2027-10-30', '2027-10-31', '2027-11-04']) journals.push(await make({ to }));
  const sums: Record<string, number> = {};
  for (const journal of journals) {
    const side = (of: 'debit' | 'credit'): number => journal.lines.reduce((sum, line) => sum + cents(line[of]), 0);
    assert.deepEqual([side('debit'), side('credit')], [cents(journal.debit_total), cents(journal.credit_total)]);
    assert.equal(journal.debit_total, journal.credit_total);
    for (const line of journal.lines)
      sums[line.account] = (sums[line.account] ?? 0) + cents(line.debit) - cents(line.credit);
    const total = await trialBalance(journal.to);
    assert.deepEqual(onlyMoved(sums), onlyMoved(total), journal.to);
  }
  const charges = journals.map(({ lines }) => lines.find(({ account }) => account === 'bank_charges')?.debit ?? 0);
  assert.deepEqual(
    charges,
    [0.33, 1.33, 2.33, 3.33 + 4.33, 5.33].map((amount) => Math.round(amount * 100) / 100),
  );
  assert.deepEqual(await refused(PATH, { from: '2027-11-04', to: '2027-11-04' }), [409, 'conflict']);
  assert.deepEqual(await refused(PATH, { from: '2027-11-06', to: '2027-11-06' }), ['to out_of_bounds']);
});

const onlyMoved = (amounts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(amounts)
      .filter(([, amount]) => amount !== 0)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );

test('a day that is not over for an hour is refused, and made once it is; two at once make one', async () => {
  moveTo('2027-11-06T00:30:00.000Z');
  assert.deepEqual(await refused(PATH, { to: '2027-11-05' }), ['to out_of_bounds']);
  assert.deepEqual(await refused(PATH, { to: '2027-11-06' }), ['to out_of_bounds']);
  service.shiftMs(3_600_000);
  const answers = await Promise.all([1, 2, 3].map(() => post(PATH, { to: '2027-11-05' })));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const { body } = await finance.request<{ data: readonly { from: string; to: string }[] }>('GET', PATH);
  assert.deepEqual(body.data[0] && [body.data[0].from, body.data[0].to], ['2027-11-05', '2027-11-05']);
});

test('a day that no calendar has, and a last day before the first, are 422', async () => {
  assert.deepEqual(await refused(PATH, { to: '2027-02-30' }), ['to time']);
  assert.deepEqual(await refused(PATH, { to: '2026-12-01' }), ['from out_of_bounds']);
});
