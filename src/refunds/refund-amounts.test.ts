import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { basisPointsOf, pence, sumPence, timesQuantity } from '../lib/money.ts';
import { basisPoints, setupVatClass } from '../pricing/vat.ts';
import {
  type Credit,
  creditForAll,
  creditForGoodwill,
  creditForPieces,
  type RateAmount,
  type Sold,
  type SoldLine,
  uncreditedOf,
} from './refund-amounts.ts';

const line = (id: string, changes: Partial<SoldLine> = {}): SoldLine => ({
  id,
  name: `Tee ${id}`,
  sku: `SKU-${id}`,
  vatClass: 'standard',
  unitPence: pence(1_000),
  quantity: 2,
  cancelled: 0,
  shipped: 0,
  isStarted: false,
  designs: [],
  ...changes,
});

/** An order as a quote would charge it, at 20 % and, for children's wear, at nothing. */
function sold(lines: readonly SoldLine[], changes: Partial<Sold> = {}): Sold {
  const setups = changes.setups ?? [];
  const shippingPence = changes.shippingPence ?? pence(395);
  const isStandard = (key: string): boolean =>
    setupVatClass(new Set(lines.filter(({ designs }) => designs.includes(key)).map(({ vatClass }) => vatClass))) ===
    'standard';
  const goods = (standard: boolean): number =>
    sumPence([
      ...lines
        .filter(({ vatClass }) => (vatClass === 'standard') === standard)
        .map(({ unitPence, quantity }) => timesQuantity(unitPence, quantity)),
      ...setups.filter(({ key }) => isStandard(key) === standard).map((setup) => setup.pence),
    ]);
  const [full, zero] = [goods(true), goods(false)];
  const zeroShipping = full + zero === 0 ? 0 : Math.floor((shippingPence * zero) / (full + zero));
  const rates: RateAmount[] = [];
  const hasZero = lines.some(({ vatClass }) => vatClass !== 'standard');
  const hasFull = lines.some(({ vatClass }) => vatClass === 'standard') || full > 0;
  const add = (rate: number, net: number): void => {
    const netPence = pence(net);
    rates.push({ rateBasisPoints: rate, netPence, vatPence: basisPointsOf(netPence, basisPoints(rate)) });
  };
  if (hasFull) add(2_000, full + shippingPence - (hasZero ? zeroShipping : 0));
  if (hasZero) add(0, zero + (hasFull ? zeroShipping : shippingPence));
  return {
    lines,
    setups,
    shippingPence,
    dutyPence: pence(0),
    vatBreakdown: rates,
    credited: { vatBreakdown: [], dutyPence: pence(0) },
    ...changes,
  };
}

const totalOf = (order: Sold): number =>
  uncreditedOf({ ...order, credited: { vatBreakdown: [], dutyPence: pence(0) } }).totalPence;

/** The order after a credit, some pieces of it cancelled. */
function after(order: Sold, credit: Credit, pieces: ReadonlyMap<string, number> = new Map()): Sold {
  const sumOf = (rate: number, part: 'netPence' | 'vatPence') =>
    sumPence(
      [...order.credited.vatBreakdown, ...credit.vatBreakdown]
        .filter(({ rateBasisPoints }) => rateBasisPoints === rate)
        .map((row) => row[part]),
    );
  return {
    ...order,
    lines: order.lines.map((of) => ({ ...of, cancelled: of.cancelled + (pieces.get(of.id) ?? 0) })),
    credited: {
      vatBreakdown: order.vatBreakdown.map(({ rateBasisPoints: rate }) => ({
        rateBasisPoints: rate,
        netPence: sumOf(rate, 'netPence'),
        vatPence: sumOf(rate, 'vatPence'),
      })),
      dutyPence: sumPence([order.credited.dutyPence, credit.dutyPence]),
    },
  };
}

const named = (credit: Credit) =>
  credit.lines.map(({ description, quantity, netPence }) => [description, quantity, netPence]);

