import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import { newId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { adjustment, bankCharge, closeEntries, credited, finance, made, openEntries, second } from './entries.ts';

before(() => openEntries());
after(closeEntries);

const list = async (query: string): Promise<Page<BookEntry>> =>
  (await finance.request<Page<BookEntry>>('GET', `/books/entries${query}`)).body;

test('entries are listed newest first in pages, those that wait and those of a customer by themselves', async () => {
  const ids: string[] = [];
  for (let made1 = 0; made1 < 5; made1 += 1) ids.unshift((await made('/books/entries', bankCharge())).id);
  const proposed = await made('/books/entries', adjustment());
  const to = await credited(10_000);
  const own = await made(`/accounts/${to.id}/withdrawals`, { amount_gbp: 5, reference: newId(), reason: 'asked for' });
  const found: string[] = [];
  let cursor = '';
  do {
    const page = await list(`?limit=2${cursor}`);
    found.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  assert.deepEqual(found, [own.id, proposed.id, ...ids]);
  assert.deepEqual(
    (await list('?status=proposed')).data.map(({ id }) => id),
    [proposed.id],
  );
  assert.deepEqual(
    (await list(`?account=${to.id}`)).data.map(({ id }) => id),
    [own.id],
  );
  assert.deepEqual((await list('?account=acct_nobody')).data, []);
  await made(`/books/entries/${proposed.id}/approve`, undefined, second);
  assert.deepEqual((await list('?status=proposed')).data, []);
});

test('another status and a cursor of another list are 422', async () => {
  for (const query of ['?status=posted', '?cursor=pst_01h455vb4pex5vsknk084sn02q', '?limit=0']) {
    assert.equal((await finance.request('GET', `/books/entries${query}`)).status, 422, query);
  }
});
