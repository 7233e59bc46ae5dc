import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryWaitMs } from './attempt.ts';

const schedule = [60, 300, 1_500, 7_200, 36_000, 36_000];

test('6.6 retries: a failed attempt is followed by six retries after 1 min, 5 min, 25 min, 2 h, 10 h and 10 h, then by none (8 webhook retries)', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6].map((before) => retryWaitMs(schedule, before, 0, 0.5));
  assert.deepEqual(waits, [60_000, 300_000, 1_500_000, 7_200_000, 36_000_000, 36_000_000, undefined]);
});

test('retries are spread by a tenth to either side and no more (6.6 retries)', () => {
  assert.equal(retryWaitMs(schedule, 0, 0, 0), 54_000);
  assert.equal(retryWaitMs(schedule, 0, 0, 1), 66_000);
});

test('Retry-After may only lengthen a wait, by up to a day, and never brings a further attempt', () => {
  const cases = [
    { retryAfter: 10, waitMs: 60_000 },
    { retryAfter: 3_600, waitMs: 3_600_000 },
    { retryAfter: 1e9, waitMs: 86_400_000 },
  ];
  for (const { retryAfter, waitMs } of cases) assert.equal(retryWaitMs(schedule, 0, retryAfter, 0.5), waitMs);
  assert.equal(retryWaitMs(schedule, 6, 3_600, 0.5), undefined);
});
