import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, type Problem } from '../lib/errors.ts';
import { pastTime } from './past-time.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

describe('a time in the past', () => {
  const taken: readonly (readonly [text: string | undefined, time: string])[] = [
    [undefined, '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T11:59:59.999Z', '2026-03-01T11:59:59.999Z'],
    ['2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
  ];
  for (const [text, time] of taken) {
    test(`${text ?? 'left out'} is taken as ${time}`, () => {
      assert.equal(pastTime(text, NOW, 'at').toISOString(), time);
    });
  }

  const refused: readonly (readonly [text: string, code: string])[] = [
    ['2026-03-01T12:00:00.001Z', 'out_of_bounds'],
    ['2027-01-01T00:00:00.000Z', 'out_of_bounds'],
    ['2026-02-29T00:00:00.000Z', 'time'],
    ['2026-13-01T00:00:00.000Z', 'time'],
    ['yesterday', 'time'],
    ['', 'time'],
  ];
  for (const [text, code] of refused) {
    test(`"${text}" is refused as ${code}, at the path that was asked for`, () => {
      assert.throws(
        () => pastTime(text, NOW, 'from'),
        (error) => {
          assert.ok(error instanceof ApiError);
          const problems = error.extras.errors as Problem[];
          assert.deepEqual([error.code, problems.length], ['validation_failed', 1]);
          assert.deepEqual([problems[0]?.path, problems[0]?.code], ['from', code]);
          return true;
        },
      );
    });
  }
});
