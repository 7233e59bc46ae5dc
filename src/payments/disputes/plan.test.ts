import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { DisputeAmounts, DisputeState } from '../provider.ts';
import { bookedOf, type Dispute, mergeReport, newDispute, planDisputes } from './plan.ts';

type Report = { readonly id: string; readonly state: DisputeState; readonly amounts: DisputeAmounts };

const listed = (id: string, withdrawnPence: number, reinstatedPence = 0, state: DisputeState = 'open'): Report => ({
  id,
  state,
  amounts: { withdrawnPence, reinstatedPence, isListed: true },
});
const about = (id: string, withdrawnPence: number, state: DisputeState = 'open'): Report => ({
  id,
  state,
  amounts: { withdrawnPence, reinstatedPence: 0, isListed: false },
});

const AMOUNT = 100;

/** Books after each report; returns what is taken, given back, passed, and above the payment in the end. */
function bookAll(reports: readonly Report[], failedPence = 0) {
  let disputes: readonly Dispute[] = [];
  const sums = { taken: 0, back: 0, passed: 0, excess: 0, surplus: 0 };
  for (const report of reports) {
    const found = disputes.find(({ id }) => id === report.id);
    const merged = mergeReport(found ?? newDispute(report.id), report);
    const known = found === undefined ? [...disputes, merged] : disputes.map((one) => (one === found ? merged : one));
    const plan = planDisputes(known, { amountPence: AMOUNT, failedPence });
    disputes = plan.disputes;
    sums.taken += plan.takenPence;
    sums.back += plan.backPence;
    sums.passed += plan.passedPence;
    sums.excess = plan.excessPence;
    sums.surplus = plan.surplusPence;
    const outPence = disputes.reduce((sum, dispute) => sum + bookedOf(dispute), failedPence);
    assert.ok(outPence <= AMOUNT, 'never more than the payment is out');
    assert.ok(disputes.every((dispute) => bookedOf(dispute) >= 0 && dispute.bookedReinstatedPence >= 0));
    const again = planDisputes(disputes, { amountPence: AMOUNT, failedPence });
    assert.deepEqual([again.takenPence, again.backPence, again.passedPence], [0, 0, 0], 'what is booked is booked');
  }
  return { disputes, ...sums };
}

describe('what is booked of reports', () => {
  const cases: readonly (readonly [
    what: string,
    reports: readonly Report[],
    expected: readonly [taken: number, back: number, passed: number, excess: number],
  ])[] = [
    ['taken, once', [listed('a', 60), listed('a', 60)], [60, 0, 0, 0]],
    ['taken and won', [listed('a', 60), listed('a', 60, 60, 'won')], [60, 60, 0, 0]],
    ['won first', [listed('a', 60, 60, 'won'), listed('a', 60)], [0, 0, 60, 0]],
    ['won, and nothing listed', [about('a', 60), about('a', 0, 'won')], [60, 60, 0, 0]],
    ['won before it was taken, and nothing listed', [about('a', 0, 'won'), about('a', 60)], [0, 0, 60, 0]],
    ['a part given back', [listed('a', 60), listed('a', 60, 20, 'lost')], [60, 20, 0, 0]],
    ['a part given back first', [listed('a', 60, 20, 'lost'), listed('a', 60)], [40, 0, 20, 0]],
    ['lost, and nothing given back', [about('a', 60), about('a', 0, 'lost')], [60, 0, 0, 0]],
    ['what is listed replaces what it is about', [about('a', 60), listed('a', 59)], [60, 1, 0, 0]],
    ['what it is about does not replace what is listed', [listed('a', 59), about('a', 60)], [59, 0, 0, 0]],
    [
      'all was assumed to be back, and a part is',
      [listed('a', 60, 0, 'won'), listed('a', 60, 20, 'won')],
      [40, 0, 60, 0],
    ],
    ['two at once', [listed('a', 60), listed('b', 40)], [100, 0, 0, 0]],
    ['two above the payment', [listed('a', 60), listed('b', 60)], [100, 0, 0, 20]],
    [
      'two above the payment, until the first gives back',
      [listed('a', 60), listed('b', 60), listed('a', 60, 60, 'won')],
      [120, 60, 0, 0],
    ],
    ['one above the payment, that is won', [listed('a', 110), listed('a', 110, 110, 'won')], [100, 100, 10, 0]],
    ['taken again after it was won', [listed('a', 60, 60, 'won'), listed('a', 120, 60)], [60, 0, 60, 0]],
  ];
  for (const [what, reports, expected] of cases) {
    test(what, () => {
      const { taken, back, passed, excess } = bookAll(reports);
      assert.deepEqual([taken, back, passed, excess], expected);
    });
  }

  test('nothing of a payment that failed as a whole: its disputes are about the same money', () => {
    const { taken, excess } = bookAll([listed('a', 60), listed('b', 40)], AMOUNT);
    assert.deepEqual([taken, excess], [0, 0]);
    assert.equal(bookAll([listed('a', 101)], AMOUNT).excess, 1);
  });

  test('more back than was taken is not booked, and said', () => {
    const { taken, back, surplus } = bookAll([listed('a', 60), listed('a', 60, 62, 'won')]);
    assert.deepEqual([taken, back, surplus], [60, 60, 2]);
    assert.equal(bookAll([listed('a', 0, 62, 'won')]).surplus, 0, 'what it took is not reported yet');
  });
});

/** What a provider really moves for a dispute, and the report after each movement. */
const reportsOf = (id: string): fc.Arbitrary<readonly Report[]> =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 100 })), { minLength: 1, maxLength: 3 })
    .map((rounds) => {
      let [withdrawn, reinstated] = [0, 0];
      return rounds.flatMap(([takes, percent]) => {
        withdrawn += takes;
        const begun = listed(id, withdrawn, reinstated);
        const back = Math.floor((takes * percent) / 100);
        reinstated += back;
        return back === 0 ? [begun] : [begun, listed(id, withdrawn, reinstated, back === takes ? 'won' : 'lost')];
      });
    });

test('the order of reports and their repeats change nothing: the books say what the provider has in the end', () => {
  const histories = fc.tuple(reportsOf('a'), reportsOf('b'), reportsOf('c'));
  const seen = histories.chain((all) => {
    const reports = all.flat();
    const repeats = fc.array(fc.constantFrom(...reports), { maxLength: 6 });
    const order = fc.array(fc.double({ noNaN: true }), {
      minLength: reports.length + 6,
      maxLength: reports.length + 6,
    });
    return fc.tuple(fc.constant(all), repeats, order).map(([own, again, keys]) => ({
      last: own.map((reports_) => reports_.at(-1)?.amounts),
      reports: [...reports, ...again]
        .map((report, index) => ({ report, key: keys[index] ?? 0 }))
        .toSorted((one, other) => one.key - other.key)
        .map(({ report }) => report),
    }));
  });
  fc.assert(
    fc.property(seen, ({ reports, last }) => {
      const { disputes, taken, back } = bookAll(reports);
      const truth = last.reduce((sum, of) => sum + (of?.withdrawnPence ?? 0) - (of?.reinstatedPence ?? 0), 0);
      assert.equal(taken - back, Math.min(truth, AMOUNT));
      if (truth > AMOUNT) return;
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        const dispute = disputes.find((one) => one.id === id);
        assert.deepEqual(
          [dispute?.bookedWithdrawnPence, dispute?.bookedReinstatedPence],
          [last[index]?.withdrawnPence, last[index]?.reinstatedPence],
        );
      }
    }),
    { numRuns: 2_000 },
  );
});