describe('what a cancelled piece gives back', () => {
  test('its price and the VAT on it; shipping stays while a piece is left, and goes back with the last', () => {
    const order = sold([line('a'), line('b')]);
    const first = creditForPieces(order, new Map([['a', 2]]));
    assert.deepEqual([first.netPence, first.vatPence, first.totalPence], [2_000, 400, 2_400]);
    assert.deepEqual(named(first), [['Tee a', 2, 2_000]]);
    const last = creditForPieces(after(order, first, new Map([['a', 2]])), new Map([['b', 2]]));
    assert.deepEqual(named(last), [
      ['Tee b', 2, 2_000],
      ['Shipping', 1, 395],
    ]);
    assert.equal(first.totalPence + last.totalPence, totalOf(order));
  });

  test('what remains is not priced anew: one of ten costs what it cost', () => {
    const order = sold([line('a', { quantity: 10, unitPence: pence(799) })]);
    assert.equal(creditForPieces(order, new Map([['a', 1]])).netPence, 799);
  });

  test('its setup, once no line that uses it has a piece left', () => {
    const setups = [{ key: 'd:embroidery', method: 'embroidery', pence: pence(1_500) }];
    const designs = ['d:embroidery'];
    const order = sold([line('a', { designs }), line('b', { designs }), line('c')], { setups });
    const first = creditForPieces(order, new Map([['a', 2]]));
    assert.deepEqual(named(first), [['Tee a', 2, 2_000]]);
    const second = creditForPieces(after(order, first, new Map([['a', 2]])), new Map([['b', 2]]));
    assert.deepEqual(named(second), [
      ['Tee b', 2, 2_000],
      ['Setup, embroidery', 1, 1_500],
    ]);
    assert.equal(second.vatPence, 700);
  });

  test('a setup that was started stays charged while anything is left', () => {
    const setups = [{ key: 'd:embroidery', method: 'embroidery', pence: pence(1_500) }];
    const order = sold([line('a', { designs: ['d:embroidery'], isStarted: true }), line('b')], { setups });
    assert.deepEqual(named(creditForPieces(order, new Map([['a', 2]]))), [['Tee a', 2, 2_000]]);
  });

  test('D66 each class of VAT gives back its own: nothing on what a baby wears', () => {
    const order = sold([line('a'), line('b', { vatClass: 'young_children_zero' })], { shippingPence: pence(0) });
    assert.deepEqual(creditForPieces(order, new Map([['b', 1]])).vatBreakdown, [
      { rateBasisPoints: 0, netPence: 1_000, vatPence: 0 },
    ]);
    assert.deepEqual(creditForPieces(order, new Map([['a', 1]])).vatBreakdown, [
      { rateBasisPoints: 2_000, netPence: 1_000, vatPence: 200 },
    ]);
  });

  test('duty goes back with the last piece only', () => {
    const order = sold([line('a')], { dutyPence: pence(77) });
    const first = creditForPieces(order, new Map([['a', 1]]));
    assert.equal(first.dutyPence, 0);
    assert.equal(creditForPieces(after(order, first, new Map([['a', 1]])), new Map([['a', 1]])).dutyPence, 77);
  });

  test('what a goodwill took back is not given back again, and the note says so', () => {
    const order = sold([line('a')], { shippingPence: pence(0) });
    const goodwill = creditForGoodwill(order, pence(600), 'Goodwill: late');
    assert.deepEqual([goodwill.netPence, goodwill.vatPence], [500, 100]);
    const all = creditForAll(after(order, goodwill));
    assert.deepEqual(named(all), [
      ['Tee a', 2, 2_000],
      ['Less what was credited before', 1, -500],
    ]);
    assert.equal(all.totalPence + goodwill.totalPence, 2_400);
  });

  test('a goodwill comes from duty only when nothing else is left', () => {
    const order = sold([line('a', { quantity: 1 })], { shippingPence: pence(0), dutyPence: pence(100) });
    assert.equal(creditForGoodwill(order, pence(1_200), '').dutyPence, 0);
    assert.equal(creditForGoodwill(order, pence(1_250), '').dutyPence, 50);
  });
});

