import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DemoProduct, readDemo } from '../seed-demo.ts';
import { FATES, OF_SEVERAL } from './fates.ts';
import { type DemoPerson, MONTH_DAYS, type MonthStep, type PlannedOrder, planMonth } from './plan.ts';

const HOUR_MS = 3_600_000;
const products = (await readDemo('month/products.json')) as DemoProduct[];
const people = (await readDemo('month/people.json')) as DemoPerson[];
const planUntil = (hours: number): readonly MonthStep[] =>
  planMonth(products, people, MONTH_DAYS * 24 * HOUR_MS + hours * HOUR_MS);
const ordersOf = (steps: readonly MonthStep[]): PlannedOrder[] =>
  steps.flatMap((step) => (step.kind === 'place' ? [step.order] : []));

test('the month has some 200 orders of every fate, each with a number of its own', () => {
  const orders = ordersOf(planUntil(14));
  assert.ok(orders.length >= 190 && orders.length <= 220, `${orders.length} orders`);
  assert.equal(new Set(orders.map(({ reference }) => reference)).size, orders.length);
  const fates = new Set(orders.map(({ fate }) => fate));
  assert.deepEqual(
    Object.keys(FATES).filter((fate) => ![...fates].includes(fate as keyof typeof FATES)),
    [],
  );
});

test('two plans differ in their last two orders alone, which are of the last half hour', () => {
  const [early, late] = [planUntil(0.2), planUntil(23.9)];
  assert.deepEqual(early.slice(0, -2), late.slice(0, -2));
  assert.deepEqual(planUntil(9), planUntil(9));
});

test('nothing happens before its order is placed, nor in the future, nor out of order', () => {
  for (const hours of [0, 9.5, 23.9]) {
    const placed = new Set<PlannedOrder>();
    let lastMs = 0;
    for (const step of planUntil(hours)) {
      assert.ok(step.atMs >= lastMs);
      assert.ok(step.atMs < (MONTH_DAYS * 24 + hours) * HOUR_MS, JSON.stringify(step));
      lastMs = step.atMs;
      if (step.kind === 'place') placed.add(step.order);
      if (step.kind === 'work') assert.ok(placed.has(step.order), JSON.stringify(step));
    }
  }
});

test('an order names variants of its products, none twice, and has the pieces that its fate needs', () => {
  for (const { lines, fate } of ordersOf(planUntil(14))) {
    assert.equal(new Set(lines.map(({ sku }) => sku)).size, lines.length);
    for (const { product, sku } of lines) {
      if (product === 'personalised') continue;
      assert.ok(products.find(({ key }) => key === product)?.variant_skus.includes(sku), sku);
    }
    if (OF_SEVERAL.includes(fate)) assert.ok((lines[0]?.quantity ?? 0) > 1, fate);
  }
});

test('addresses of people lie under domains and phone numbers that nobody has', () => {
  for (const { email, phone } of people) {
    if (email !== undefined) assert.match(email, /@mail\.example$/);
    // The ranges that are kept for fiction in each country.
    if (phone !== undefined) {
      const fictitious = [
        /^07700 900\d{3}$/,
        /^\+49 (30 23125|40 66969|221 4710|89 99998) \d{3}$/,
        /^\+33 (1 99 00|2 61 91|5 36 49) \d\d \d\d$/,
        /^\+1 \d{3} 555 01\d\d$/,
      ];
      assert.ok(
        fictitious.some((range) => range.test(phone)),
        phone,
      );
    }
  }
});
