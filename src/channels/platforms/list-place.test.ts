import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ListFrom, listFromPlace, listOn } from './list-place.ts';

const latest = () => new Date('2026-03-01T12:10:00.000Z');
const AFTER = '2026-03-01T11:00:00.000Z';

/** Where a list goes on that has changes of minutes and goes back five. */
function goesOn(from: ListFrom, last: string | undefined, isEnd: boolean, shop: { latest?: () => Date } = { latest }) {
  const listing = { behindMs: 300_000, from: (time: string) => new Date(Date.parse(time) - 1_000).toISOString() };
  return listOn(shop, from, { last, isEnd }, listing);
}

test('a list goes on some time behind the last change, and not before where it began', () => {
  const from = { after: AFTER, page: 1 };
  for (const [last, after] of [
    ['2026-03-01T11:30:00.000Z', '2026-03-01T11:25:00.000Z'],
    ['2026-03-01T11:02:00.000Z', AFTER],
    [undefined, AFTER],
  ] as const) {
    assert.deepEqual(goesOn(from, last, true), { next: { after, page: 1 }, isEnd: true });
  }
});

test('a page begins where the one before ended, and is counted where that had one time alone', () => {
  const from = { after: AFTER, page: 1 };
  const next = { after: '2026-03-01T11:29:59.000Z', page: 1 };
  assert.deepEqual(goesOn(from, '2026-03-01T11:30:00.000Z', false), { next, isEnd: false });
  const counted = { next: { after: AFTER, page: 3 }, isEnd: false };
  assert.deepEqual(goesOn({ ...from, page: 2 }, '2026-03-01T11:00:01.000Z', false), counted);
  assert.deepEqual(goesOn({ ...from, page: 2 }, undefined, false), counted);
});

test('what is ahead of every clock is counted from where the list is, and ends where the clocks were', () => {
  const ahead = '2026-03-01T12:59:00.000Z';
  const began = '2026-03-01T12:10:00.000Z';
  const from = { after: AFTER, page: 1 };
  assert.deepEqual(goesOn(from, ahead, false), { next: { after: AFTER, page: 2, began }, isEnd: false });
  const later = { latest: () => new Date('2026-03-01T13:10:00.000Z') };
  const counted = listFromPlace({ page: 2, began }, AFTER);
  assert.deepEqual(goesOn(counted, ahead, false, later), { next: { after: AFTER, page: 3, began }, isEnd: false });
  const end = { next: { after: '2026-03-01T12:05:00.000Z', page: 1 }, isEnd: true };
  assert.deepEqual(goesOn(counted, ahead, true, later), end);
  assert.deepEqual(goesOn(from, ahead, true), end);
});

test('a place that is ahead of every clock goes back to what the clocks say, and is no end', () => {
  const from = { after: '2026-03-01T12:57:00.000Z', page: 1 };
  const back = { next: { after: '2026-03-01T12:05:00.000Z', page: 1 }, isEnd: false };
  assert.deepEqual(goesOn(from, undefined, true), back);
  assert.deepEqual(goesOn(from, '2026-03-01T12:59:00.000Z', false), back);
  assert.deepEqual(goesOn(from, undefined, true, {}), { next: from, isEnd: true });
});

test('a page of changes of this moment does not send the list back, or it would never end', () => {
  const from = { after: '2026-03-01T12:09:59.000Z', page: 1 };
  assert.deepEqual(goesOn(from, '2026-03-01T12:10:00.000Z', true), { next: from, isEnd: true });
});
