import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUSE, type Uuid } from '../lib/ids.ts';
import { pence } from '../lib/money.ts';
import { coverShortfall, type Leg, legsOf, storedLegs, takenFromBalance } from './plan.ts';

const [ADA, BOB] = ['0000000a-0000-7000-8000-000000000000', '0000000b-0000-7000-8000-000000000000'] as [Uuid, Uuid];

const leg = (amount: number, changes: Partial<Leg> = {}): Leg => ({
  accountId: ADA,
  orderId: null,
  kind: 'correction',
  debit: 'customer_balance',
  credit: 'bank',
  amountPence: pence(amount),
  correctsId: null,
  reference: '',
  ...changes,
});

const short = (legs: readonly Leg[]) => legs.map(({ debit, amountPence }) => `${debit} ${amountPence}`);

describe('what a balance does not cover', () => {
  const cases: readonly (readonly [legs: readonly Leg[], balance: number, expected: readonly string[]])[] = [
    [[leg(100)], 100, ['customer_balance 100']],
    [[leg(100)], 101, ['customer_balance 100']],
    [[leg(100)], 99, ['customer_balance 99', 'receivables 1']],
    [[leg(100)], 0, ['receivables 100']],
    [[leg(60), leg(60)], 100, ['customer_balance 60', 'customer_balance 40', 'receivables 20']],
    [[leg(60), leg(60)], 60, ['customer_balance 60', 'receivables 60']],
    [[leg(100, { accountId: BOB })], 0, ['customer_balance 100']],
    [[leg(100, { debit: 'bank', credit: 'suspense', accountId: HOUSE })], 0, ['bank 100']],
  ];
  for (const [legs, balance, expected] of cases) {
    test(`${short(legs).join(', ')} of a balance of ${balance}`, () => {
      const covered = coverShortfall(legs, ADA, pence(balance));
      assert.deepEqual(short(covered), expected);
      const sum = (some: readonly Leg[]): number => some.reduce((total, { amountPence }) => total + amountPence, 0);
      assert.equal(sum(covered), sum(legs), 'nothing is lost');
      assert.ok(takenFromBalance(covered, ADA) <= balance);
    });
  }
});

test('an entry keeps its legs as they are', () => {
  const legs = [leg(5, { correctsId: BOB, orderId: ADA, reference: 'R' }), leg(7, { accountId: HOUSE })];
  assert.deepEqual(legsOf(JSON.parse(JSON.stringify(storedLegs(legs)))), legs);
});
