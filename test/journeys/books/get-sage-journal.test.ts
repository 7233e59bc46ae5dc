import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bankCharge, closeEntries, finance, made, openEntries, post, service } from './entries.ts';
import { moveTo } from './reports.ts';

before(() => openEntries({ SAGE_CODES: 'bank_charges=7905, bank = 1210' }));
after(closeEntries);

const read = async (to: string): Promise<{ status: number; headers: Headers; text: string }> => {
  const answer = await fetch(`${service.url}/ops/v1/books/journals/${to}/sage`, {
    headers: { authorization: `Bearer ${finance.token}` },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

test('a journal has the columns of the audit trail import, debits and credits above zero, and the nominal codes of the settings', async () => {
  moveTo('2027-01-15T10:00:00.000Z');
  await made('/books/entries', bankCharge({ amount_gbp: 1_234.5 }));
  moveTo('2027-01-20T10:00:00.000Z');
  assert.equal((await post('/books/journals', { from: '2027-01-14', to: '2027-01-15' })).status, 201);
  const first = await read('2027-01-15');
  assert.equal(first.status, 200);
  assert.match(first.headers.get('content-disposition') ?? '', /sage-journal-2027-01-15\.csv/);
  assert.equal(
    first.text,
    [
      'Type,Account Reference,Nominal A/C Ref,Department Code,Date,Reference,Details,Net Amount,Tax Code,Tax Amount,Exchange Rate,Extra Reference,User Name,Project Refn,Cost Code Refn',
      'JC,,1210,0,15/01/2027,PLATEN 20270115,Bank,1234.50,T9,0.00,1,Platen 2027-01-14 to 2027-01-15,PLATEN,,',
      'JD,,7905,0,15/01/2027,PLATEN 20270115,Bank charges,1234.50,T9,0.00,1,Platen 2027-01-14 to 2027-01-15,PLATEN,,',
      '',
    ].join('\r\n'),
  );
  assert.equal((await read('2027-01-15')).text, first.text);
});

test('a journal that was not made is 404', async () => {
  for (const to of ['2027-01-14', '2027-02-30', 'x']) assert.equal((await read(to)).status, 404, to);
});
