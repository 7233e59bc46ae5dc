import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refundedPieces } from './orders.ts';
import { partOf } from './refunds.ts';

const line = (quantity: number, total: string, tax = '0.00') => ({
  ...{ id: 7, quantity, total },
  taxes: [{ id: 1, total: tax }],
});

/** A refund of pieces of the line, as the shop lists it. */
const refund = (quantity: number, total: string, tax = '0.00') => ({
  line_items: [
    {
      ...{ quantity: -quantity, total: `-${total}`, taxes: [{ id: 1, total: `-${tax}` }] },
      meta_data: [{ key: '_refunded_item_id', value: '7' }],
    },
  ],
});

test('pieces have their share of the line rounded down, and the last has what is left', () => {
  const cases: [string, ReturnType<typeof line>, number, { there: number; refunds: object[] }, string, string][] = [
    ['one of three', line(3, '10.00', '2.00'), 1, { there: 3, refunds: [] }, '3.33', '0.66'],
    [
      'the last of three',
      line(3, '10.00', '2.00'),
      1,
      { there: 1, refunds: [refund(2, '6.66', '1.32')] },
      '3.34',
      '0.68',
    ],
    ['all at once', line(3, '10.00', '2.00'), 3, { there: 3, refunds: [] }, '10.00', '2.00'],
    ['a currency without decimals', line(3, '1000'), 1, { there: 3, refunds: [] }, '333', '0'],
    ['taxes that are not rounded', line(1, '9.99', '1.998001'), 1, { there: 1, refunds: [] }, '9.99', '1.99'],
    ['less is left than the share', line(2, '10.00'), 1, { there: 2, refunds: [refund(0, '7.50')] }, '2.50', '0.00'],
    ['money alone was given', line(1, '20.00'), 1, { there: 1, refunds: [refund(0, '5.00')] }, '15.00', '0.00'],
    ['all of it was given', line(1, '20.00'), 1, { there: 1, refunds: [refund(0, '20.00')] }, '0.00', '0.00'],
    [
      'a swap took one out with nothing',
      line(2, '40.00', '8.00'),
      1,
      { there: 1, refunds: [refund(1, '0.00')] },
      '20.00',
      '4.00',
    ],
    [
      'the last after a swap and one of ours, rounded',
      line(3, '10.00'),
      1,
      { there: 1, refunds: [refund(1, '0.00'), refund(1, '3.33')] },
      '3.33',
      '0.00',
    ],
    ['its people gave less for one', line(2, '40.00'), 1, { there: 1, refunds: [refund(1, '15.00')] }, '20.00', '0.00'],
    ['seven of seven, rounded each', line(7, '10.00'), 1, { there: 1, refunds: [refund(6, '8.52')] }, '1.48', '0.00'],
    [
      'one of three, of a currency without decimals',
      line(3, '1000'),
      1,
      { there: 1, refunds: [refund(2, '666')] },
      '334',
      '0',
    ],
    ['its people gave more for one', line(3, '10.00'), 1, { there: 2, refunds: [refund(1, '9.00')] }, '1.00', '0.00'],
  ];
  for (const [what, of, quantity, known, total, tax] of cases) {
    const part = partOf(of, quantity, known as Parameters<typeof partOf>[2]);
    assert.deepEqual(part, { id: 7, quantity, refund_total: total, refund_tax: [{ id: 1, refund_total: tax }] }, what);
  }
});

test('half a piece that was refunded is sent as a whole one', () => {
  const refund = (quantity: unknown) => ({
    line_items: [{ quantity, meta_data: [{ key: '_refunded_item_id', value: '7' }] }],
  });
  for (const [refunds, pieces] of [
    [[refund(-0.5)], undefined],
    [[refund(-0.5), refund(-0.5)], 1],
    [[refund(-1.5)], 1],
    [[refund('1e999')], undefined],
    [[refund(-2)], 2],
  ] as const) {
    assert.equal(refundedPieces(refunds).get('7'), pieces, JSON.stringify(refunds));
  }
});
