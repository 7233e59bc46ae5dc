import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { goalFigureOf, median, oursOf, quantile, type Row, ratioOf, reachedOf, rowOf } from './figures.ts';

describe('statistics', () => {
  test('the median is the middle value, or the mean of the two in the middle', () => {
    const cases: [readonly number[], number][] = [
      [[5], 5],
      [[9, 1, 5], 5],
      [[4, 1, 3, 2], 2.5],
      [[10, 9, 100], 10],
    ];
    for (const [values, expected] of cases) assert.equal(median(values), expected, String(values));
    assert.ok(Number.isNaN(median([])));
  });

  test('a quantile is a value that was measured, and the share of values up to it is at least the one wanted', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    const cases: [readonly number[], number, number][] = [
      [hundred, 0.5, 50],
      [hundred, 0.99, 99],
      [hundred, 0.999, 100],
      [hundred, 0, 1],
      [[7], 0.99, 7],
    ];
    for (const [values, share, expected] of cases) assert.equal(quantile(values, share), expected, `${share}`);
    assert.ok(Number.isNaN(quantile([], 0.5)));
  });
});

describe('a row', () => {
  const rounds = [
    { ours: 10, theirs: 20 },
    { ours: 40, theirs: 50 },
    { ours: 30, theirs: 100 },
  ];
  const row = rowOf(rounds, { what: 'orders', unit: '/s', against: 'a bare statement' });

  test('its ratio is the median of the ratios, and not the ratio of the medians', () => {
    assert.deepEqual([row.ours, row.theirs], [30, 50]);
    assert.deepEqual(ratioOf(row), { median: 0.5, lowest: 0.3, highest: 0.8 });
    assert.deepEqual(oursOf(row), { median: 30, lowest: 10, highest: 40 });
  });

  test('without rounds it has the ratio of its two values, and without a second value none', () => {
    const single: Row = { what: 'deliveries', unit: '/s', ours: 3, theirs: 4 };
    assert.deepEqual(ratioOf(single), { median: 0.75, lowest: 0.75, highest: 0.75 });
    assert.deepEqual(oursOf(single), { median: 3, lowest: 3, highest: 3 });
    assert.equal(ratioOf({ ...single, theirs: Number.NaN }), undefined);
    assert.equal(ratioOf(rowOf([{ ours: 3 }], { what: 'memory', unit: 'MB' })), undefined);
  });

  test('the median reaches its goal, or the first one, or none', () => {
    const atLeast = (ours: number): Row => ({
      ...{ what: '', unit: '/s', ours, theirs: 100 },
      goal: { of: 'ratio', is: 'at least', value: 1, first: 0.6 },
    });
    const atMost = (ours: number): Row => ({
      ...{ what: '', unit: 'ms', ours },
      goal: { of: 'ours', is: 'at most', value: 50 },
    });
    const cases: [Row, 'yes' | 'first' | 'no'][] = [
      [atLeast(100), 'yes'],
      [atLeast(99), 'first'],
      [atLeast(60), 'first'],
      [atLeast(59), 'no'],
      [atMost(50), 'yes'],
      [atMost(50.1), 'no'],
      [atMost(Number.NaN), 'no'],
    ];
    for (const [of, expected] of cases) assert.equal(reachedOf(of), expected, JSON.stringify(of));
  });

  test('a row without a goal reaches none, and a goal of a ratio needs something to compare with', () => {
    assert.equal(reachedOf(row), undefined);
    assert.equal(goalFigureOf(row), undefined);
    const alone: Row = { what: '', unit: '/s', ours: 3, goal: { of: 'ratio', is: 'at least', value: 1 } };
    assert.equal(reachedOf(alone), undefined);
  });
});
