import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from './clock.ts';

test('a time is written as the language writes it, whatever was written before (2.1 times)', () => {
  const time = fc.date({ noInvalidDate: true });
  const near = fc.tuple(
    fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
    fc.nat(172_800_000),
  );
  fc.assert(
    fc.property(time, near, (any, [day, laterMs]) => {
      for (const one of [any, day, new Date(day.getTime() + laterMs), new Date(day.getTime() - 1)]) {
        assert.equal(isoTime(one), one.toISOString());
      }
    }),
  );
  assert.throws(() => isoTime(new Date(Number.NaN)), RangeError);
});
