import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, parseId, publicId } from './ids.ts';
import { readPage, toPage } from './paging.ts';
import { publicIdPattern } from './schemas.ts';

test('2.1 envelope: a page says that there is more exactly when it has a cursor, which is its last record (C49)', () => {
  const view = (row: number) => ({ id: `ord_${row}` });
  const cases = [
    { rows: [], limit: 2, has_more: false, next_cursor: null },
    { rows: [5, 4], limit: 2, has_more: false, next_cursor: null },
    { rows: [5, 4, 3], limit: 2, has_more: true, next_cursor: 'ord_4' },
  ];
  for (const { rows, limit, has_more, next_cursor } of cases) {
    const page = toPage(rows, limit, view, (record) => record.id);
    assert.deepEqual(page, { data: rows.slice(0, limit).map(view), has_more, next_cursor });
  }
});

test('4.1 limit: a page has 25 records unless the caller says otherwise (8 limit, 4.4 list)', () => {
  assert.deepEqual(readPage('ord', {}), { limit: 25, after: undefined });
  const id = newId();
  assert.deepEqual(readPage('ord', { limit: '100', cursor: publicId('ord', id) }), { limit: 100, after: id });
});

test('2.1 cursors: what a schema takes for a well-formed id and what the service reads as one are the same', () => {
  const good = publicId('ord', newId());
  const texts = [
    good,
    good.replace('ord', 'whk'),
    good.toUpperCase(),
    `${good}0`,
    good.slice(0, -1),
    `ord_8${good.slice(5)}`,
  ];
  texts.push(good.replace(/.$/, 'u'), `ord_7${'z'.repeat(25)}`, '', `${good}\n`);
  const pattern = new RegExp(publicIdPattern('ord'), 'u');
  for (const text of texts) assert.equal(pattern.test(text), parseId('ord', text) !== undefined, text);
});
