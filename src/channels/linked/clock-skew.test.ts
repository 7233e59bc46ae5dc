import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clockSkewMs } from './clock-skew.ts';

const ASKED = new Date('2026-11-27T10:00:00.900Z');

describe('by how much the clock of a shop is off', () => {
  const rows: readonly (readonly [title: string, date: string, tookMs: number, skewMs: number])[] = [
    ['a second that had begun before', 'Fri, 27 Nov 2026 10:00:00 GMT', 100, 0],
    [
      'a site that takes half a minute, and dates its answer when it begins',
      'Fri, 27 Nov 2026 10:00:01 GMT',
      30_000,
      0,
    ],
    ['a site that takes half a minute, and dates its answer when it ends', 'Fri, 27 Nov 2026 10:00:30 GMT', 30_000, 0],
    ['a minute ahead', 'Fri, 27 Nov 2026 10:01:00 GMT', 100, 59_000],
    ['a minute behind', 'Fri, 27 Nov 2026 09:59:00 GMT', 100, -60_900],
    ['four seconds behind', 'Fri, 27 Nov 2026 09:59:57 GMT', 100, 0],
    ['a date that is none', 'soon', 100, 0],
  ];
  for (const [title, date, tookMs, skewMs] of rows) {
    test(title, () => assert.equal(clockSkewMs(date, ASKED, new Date(ASKED.getTime() + tookMs)), skewMs));
  }
});
