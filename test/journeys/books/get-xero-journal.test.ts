import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bankCharge, closeEntries, finance, made, openEntries, post, service } from './entries.ts';
import { moveTo } from './reports.ts';

before(() => openEntries({ XERO_CODES: 'bank_charges=7905, bank = 1210' }));
after(closeEntries);

const read = async (to: string): Promise<{ status: number; headers: Headers; text: string }> => {
  const answer = await fetch(`${service.url}/ops/v1/books/journals/${to}/xero`, {
    headers: { authorization: `Bearer ${finance.token}` },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

test("a journal has the columns of Xero's template, balances to 0.00, has the codes of the settings, and is the same each time", async () => {
  moveTo('2027-01-15T10:00:00.000Z');
  await made('/books/entries', bankCharge({ amount_gbp: 1_234.5 }));
  moveTo('2027-01-20T10:00:00.000Z');
  assert.equal((await post('/books/journals', { from: '2027-01-15', to: '2027-01-15' })).status, 201);
  const first = await read('2027-01-15');
  assert.equal(first.status, 200);
  assert.match(first.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(first.headers.get('content-disposition') ?? '', /xero-journal-2027-01-15\.csv/);
  assert.equal(
    first.text,
    [
      '*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2',
      'Platen 2027-01-15,15/01/2027,Bank,1210,No VAT,-1234.50,,,,',
      'Platen 2027-01-15,15/01/2027,Bank charges,7905,No VAT,1234.50,,,,',
      '',
    ].join('\r\n'),
  );
  await made('/books/entries', bankCharge({ value_day: '2027-01-15' }));
  service.shiftMs(86_400_000);
  assert.equal((await read('2027-01-15')).text, first.text, 'what is entered later for that day is of a later journal');
});

test('a journal that was not made is 404', async () => {
  for (const to of ['2027-01-14', '2027-02-30', 'x']) assert.equal((await read(to)).status, 404, to);
});