describe('the VAT of a refund is rounded half up to the penny', () => {
  // An order of 20.00 and 4.00 VAT: a sixth of a goodwill is VAT.
  const goodwills: readonly (readonly [amount: number, share: string, vat: number])[] = [
    [122, '20.33', 20],
    [123, '20.50', 21],
    [124, '20.67', 21],
    [3, '0.50', 1],
    [2, '0.33', 0],
  ];
  for (const [amount, share, vat] of goodwills) {
    test(`a goodwill of ${amount} pence has ${share} pence of VAT in it: ${vat}`, () => {
      const credit = creditForGoodwill(sold([line('a')], { shippingPence: pence(0) }), pence(amount), 'Goodwill');
      assert.deepEqual([credit.vatPence, credit.netPence, credit.totalPence], [vat, amount - vat, amount]);
    });
  }

  // What is rounded is the VAT on what is kept; the rest of what was charged goes back.
  const cancels: readonly (readonly [unit: number, quantity: number, cancelled: number, kept: string, vat: number])[] =
    [
      [1_003, 2, 1, '401 × 1/2 = 200.50, so 201', 200],
      [799, 3, 2, '479 × 1/3 = 159.67, so 160', 319],
      [799, 3, 1, '479 × 2/3 = 319.33, so 319', 160],
      [3, 5, 2, '3 × 3/5 = 1.80, so 2', 1],
    ];
  for (const [unit, quantity, cancelled, kept, vat] of cancels) {
    test(`${cancelled} of ${quantity} at ${unit} pence: VAT of ${kept} is kept, and ${vat} goes back`, () => {
      const order = sold([line('a', { unitPence: pence(unit), quantity })], { shippingPence: pence(0) });
      const credit = creditForPieces(order, new Map([['a', cancelled]]));
      assert.deepEqual([credit.netPence, credit.vatPence], [unit * cancelled, vat]);
    });
  }
});

const DESIGNS = ['x:embroidery', 'y:screen'];
const anyLine = (index: number) =>
  fc
    .record({
      unit: fc.integer({ min: 0, max: 9_999 }),
      quantity: fc.integer({ min: 1, max: 40 }),
      baby: fc.boolean(),
      isStarted: fc.boolean(),
      designs: fc.subarray(DESIGNS),
    })
    .map(({ unit, quantity, baby, isStarted, designs }) =>
      line(`l${index}`, {
        unitPence: pence(unit),
        quantity,
        vatClass: baby ? 'young_children_zero' : 'standard',
        isStarted,
        designs,
      }),
    );
const anyOrder = fc
  .integer({ min: 1, max: 5 })
  .chain((count) =>
    fc.record({
      lines: fc.tuple(...Array.from({ length: count }, (_, index) => anyLine(index))),
      setupPence: fc.integer({ min: 1, max: 5_000 }),
      shipping: fc.integer({ min: 0, max: 3_000 }),
      duty: fc.integer({ min: 0, max: 2_000 }),
    }),
  )
  .map(({ lines, setupPence, shipping, duty }) => {
    const used = DESIGNS.filter((key) => lines.some(({ designs }) => designs.includes(key)));
    const setups = used.map((key) => ({ key, method: key.slice(2), pence: pence(setupPence) }));
    return sold(lines, { setups, shippingPence: pence(shipping), dutyPence: pence(duty) });
  });

/** What is done next: cancel some pieces of a line, give a goodwill, or neither. */
const anyStep = fc.record({
  line: fc.nat(),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  goodwill: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined, freq: 4 }),
});

