import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JournalSummary } from '../../../src/books/reports/report-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { closeEntries, finance, openEntries, post } from './entries.ts';

before(() => openEntries());
after(closeEntries);

test('the journals say which days are handed over, latest first, in pages', async () => {
  for (const body of [{ from: '2026-01-01', to: '2026-01-31' }, { to: '2026-02-28' }, { to: '2026-03-31' }]) {
    assert.equal((await post('/books/journals', body)).status, 201);
  }
  const page = async (query: string): Promise<Page<JournalSummary>> =>
    (await finance.request<Page<JournalSummary>>('GET', `/books/journals?limit=2${query}`)).body;
  const first = await page('');
  assert.deepEqual(
    first.data.map(({ from, to, made_by: by }) => [from, to, by]),
    [
      ['2026-03-01', '2026-03-31', `operator ${finance.email}`],
      ['2026-02-01', '2026-02-28', `operator ${finance.email}`],
    ],
  );
  const rest = await page(`&cursor=${first.next_cursor}`);
  assert.deepEqual([rest.data.map(({ to }) => to), rest.has_more], [['2026-01-31'], false]);
});
