import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeEntries, finance, openEntries, service } from './entries.ts';
import { documentsOf, giveBack, moveTo, type Sold, sell } from './reports.ts';

before(() => openEntries());
after(closeEntries);

test('documents are the same whatever the page, also as CSV; one that is still to be issued has no number', async () => {
  moveTo('2027-02-01T10:00:00.000Z');
  const sold: Sold[] = [];
  for (const quantity of [1, 2, 3]) sold.push(await sell(quantity));
  for (const order of sold) await giveBack(order, 1.2);
  const all = await documentsOf('2027-02-01', '2027-02-01', 100);
  assert.equal(all.length, 6);
  assert.ok(all.every(({ number }) => number === null));
  for (const limit of [1, 2, 3]) assert.deepEqual(await documentsOf('2027-02-01', '2027-02-01', limit), all);
  const answer = await fetch(`${service.url}/ops/v1/books/vat/documents?from=2027-02-01&to=2027-02-01`, {
    headers: { authorization: `Bearer ${finance.token}`, accept: 'text/csv' },
  });
  const lines = (await answer.text()).trim().split('\r\n');
  assert.equal(lines.length, 7);
  assert.match(lines[0] ?? '', /^kind,number,tax_point/);
});

test('a cursor that is none is 422; one of another time is a position only', async () => {
  const path = '/books/vat/documents?from=2027-02-01&to=2027-02-01';
  assert.equal((await finance.request('GET', `${path}&cursor=x`)).status, 422);
  const far = `s.999999999999999.${'f'.repeat(8)}-ffff-7fff-bfff-${'f'.repeat(12)}`;
  assert.equal((await finance.request('GET', `${path}&cursor=${far}`)).status, 200);
  assert.equal((await finance.request('GET', `${path}&cursor=c.1.${'-'.repeat(36)}`)).status, 200);
  assert.equal((await finance.request('GET', `${path}&limit=0`)).status, 422);
});
