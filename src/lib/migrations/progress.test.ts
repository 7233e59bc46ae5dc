import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextLimit } from './backfill.ts';
import { lineOf } from './watch.ts';

describe('a line of progress says what is under way, how far, and what it waits for', () => {
  const idle = { waits: false, holders: null, phase: null, done: null, total: null };
  const way = '0021-a.sql, step 2 of 3';
  const cases = [
    ['a statement', { way, rows: 0, tookMs: 3_400 }, undefined, idle, `${way}, 3 s`],
    ['batches', { way, rows: 6_000, tookMs: 3_000 }, undefined, idle, `${way}, 3 s; 6000 rows, 2000 a second`],
    [
      'an index',
      { way, rows: 0, tookMs: 61_000 },
      undefined,
      { ...idle, phase: 'building index: scanning table', done: 999, total: 2_000 },
      `${way}, 61 s; building index: scanning table, 49 %`,
    ],
    [
      'a phase that counts nothing',
      { way, rows: 0, tookMs: 1_000 },
      undefined,
      { ...idle, phase: 'waiting for old snapshots', done: 0, total: 0 },
      `${way}, 1 s; waiting for old snapshots`,
    ],
    [
      'a lock',
      { way, rows: 0, tookMs: 5_000 },
      'process 12 (psql, idle in transaction)',
      undefined,
      `${way}, 5 s; waits for process 12 (psql, idle in transaction)`,
    ],
  ] as const;
  for (const [what, under, holders, row, expected] of cases) {
    test(what, () => assert.equal(lineOf(under, holders, row), expected));
  }
});

describe('the next batch has more rows after a short one, and fewer after a long one', () => {
  const cases = [
    ['short', 100, 20, 200],
    ['right', 100, 200, 100],
    ['long', 101, 400, 50],
    ['never none', 1, 900, 1],
    ['never without bound', 8_000, 20, 10_000],
  ] as const;
  for (const [what, limit, tookMs, expected] of cases) {
    test(what, () => assert.equal(nextLimit(limit, tookMs), expected));
  }
});
