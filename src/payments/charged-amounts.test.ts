import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chargedAmounts } from './charged-amounts.ts';

const ROW = {
  subtotal_pence: 1_598,
  setup_pence: 1_800,
  shipping_pence: 395,
  vat_breakdown: [
    { rate_bp: 2_000, vat_pence: 759 },
    { rate_bp: 0, vat_pence: 0 },
  ],
  duty_pence: 77,
};

test('each amount of an order stands under its own name, and VAT by rate in the order of the order', () => {
  assert.deepEqual(chargedAmounts(ROW), {
    subtotalPence: 1_598,
    setupPence: 1_800,
    shippingPence: 395,
    vatBreakdown: [
      { rateBasisPoints: 2_000, vatPence: 759 },
      { rateBasisPoints: 0, vatPence: 0 },
    ],
    dutyPence: 77,
  });
});

test('a fraction of a penny in a column is a bug and not booked', () => {
  assert.throws(() => chargedAmounts({ ...ROW, duty_pence: 0.5 }), /whole pence/);
});
