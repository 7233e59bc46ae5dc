import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growth, type Sample, trendOf } from './slope.ts';

const samples = (value: (at: number) => number): Sample[] =>
  Array.from({ length: 60 }, (_, at) => ({ seconds: at * 60, value: value(at) }));
/** Up and down by the same every time, so that no run differs from another. */
const wobble = (at: number): number => ((at * 7_919) % 13) - 6;

test('the line through samples has their slope an hour, and says how well it fits', () => {
  const { perHour, fit, mean } = trendOf(samples((at) => 100 + 2 * at));
  assert.deepEqual([Math.round(perHour), Math.round(fit * 100), mean], [120, 100, 159]);
  assert.deepEqual(trendOf([]).perHour, 0);
});

test('a leak is found, although each value alone looks like others', () => {
  assert.match(
    growth(
      samples((at) => 200 + at + wobble(at)),
      0.1,
    ) ?? '',
    /^grows by \d+/,
  );
});

test('what is flat, goes up and down, has one peak, or grows at the start alone is no leak', () => {
  const flat: ((at: number) => number)[] = [
    () => 200,
    (at) => 200 + wobble(at),
    (at) => (at === 59 ? 900 : 200 + wobble(at)),
    (at) => Math.min(200, 100 + 10 * at) + wobble(at),
    (at) => 200 - at,
    (at) => 200 + at / 10,
  ];
  for (const value of flat) assert.equal(growth(samples(value), 0.1), undefined, String(value));
});
