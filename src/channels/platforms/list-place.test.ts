import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedOnFrom } from './list-place.ts';

const latest = () => new Date('2026-03-01T12:10:00.000Z');
const behindMs = 300_000;

test('a list goes on some time behind the last change, and not before where it began', () => {
  const after = '2026-03-01T11:00:00.000Z';
  assert.equal(
    listedOnFrom({ latest }, { last: '2026-03-01T11:30:00.000Z', after, behindMs }),
    '2026-03-01T11:25:00.000Z',
  );
  assert.equal(listedOnFrom({ latest }, { last: '2026-03-01T11:02:00.000Z', after, behindMs }), after);
  assert.equal(listedOnFrom({ latest }, { last: undefined, after, behindMs }), after);
});

test('where it would go on is ahead of every clock, it goes back to what the clocks say', () => {
  const after = '2026-03-01T12:57:00.000Z';
  const back = '2026-03-01T12:05:00.000Z';
  assert.equal(listedOnFrom({ latest }, { last: undefined, after, behindMs }), back);
  assert.equal(listedOnFrom({ latest }, { last: '2026-03-01T12:59:00.000Z', after, behindMs }), back);
  assert.equal(listedOnFrom({}, { last: undefined, after, behindMs }), after);
});

test('a page of changes of this moment does not send the list back, or it would never end', () => {
  const after = '2026-03-01T12:09:59.000Z';
  assert.equal(listedOnFrom({ latest }, { last: '2026-03-01T12:10:00.000Z', after, behindMs }), after);
});
