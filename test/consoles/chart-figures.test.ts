import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, scaleOf } from '../../consoles/portal/money/chart-figures.ts';

const spent = (day: string, parts: object) => ({
  day,
  products: 0,
  setup: 0,
  shipping: 0,
  vat: 0,
  duty: 0,
  refunds: 0,
  total: 0,
  invoices: 1,
  credit_notes: 0,
  ...parts,
});

test('each day and each month of a period has a column, over a change of the clocks, too, and pence add up', () => {
  const data = [
    spent('2026-10-24', { products: 0.1, total: 0.1 }),
    spent('2026-10-26', { products: 0.2, refunds: 0.7, total: -0.5 }),
  ];
  const period = { from: '2026-10-24', to: '2026-11-02', data };
  const days = columnsOf(period, 'day');
  assert.deepEqual(
    days.map(({ name }) => name),
    ['24', '25', '26', '27', '28', '29', '30', '31']
      .map((day) => `2026-10-${day}`)
      .concat(['2026-11-01', '2026-11-02']),
  );
  assert.deepEqual([days[0]?.products, days[1]?.products, days[2]?.refunds], [0.1, 0, 0.7]);
  const months = columnsOf(period, 'month');
  assert.deepEqual(
    months.map(({ name, products, total }) => [name, products, total]),
    [
      ['2026-10', 0.3, -0.4],
      ['2026-11', 0, 0],
    ],
  );
});

test('a scale is round, has zero on it, and holds every column', () => {
  const column = (total: number, refunds = 0) => ({
    ...{ name: 'a', products: 0, setup: 0, shipping: 0, vat: 0, duty: 0 },
    total,
    refunds,
  });
  for (const [columns, ticks] of [
    [[column(0)], [1, 0.5, 0]],
    [[column(100)], [100, 50, 0]],
    [[column(930)], [1000, 500, 0]],
    [
      [column(3_100), column(-900, 1_000)],
      [4000, 2000, 0, -2000],
    ],
  ] as const) {
    const scale = scaleOf(columns);
    assert.deepEqual(scale.ticks, ticks);
    assert.deepEqual([scale.high, scale.low], [ticks[0], Math.min(...ticks)]);
  }
});
