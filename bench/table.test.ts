import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Row, rowOf } from './figures.ts';
import { goalText, markdownTable, shown, textTable } from './table.ts';

const cost = { postgres: 1.25, mainThread: 0.5, service: 0.75, load: 0.1 };
const bare = { postgres: 0.6, mainThread: 0, service: 0, load: 0.1 };
const orders = rowOf(
  [
    { ours: 500, theirs: 1_000 },
    { ours: 400, theirs: 1_600 },
    { ours: 600, theirs: 2_000 },
  ],
  {
    what: 'orders',
    unit: '/s',
    against: 'bare',
    goal: { of: 'ratio', is: 'at least', value: 1, first: 0.6 },
    cost: { per: 'an order', ours: cost, theirs: bare },
  },
);
const memory = rowOf([{ ours: 130 }, { ours: 110 }], {
  what: 'memory',
  unit: 'MB',
  goal: { of: 'ours', is: 'at most', value: 120 },
});
/** As a part that measures by itself returns it. */
const deliveries: Row = { what: 'deliveries', unit: '/s', ours: 2_500, against: 'a bare sender', theirs: 10_000 };

test('a number has three digits that count, and is whole from a hundred on', () => {
  const cases: [number, string][] = [
    [0.01234, '0.012'],
    [0.5, '0.50'],
    [12.345, '12.3'],
    [99.99, '100.0'],
    [123.4, '123'],
    [12_345.6, '12,346'],
    [Number.NaN, '-'],
    [Number.POSITIVE_INFINITY, '-'],
  ];
  for (const [value, expected] of cases) assert.equal(shown(value), expected);
});

test('a goal says what it is about, with the nearer one first', () => {
  assert.equal(goalText(orders), 'ratio ≥ 0.6, then 1');
  assert.equal(goalText(memory), '≤ 120 MB');
  assert.equal(goalText(deliveries), '');
});

test('the table for a document has each row with ratio, spread, goal and whether it is reached', () => {
  assert.equal(
    markdownTable([orders, memory, deliveries]),
    [
      '| What | Ours | Against | Theirs | Ratio | Lowest to highest | Goal | Reached |',
      '|---|---|---|---|---|---|---|---|',
      '| orders | 500/s | bare | 1,600/s | 0.30 | 0.25 to 0.50 | ratio ≥ 0.6, then 1 | no |',
      '| memory | 120 MB |  |  |  | 110 to 130 MB | ≤ 120 MB | yes |',
      '| deliveries | 2,500/s | a bare sender | 10,000/s | 0.25 |  |  |  |',
      '',
      'Processor time of each, in ms:',
      '',
      '| What | PostgreSQL | Main thread | Service in all | Load |',
      '|---|---|---|---|---|',
      '| orders, an order | 1.25 | 0.50 | 0.75 | 0.10 |',
      '| bare, an order | 0.60 | 0.000 | 0.000 | 0.10 |',
    ].join('\n'),
  );
});

test('the table for a terminal has columns of one width, numbers to the right', () => {
  assert.equal(
    textTable([memory, deliveries]),
    [
      'What        Ours     Against        Theirs    Ratio  Lowest to highest  Goal      Reached',
      'memory       120 MB                                      110 to 130 MB  ≤ 120 MB  yes',
      'deliveries  2,500/s  a bare sender  10,000/s   0.25',
    ].join('\n'),
  );
});

test('where processor time is not counted there is no table of it', () => {
  assert.doesNotMatch(textTable([memory, deliveries]), /Processor time/);
  assert.doesNotMatch(markdownTable([memory, deliveries]), /Processor time/);
});

test('what several rows are compared with is listed once', () => {
  const second: Row = { ...orders, what: 'orders in batches' };
  assert.equal(textTable([orders, second]).match(/^bare, an order/gm)?.length, 1);
});
