import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { adjustment, closeEntries, finance, made, moved, openEntries, refused, second } from './entries.ts';

before(() => openEntries());
after(closeEntries);

test('a refused proposal posts nothing, says who refused it and why, and frees its reference', async () => {
  const reference = newId();
  const { id } = await made('/books/entries', adjustment({ reference }));
  const change = await moved(async () => {
    const entry = await made(`/books/entries/${id}/refuse`, { reason: 'It is a payment of rent.' }, second);
    assert.deepEqual(
      [entry.status, entry.decision_reason, entry.decided_by],
      ['refused', 'It is a payment of rent.', `operator ${second.email}`],
    );
  });
  assert.deepEqual(change, {});
  assert.deepEqual(await refused(`/books/entries/${id}/approve`, undefined, second), [409, 'conflict']);
  assert.equal((await made('/books/entries', adjustment({ reference }))).status, 'proposed');
});

test('the proposer may take a proposal back; without a reason, or for an unknown entry, nothing happens', async () => {
  const { id } = await made('/books/entries', adjustment());
  assert.deepEqual(await refused(`/books/entries/${id}/refuse`, {}), ['reason required']);
  assert.deepEqual(await refused('/books/entries/ent_x/refuse', { reason: 'x' }), [404, 'not_found']);
  assert.equal((await made(`/books/entries/${id}/refuse`, { reason: 'a typing error' }, finance)).status, 'refused');
});
