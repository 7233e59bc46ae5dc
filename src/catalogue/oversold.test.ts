import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findOversold, outOfStock } from './oversold.ts';

type Wanted = readonly (readonly [sku: string, quantity: number])[];
const SHELF: Readonly<Record<string, number>> = { A: 5, B: 1, C: 0 };

const short = (wanted: Wanted) =>
  findOversold(
    wanted.map(([sku, quantity], line) => ({ sku, quantity, line })),
    (sku) => SHELF[sku] ?? 0,
  );

describe('what is short when all pieces are taken', () => {
  const cases: readonly (readonly [what: string, wanted: Wanted, short: ReturnType<typeof short>])[] = [
    ['nothing of nothing', [], []],
    ['nothing where the shelf has exactly as many', [['A', 5]], []],
    ['one more than there is', [['A', 6]], [{ variant_sku: 'A', requested: 6, available: 5, lines: [0] }]],
    ['what is not there at all', [['C', 1]], [{ variant_sku: 'C', requested: 1, available: 0, lines: [0] }]],
    ['nothing of no pieces', [['C', 0]], []],
    [
      'the lines of a variant together, each of which would fit',
      [
        ['A', 3],
        ['B', 1],
        ['A', 3],
      ],
      [{ variant_sku: 'A', requested: 6, available: 5, lines: [0, 2] }],
    ],
    [
      'several variants in the order of their lines',
      [
        ['B', 2],
        ['A', 1],
        ['C', 4],
      ],
      [
        { variant_sku: 'B', requested: 2, available: 1, lines: [0] },
        { variant_sku: 'C', requested: 4, available: 0, lines: [2] },
      ],
    ],
  ];
  for (const [what, wanted, expected] of cases) test(what, () => assert.deepEqual(short(wanted), expected));
});

test('the refusal carries all that is short and names the first five', () => {
  const six = Array.from({ length: 6 }, (_, at) => ({
    variant_sku: `S${at}`,
    requested: 2,
    available: 1,
    lines: [at],
  }));
  const error = outOfStock(six);
  assert.deepEqual([error.code, error.extras.oversold], ['out_of_stock', six]);
  assert.match(error.message, /S0 \(1 of 2\), .*S4 \(1 of 2\)\./);
  assert.doesNotMatch(error.message, /S5/);
});
