import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SetupAmounts, withoutSetups } from './without-setups.ts';

const setup = (amountPence: number, ...classes: string[]) => ({
  setup: { design_hash: 'aa', method: 'embroidery', amount_pence: amountPence },
  vat_classes: classes,
});

test('the fee and the VAT on it come off, at the rate of the goods that it is for; shipping and duty stay', () => {
  // Goods 20.00 and a fee of 18.00 at 20 %, baby clothes 5.00 and a fee of 7.00 at none; shipping 5.00 over both.
  const order: SetupAmounts = {
    setup_pence: 2_500,
    vat_pence: 840,
    vat_breakdown: [
      { rate_bp: 2_000, net_pence: 4_200, vat_pence: 840, note: 'kept' },
      { rate_bp: 0, net_pence: 1_300, vat_pence: 0 },
    ],
    total_pence: 6_340,
  };
  assert.deepEqual(withoutSetups(order, [setup(1_800, 'standard')]), {
    setup_pence: 700,
    vat_pence: 480,
    vat_breakdown: [
      { rate_bp: 2_000, net_pence: 2_400, vat_pence: 480, note: 'kept' },
      { rate_bp: 0, net_pence: 1_300, vat_pence: 0 },
    ],
    total_pence: 6_340 - 1_800 - 360,
  });
  const both = withoutSetups(order, [setup(1_800, 'standard'), setup(700, 'young_children_zero')]);
  assert.deepEqual([both.setup_pence, both.vat_pence, both.total_pence], [0, 480, 6_340 - 2_500 - 360]);
  const mixed = withoutSetups(order, [setup(1_800, 'standard', 'young_children_zero')]);
  assert.equal(mixed.vat_pence, 480, 'a setup for goods of both classes is charged at the standard rate');
});

test('no amount grows, and the total is its parts, whatever the pence', () => {
  const amount = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(amount, amount, fc.constantFrom(0, 500, 2_000), (goods, fee, rate) => {
      const net = goods + fee;
      const vat = Math.floor((net * rate + 5_000) / 10_000);
      const breakdown = [{ rate_bp: rate, net_pence: net, vat_pence: vat }];
      const order = { setup_pence: fee, vat_pence: vat, vat_breakdown: breakdown, total_pence: net + vat };
      const left = withoutSetups(order, [setup(fee, 'standard')]);
      assert.deepEqual([left.setup_pence, left.total_pence], [0, goods + left.vat_pence]);
      assert.ok(left.vat_pence <= vat && left.vat_pence >= 0);
      assert.ok(Math.abs(left.vat_pence - (goods * rate) / 10_000) <= 1, 'and is what the goods alone would bear');
    }),
  );
});
