import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import { bankCharge, closeEntries, finance, made, openEntries, service } from './entries.ts';

before(() => openEntries());
after(closeEntries);

test('an entry shows what was posted for it, to every role', async () => {
  const entry = await made('/books/entries', bankCharge({ reference: 'STATEMENT-1', value_day: '2026-01-31' }));
  const viewer = await service.openOperator('viewer');
  const { body } = await viewer.request<BookEntry>('GET', `/books/entries/${entry.id}`);
  assert.deepEqual(body, entry);
  assert.deepEqual(
    body.postings.map(({ debit, credit, amount, account_id: account }) => [debit, credit, amount, account]),
    [['bank_charges', 'bank', 7.5, null]],
  );
  assert.deepEqual(
    [body.reference, body.value_day, body.proposed_by],
    ['STATEMENT-1', '2026-01-31', `operator ${finance.email}`],
  );
});

test('an unknown entry is 404', async () => {
  for (const id of ['ent_x', 'ent_01h455vb4pex5vsknk084sn02q', 'pst_01h455vb4pex5vsknk084sn02q']) {
    assert.equal((await finance.request('GET', `/books/entries/${id}`)).status, 404);
  }
});
