import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ListFrom, listFromPlace, listOn } from './list-place.ts';

const latest = () => new Date('2026-03-01T12:10:00.000Z');
const AFTER = '2026-03-01T11:00:00.000Z';

/** Where a list goes on that has changes of minutes and goes back five. */
function goesOn(from: ListFrom, last: string | undefined, isEnd: boolean, shop: { latest?: () => Date } = { latest }) {
  const secondBefore = (time: string) => new Date(Date.parse(time) - 1_000).toISOString();
  const listing = { behindMs: 300_000, from: secondBefore, past: (time: string) => time };
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

test('a page begins where the one before ended, and what the shop has no time of is counted', () => {
  const from = { after: AFTER, page: 1 };
  const next = { after: '2026-03-01T11:29:59.000Z', page: 1 };
  assert.deepEqual(goesOn(from, '2026-03-01T11:30:00.000Z', false), { next, isEnd: false });
  const counted = { next: { after: AFTER, page: 3 }, isEnd: false };
  assert.deepEqual(goesOn({ ...from, page: 2 }, undefined, false), counted);
  assert.deepEqual(goesOn({ ...from, page: 2 }, AFTER, false), counted, 'as of a shop that heeds no time');
});

test('a moment that has a page and more is listed by itself, from its end back to its first page, and then what follows', () => {
  const moment = '2026-03-01T11:00:01.000Z';
  let from: ListFrom = { after: AFTER, page: 1 };
  const pages: string[] = [];
  for (const isEnd of [false, false, false, true, true, false]) {
    const { next, isEnd: isDone } = goesOn(listFromPlace({ ...from }, from.after), moment, isEnd);
    assert.equal(isDone, false);
    pages.push(next.moment === undefined ? `after ${next.after}` : `${next.page}${next.way === 'back' ? ' back' : ''}`);
    from = next;
  }
  assert.deepEqual(pages, ['1', '2', '3', '2 back', '1 back', `after ${moment}`]);
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
