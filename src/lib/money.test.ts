import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  apportion,
  type BasisPoints,
  basisPointsOf,
  fromPounds,
  pence,
  poundsText,
  ratioOf,
  sumPence,
  timesQuantity,
  toPounds,
} from './money.ts';

const rate = (points: number): BasisPoints => points as BasisPoints;

describe('D54 a half penny is rounded up, decided on exact amounts and not on binary fractions', () => {
  const cases: [amount: number, numerator: number, denominator: number, expected: number][] = [
    [201, 1, 2, 101],
    [535, 1, 2, 268],
    [1, 1, 2, 1],
    [1, 1, 3, 0],
    [2, 1, 3, 1],
    [-201, 1, 2, -101],
    [-1, 1, 2, -1],
    [0, 7, 9, 0],
    [10, 0, 3, 0],
    [9_007_199_254_740_991, 3, 3, 9_007_199_254_740_991],
    [9_007_199_254_740_991, 1, 2, 4_503_599_627_370_496],
  ];
  for (const [amount, numerator, denominator, expected] of cases) {
    test(`${amount} × ${numerator} ÷ ${denominator} = ${expected}`, () => {
      assert.equal(ratioOf(pence(amount), numerator, denominator), expected);
    });
  }
});

test('VAT of 20 % on 1.01 is 0.20, on 1.03 is 0.21: the penny nearest, a half up', () => {
  const cases: [number, number][] = [
    [101, 20],
    [102, 20],
    [103, 21],
    [0, 0],
  ];
  for (const [net, vat] of cases) assert.equal(basisPointsOf(pence(net), rate(2_000)), vat, String(net));
  // 12.5 pence exactly.
  assert.equal(basisPointsOf(pence(250), rate(500)), 13);
});

test('what is not whole pence, or too large to be exact, never becomes money', () => {
  for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) assert.throws(() => pence(wrong), /pence/);
  assert.throws(() => timesQuantity(pence(2 ** 52), 4));
  assert.throws(() => sumPence([pence(2 ** 53 - 1), pence(1)]));
  assert.throws(() => ratioOf(pence(2 ** 52), 4, 1));
  assert.throws(() => ratioOf(pence(1), 1, 0));
  assert.ok(Object.is(pence(-0), 0));
});

test('D53 the largest order that can be placed is exact to the penny', () => {
  assert.equal(timesQuantity(pence(99_999_999), 10_000), 999_999_990_000);
  assert.equal(sumPence(Array.from({ length: 1_000 }, () => pence(999_999_990_000))), 999_999_990_000_000);
});

describe('an amount is split so that not a penny is lost or made', () => {
  const cases: [amount: number, weights: number[], parts: number[]][] = [
    [100, [1, 1, 1], [34, 33, 33]],
    [1, [1, 1], [1, 0]],
    [5, [1, 2], [2, 3]],
    [0, [3, 4], [0, 0]],
    [7, [0, 0], [7, 0]],
    [7, [0, 1], [0, 7]],
    [499, [1_000, 0, 500], [333, 0, 166]],
  ];
  for (const [amount, weights, parts] of cases) {
    test(`${amount} over ${weights.join(', ')}`, () => {
      assert.deepEqual(apportion(pence(amount), weights.map(pence)), parts);
    });
  }

  test('whatever the amount and the weights, and no part is a whole penny off its share', () => {
    const amounts = fc.integer({ min: 0, max: 1_000_000_000_000 });
    fc.assert(
      fc.property(amounts, fc.array(amounts, { minLength: 1, maxLength: 12 }), (amount, weights) => {
        const parts = apportion(pence(amount), weights.map(pence));
        assert.equal(sumPence(parts), amount);
        const total = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
        if (total === 0n) return;
        parts.forEach((part, index) => {
          const exact = BigInt(amount) * BigInt(weights[index] ?? 0);
          const off = BigInt(part) * total - exact;
          assert.ok(off < total && off > -total);
        });
      }),
      { numRuns: 500 },
    );
  });

  test('nothing is split over nothing, and nothing below zero is split', () => {
    assert.throws(() => apportion(pence(1), []));
    assert.throws(() => apportion(pence(-1), [pence(1)]));
    assert.throws(() => apportion(pence(1), [pence(2), pence(-1)]));
  });
});

test('D67 pounds on the wire have two decimals at most: 15.98 and never 15.980000000000002, 0 and never -0 (2.1 money)', () => {
  const cases: [number, string][] = [
    [1_598, '15.98'],
    [0, '0'],
    [1, '0.01'],
    [10, '0.1'],
    [-250, '-2.5'],
    [999_999_990_000, '9999999900'],
    [999_999_999_999, '9999999999.99'],
  ];
  for (const [amount, text] of cases) assert.equal(JSON.stringify(toPounds(pence(amount))), text);
});

describe('pounds from a command line or a body are taken to the penny or not at all', () => {
  const cases: [number | string, number | undefined][] = [
    ['50.00', 5_000],
    ['50', 5_000],
    ['0.1', 10],
    [1.1, 110],
    [15.98, 1_598],
    [0, 0],
    ['1.005', undefined],
    [0.1 + 0.2, undefined],
    [-1, undefined],
    ['-0.01', undefined],
    ['+1', undefined],
    ['1e3', undefined],
    [1e21, undefined],
    [Number.NaN, undefined],
    ['', undefined],
    [' 1', undefined],
    ['1.', undefined],
    ['.5', undefined],
    ['1,50', undefined],
    ['٣', undefined],
    ['99999999999.99', 9_999_999_999_999],
    ['100000000000', undefined],
  ];
  for (const [given, expected] of cases) {
    test(`${JSON.stringify(given)} is ${expected ?? 'refused'}`, () => assert.equal(fromPounds(given), expected));
  }

  test('and come back from the wire as they went out', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_999_999_999_999 }), (amount) => {
        assert.equal(fromPounds(toPounds(pence(amount))), amount);
      }),
    );
  });
});

test('pounds on paper have their pence and their thousands', () => {
  for (const [amount, text] of [
    [0, '0.00'],
    [5, '0.05'],
    [-250, '-2.50'],
    [99_999, '999.99'],
    [100_000, '1,000.00'],
    [123_456_789, '1,234,567.89'],
  ] as const) {
    assert.equal(poundsText(pence(amount)), text);
  }
});
