import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isWorthRepeating, type Outcome, readRetryAfter, retryWaitMs } from '../../sdk/src/retry.ts';

const answered = (status: number): Outcome => ({
  kind: 'answered',
  status,
  headers: new Headers(),
  bytes: new ArrayBuffer(0),
});
const lost: Outcome = { kind: 'lost', isTimeout: false, cause: undefined };

describe('a request is sent again where that can help and does no harm', () => {
  const rows: [what: string, outcome: Outcome, harmless: boolean, aSecondOne: boolean][] = [
    ['no answer', lost, true, false],
    ['408 too slow to arrive, so never read', answered(408), true, true],
    ['429 over the limit, so never begun', answered(429), true, true],
    ['500 may have been half way', answered(500), true, false],
    ['502 refund failed, or a proxy', answered(502), true, false],
    ['503 unavailable, perhaps after the work', answered(503), true, false],
    ['504 of a proxy', answered(504), true, false],
    ['501 will not be there in a second', answered(501), false, false],
    ['400', answered(400), false, false],
    ['401', answered(401), false, false],
    ['403', answered(403), false, false],
    ['404', answered(404), false, false],
    ['409', answered(409), false, false],
    ['422', answered(422), false, false],
    ['a redirect, which is never followed', answered(302), false, false],
  ];
  for (const [what, outcome, harmless, aSecondOne] of rows) {
    test(what, () => {
      assert.equal(isWorthRepeating(outcome, 'harmless'), harmless);
      assert.equal(isWorthRepeating(outcome, 'a second one'), aSecondOne);
    });
  }
});

describe('the wait before the next attempt', () => {
  const rows: [attemptsBefore: number, asked: number | undefined, random: number, waitMs: number | undefined][] = [
    [0, undefined, 0, 0],
    [0, undefined, 1, 500],
    [1, undefined, 1, 1_000],
    [3, undefined, 0.5, 2_000],
    [4, undefined, 1, 8_000],
    [30, undefined, 1, 8_000],
    [0, 0, 1, 500],
    [0, 7, 0, 7_000],
    [0, 7, 1, 7_500],
    [0, 60, 0, 60_000],
    [0, 61, 0, undefined],
    [0, 86_400, 0, undefined],
  ];
  for (const [attemptsBefore, asked, random, waitMs] of rows) {
    test(`${attemptsBefore} before, Retry-After ${asked}, chance ${random}: ${waitMs}`, () => {
      assert.equal(retryWaitMs(attemptsBefore, asked, random), waitMs);
    });
  }
});

describe('Retry-After is read in both forms of RFC 9110', () => {
  const nowMs = Date.UTC(2026, 10, 21, 9, 30, 0);
  const rows: [header: string | null, seconds: number | undefined][] = [
    [null, undefined],
    ['0', 0],
    ['12', 12],
    ['Sat, 21 Nov 2026 09:30:09 GMT', 9],
    ['Sat, 21 Nov 2026 09:29:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    ['99999999999', undefined],
  ];
  for (const [header, seconds] of rows) {
    test(String(header), () => assert.equal(readRetryAfter(header, nowMs), seconds));
  }
});
