import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pence } from '../lib/money.ts';
import {
  balanceChargePostings,
  chargePostings,
  chargeRecoveredPostings,
  chargeReturnedPostings,
  methodChargePostings,
  type Posting,
  paidTwicePostings,
  refundOwedAgainPostings,
  refundPaidPostings,
  refundPostings,
  reversalPostings,
  salePostings,
  settlementPostings,
  topUpGivenBackPostings,
  topUpTakenBackPostings,
} from './postings.ts';

/** A posting as a bookkeeper writes it: debit → credit, pence, kind. */
function written(postings: readonly Posting[]): string[] {
  return postings.map(({ kind, debit, credit, amountPence }) => `${debit} → ${credit} ${amountPence} ${kind}`);
}

const order = {
  subtotalPence: pence(1_000),
  setupPence: pence(300),
  shippingPence: pence(200),
  vatBreakdown: [
    { rateBasisPoints: 2_000, vatPence: pence(260) },
    { rateBasisPoints: 0, vatPence: pence(0) },
  ],
  dutyPence: pence(0),
};
const SALE = [
  'order_deposits → sales 1000 sale',
  'order_deposits → setup_fees 300 sale',
  'order_deposits → shipping_income 200 sale',
  'order_deposits → vat:2000 260 sale',
];

describe('each movement of money debits and credits these accounts', () => {
  const cases: readonly (readonly [what: string, postings: readonly Posting[], expected: readonly string[]])[] = [
    [
      'an order paid from the balance',
      chargePostings(order),
      ['customer_balance → order_deposits 1760 charge', ...SALE],
    ],
    [
      'an order whose balance pays the rest',
      chargePostings(order, pence(60)),
      ['customer_balance → order_deposits 60 charge', ...SALE],
    ],
    ['what an order is for', salePostings(order), SALE],
    ['a card payment', methodChargePostings('card', pence(700)), ['card_clearing → order_deposits 700 charge']],
    [
      'a direct debit',
      methodChargePostings('direct_debit', pence(700)),
      ['direct_debit_clearing → order_deposits 700 charge'],
    ],
    ["the balance's part", balanceChargePostings(pence(5)), ['customer_balance → order_deposits 5 charge']],
    [
      'a returned card payment',
      chargeReturnedPostings('card', pence(700)),
      ['receivables → card_clearing 700 charge_returned'],
    ],
    [
      'its debt, collected by bank',
      chargeRecoveredPostings(pence(700), 'bank'),
      ['bank → receivables 700 charge_recovered'],
    ],
    [
      'its dispute, won',
      chargeRecoveredPostings(pence(700), 'card'),
      ['card_clearing → receivables 700 charge_recovered'],
    ],
    [
      'a refund that was set off, owed again',
      refundOwedAgainPostings(pence(9), 'direct_debit'),
      ['direct_debit_clearing → manual_refunds_owed 9 charge_recovered'],
    ],
    [
      'a top-up by card that was taken back, and that the balance covers in part',
      topUpTakenBackPostings(pence(30), pence(20)),
      ['customer_balance → card_clearing 30 charge_returned', 'receivables → card_clearing 20 charge_returned'],
    ],
    [
      'a top-up that was taken back, given back',
      topUpGivenBackPostings(pence(20), pence(30)),
      ['card_clearing → receivables 20 charge_recovered', 'card_clearing → customer_balance 30 charge_recovered'],
    ],
    ['a payment made twice', paidTwicePostings(pence(9), 'card'), ['card_clearing → customer_balance 9 top_up']],
    [
      'a sale taken back in part',
      reversalPostings({
        netPence: pence(500),
        vatBreakdown: [{ rateBasisPoints: 2_000, vatPence: pence(100) }],
        dutyPence: pence(7),
      }),
      [
        'refunds → order_deposits 500 sale_reversed',
        'vat:2000 → order_deposits 100 sale_reversed',
        'duty_owed → order_deposits 7 sale_reversed',
      ],
    ],
    [
      'its money, in three ways',
      refundPostings({ balancePence: pence(100), owedPence: pence(20), setOffPence: pence(3) }),
      [
        'order_deposits → customer_balance 100 refund',
        'order_deposits → receivables 3 refund',
        'order_deposits → manual_refunds_owed 20 refund_owed',
      ],
    ],
    ['an owed refund, paid out', refundPaidPostings(pence(20), 'bank'), ['manual_refunds_owed → bank 20 refund_paid']],
    [
      'an owed refund, set off',
      refundPaidPostings(pence(20), 'receivables'),
      ['manual_refunds_owed → receivables 20 refund_paid'],
    ],
    [
      'the remainder of an order, by bank',
      settlementPostings(pence(60)),
      ['bank → customer_balance 60 top_up', 'customer_balance → order_deposits 60 charge'],
    ],
  ];
  for (const [what, postings, expected] of cases) {
    test(what, () => {
      assert.deepEqual(written(postings), expected);
    });
  }
});

test('a movement of nothing posts nothing', () => {
  assert.deepEqual(written(methodChargePostings('card', pence(0))), []);
  assert.deepEqual(written(refundPostings({ balancePence: pence(0), owedPence: pence(0) })), []);
});
