import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  finishedQuantity,
  isWindowOpen,
  type LineStatus,
  lineStatus,
  type OrderState,
  type PaymentStatus,
  PUBLIC_STATUSES,
  paymentStatus,
  publicStatus,
  statesOf,
} from './status.ts';

describe('3.1 statuses: the public status is one of six, whatever goes on inside', () => {
  const cases: Record<OrderState, string> = {
    awaiting_payment: 'pending',
    placed: 'pending',
    on_hold: 'pending',
    released: 'confirmed',
    in_production: 'in_production',
    dispatched: 'dispatched',
    delivered: 'delivered',
    cancelled: 'cancelled',
  };
  for (const [state, status] of Object.entries(cases) as [OrderState, string][]) {
    test(`${state} is shown as ${status}, and a filter by ${status} finds it`, () => {
      assert.equal(publicStatus(state), status);
      assert.ok(statesOf(publicStatus(state)).includes(state));
    });
  }

  test('the filters together find every state once', () => {
    const found = PUBLIC_STATUSES.flatMap((status) => statesOf(status));
    assert.deepEqual(found.toSorted(), Object.keys(cases).toSorted());
  });
});

describe('the payment status says what was paid and what was given back', () => {
  const cases: [total: number, paid: number, refunded: number, status: PaymentStatus][] = [
    [1_000, 1_000, 0, 'paid'],
    [1_000, 0, 0, 'failed'],
    [1_000, 999, 0, 'failed'],
    [0, 0, 0, 'paid'],
    [1_000, 1_000, 1, 'part_refunded'],
    [1_000, 1_000, 999, 'part_refunded'],
    [1_000, 1_000, 1_000, 'refunded'],
    [1_000, 400, 400, 'refunded'],
  ];
  for (const [totalPence, paidPence, refundedPence, status] of cases) {
    test(`${paidPence} of ${totalPence} paid, ${refundedPence} given back: ${status}`, () => {
      assert.equal(paymentStatus({ totalPence, paidPence, refundedPence, isCharging: false }), status);
    });
  }

  test('while a charge is under way it is processing, whatever the balance has paid', () => {
    const order = { totalPence: 1_000, paidPence: 400, refundedPence: 0, isCharging: true };
    assert.equal(paymentStatus(order), 'processing');
  });
});

describe("a line's status follows from its pieces", () => {
  const cases: [quantity: number, cancelled: number, shipped: number, started: boolean, status: LineStatus][] = [
    [3, 0, 0, false, 'queued'],
    [3, 0, 0, true, 'printing'],
    [3, 1, 0, false, 'queued'],
    [3, 1, 0, true, 'printing'],
    [3, 0, 1, true, 'part_shipped'],
    [3, 1, 1, true, 'part_shipped'],
    [3, 0, 3, true, 'shipped'],
    [3, 1, 2, true, 'shipped'],
    [3, 3, 0, false, 'cancelled'],
    [3, 3, 0, true, 'cancelled'],
  ];
  for (const [quantity, quantityCancelled, quantityShipped, started, status] of cases) {
    const title = `${quantity} pieces, ${quantityCancelled} cancelled, ${quantityShipped} shipped`;
    test(`${title}${started ? ', begun' : ''}: ${status}`, () => {
      assert.equal(lineStatus({ quantity, quantityCancelled, quantityShipped, started }), status);
    });
  }
});

describe('the finished pieces of a line', () => {
  const cases: readonly (readonly [
    what: string,
    cancelled: number,
    started: boolean,
    done: number[],
    is: number,
    missing?: number,
  ])[] = [
    ['none of a line that waits', 0, false, [0], 0],
    ['none of a blank line that waits', 0, false, [], 0],
    ['all of a blank line that has started', 0, true, [], 10],
    ['what is done', 0, true, [4], 4],
    ['what is done everywhere', 0, true, [4, 7, 2], 2],
    ['what is not cancelled, although more was done', 3, true, [10, 9], 7],
    ['what is not cancelled of a blank line', 3, true, [], 7],
    ['what has its blank of a blank line', 3, true, [], 5, 2],
    ['what is done, whatever lacks its blank', 0, true, [4], 4, 2],
  ];
  for (const [what, quantityCancelled, started, done, is, missing = 0] of cases) {
    test(`are ${what}: ${is}`, () => {
      assert.equal(finishedQuantity({ quantity: 10, quantityCancelled, started, missing, done }), is);
    });
  }
});

describe('the cancellation window', () => {
  const until = new Date('2026-11-22T10:30:00.000Z');
  for (const [what, ms, isOpen] of [
    ['a millisecond before its end', -1, true],
    ['in its last millisecond', 0, true],
    ['a millisecond after it', 1, false],
  ] as const) {
    test(`is ${isOpen ? 'open' : 'closed'} ${what}`, () => {
      assert.equal(isWindowOpen(until, new Date(until.getTime() + ms)), isOpen);
    });
  }
});
