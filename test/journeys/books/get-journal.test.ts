import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Journal } from '../../../src/books/reports/report-schema.ts';
import { bankCharge, closeEntries, finance, made, openEntries, post, service } from './entries.ts';
import { moveTo } from './reports.ts';

before(() => openEntries());
after(closeEntries);

test('a journal has what each account moved, with its codes, for every role', async () => {
  moveTo('2027-01-15T10:00:00.000Z');
  const { id } = await made('/books/entries', bankCharge({ amount_gbp: 20 }));
  await made('/books/corrections', { entry_id: id, reason: 'wrong' });
  await made('/books/entries', bankCharge({ amount_gbp: 30 }));
  moveTo('2027-01-20T10:00:00.000Z');
  await post('/books/journals', { from: '2027-01-15', to: '2027-01-18' });
  const viewer = await service.openOperator('viewer');
  const { body } = await viewer.request<Journal>('GET', '/books/journals/2027-01-18');
  assert.deepEqual(body.lines, [
    { account: 'bank', title: 'Bank', xero_code: '891', sage_code: '1205', debit: 0, credit: 30 },
    { account: 'bank_charges', title: 'Bank charges', xero_code: '405', sage_code: '7901', debit: 30, credit: 0 },
  ]);
  assert.deepEqual([body.from, body.to, body.debit_total, body.credit_total], ['2027-01-15', '2027-01-18', 30, 30]);
});

test('a journal that was not made is 404', async () => {
  for (const to of ['2027-01-15', 'x'])
    assert.equal((await finance.request('GET', `/books/journals/${to}`)).status, 404);
});
