import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CancelAnswer, cameBack, comesBack, type PaidOrder } from '../../consoles/shared/refunds/given-back.ts';

const balance = (amount: number) => ({ method: 'balance', amount });
const card = (amount: number) => ({ method: 'card', amount });
const debit = (amount: number) => ({ method: 'direct_debit', amount });
const order = (charges: PaidOrder['charges'], refunds: PaidOrder['refunds'] = []): PaidOrder => ({ charges, refunds });

describe('what comes back when orders are cancelled', () => {
  const cases: readonly (readonly [title: string, orders: readonly PaidOrder[], back: ReturnType<typeof comesBack>])[] =
    [
      ['an order that was not paid gives nothing', [order([])], { balancePence: 0, byHand: [], isPaid: false }],
      ['no order gives nothing', [], { balancePence: 0, byHand: [], isPaid: false }],
      ['the balance at once', [order([balance(12.3)])], { balancePence: 1_230, byHand: [], isPaid: true }],
      [
        'a card by hand',
        [order([card(5)])],
        { balancePence: 0, byHand: [{ method: 'card', pence: 500 }], isPaid: true },
      ],
      [
        'each its part',
        [order([balance(12.3), card(5)])],
        { balancePence: 1_230, byHand: [{ method: 'card', pence: 500 }], isPaid: true },
      ],
      [
        'less what was given back, by the method that it was given back to',
        [order([balance(12.3), card(5), debit(1)], [balance(2.3), card(4.99), debit(1)])],
        { balancePence: 1_000, byHand: [{ method: 'card', pence: 1 }], isPaid: true },
      ],
      [
        'nothing of what was given back before',
        [order([balance(0.1), balance(0.2)], [balance(0.3)])],
        { balancePence: 0, byHand: [], isPaid: true },
      ],
      [
        'of several orders, unpaid ones among them, the sums by method',
        [order([balance(0.1)]), order([]), order([balance(0.2), card(3)]), order([card(4), debit(5)])],
        {
          balancePence: 30,
          byHand: [
            { method: 'card', pence: 700 },
            { method: 'direct_debit', pence: 500 },
          ],
          isPaid: true,
        },
      ],
    ];
  for (const [title, orders, back] of cases) {
    test(title, () => assert.deepEqual(comesBack(orders), back));
  }
});

describe('what came back, as the service answered', () => {
  const cases: readonly (readonly [title: string, answer: CancelAnswer, back: ReturnType<typeof cameBack>])[] = [
    [
      'nothing of an unpaid order',
      { refunded_gbp: 0, pending_manual_refund: [] },
      { balancePence: 0, byHand: [], isPaid: false },
    ],
    [
      'the balance, and payments of one method together',
      {
        refunded_gbp: 12.3,
        pending_manual_refund: [
          { method: 'card', amount_gbp: 5 },
          { method: 'card', amount_gbp: 0.29 },
        ],
      },
      { balancePence: 1_230, byHand: [{ method: 'card', pence: 529 }], isPaid: true },
    ],
  ];
  for (const [title, answer, back] of cases) {
    test(title, () => assert.deepEqual(cameBack(answer), back));
  }
});