/** Does a step; returns the credit and the order after it. */
function take(order: Sold, step: { line: number; share: number; goodwill: number | undefined }) {
  if (step.goodwill !== undefined) {
    const credit = creditForGoodwill(
      order,
      pence(Math.floor(uncreditedOf(order).totalPence * step.goodwill)),
      'Goodwill',
    );
    return { credit, next: after(order, credit) };
  }
  const open = order.lines.filter(({ quantity, cancelled }) => cancelled < quantity);
  const chosen = open[step.line % Math.max(1, open.length)];
  if (chosen === undefined) return undefined;
  const left = chosen.quantity - chosen.cancelled;
  const pieces = new Map([[chosen.id, Math.max(1, Math.ceil(left * step.share))]]);
  const credit = creditForPieces(order, pieces);
  return { credit, next: after(order, credit, pieces) };
}

function assertWhole(credit: Credit): void {
  const parts = [credit.netPence, credit.vatPence, credit.dutyPence];
  assert.ok(
    [...parts, ...credit.vatBreakdown.flatMap((rate) => [rate.netPence, rate.vatPence])].every((part) => part >= 0),
  );
  assert.equal(sumPence(parts), credit.totalPence);
  assert.equal(sumPence(credit.vatBreakdown.map((rate) => rate.netPence)), credit.netPence);
  assert.equal(sumPence(credit.vatBreakdown.map((rate) => rate.vatPence)), credit.vatPence);
  assert.equal(sumPence(credit.lines.map((of) => of.netPence)), credit.netPence, 'the lines of the note are its net');
}

const RUNS = { numRuns: 1_000 };

test('D62 any way of cancelling piece by piece gives back exactly what was charged, rate by rate, and never more on the way', () => {
  fc.assert(
    fc.property(anyOrder, fc.array(anyStep, { maxLength: 30 }), (order, steps) => {
      let now = order;
      let given = 0;
      const rest = order.lines.map((_, index) => ({ line: index, share: 1, goodwill: undefined }));
      for (const step of [...steps.map((of) => ({ ...of, goodwill: undefined })), ...rest]) {
        const taken = take(now, step);
        if (taken === undefined) break;
        assertWhole(taken.credit);
        given += taken.credit.totalPence;
        now = taken.next;
        assert.equal(uncreditedOf(now).totalPence, totalOf(order) - given);
      }
      assert.equal(given, totalOf(order));
      for (const rate of uncreditedOf(now).vatBreakdown) assert.deepEqual([rate.netPence, rate.vatPence], [0, 0]);
    }),
    RUNS,
  );
});

test('D62 whichever order the pieces are cancelled in, the same pieces give back the same', () => {
  fc.assert(
    fc.property(anyOrder, fc.array(anyStep, { maxLength: 10 }), (order, steps) => {
      let now = order;
      let given = 0;
      for (const step of steps) {
        const taken = take(now, { ...step, goodwill: undefined });
        if (taken === undefined) break;
        given += taken.credit.totalPence;
        now = taken.next;
      }
      const pieces = new Map(now.lines.filter(({ cancelled }) => cancelled > 0).map((of) => [of.id, of.cancelled]));
      assert.equal(creditForPieces(order, pieces).totalPence, given);
    }),
    RUNS,
  );
});

test('D62 with goodwill in between the refunds stay within what was charged at every rate, and the whole order ends at it', () => {
  fc.assert(
    fc.property(anyOrder, fc.array(anyStep, { maxLength: 20 }), (order, steps) => {
      let now = order;
      let given = 0;
      for (const step of steps) {
        const taken = take(now, step);
        if (taken === undefined) continue;
        assertWhole(taken.credit);
        given += taken.credit.totalPence;
        now = taken.next;
        const left = uncreditedOf(now);
        assert.ok(left.dutyPence >= 0 && left.vatBreakdown.every((rate) => rate.netPence >= 0 && rate.vatPence >= 0));
      }
      const last = creditForAll(now);
      assertWhole(last);
      assert.equal(given + last.totalPence, totalOf(order));
    }),
    RUNS,
  );
});
