import type { ChargedAmounts } from '../billing/postings.ts';
import { pence } from '../lib/money.ts';

/** An order's amounts for the ledger, from its columns in pence. */
export function chargedAmounts(order: {
  readonly subtotal_pence: number;
  readonly setup_pence: number;
  readonly shipping_pence: number;
  readonly vat_breakdown: readonly { readonly rate_bp: number; readonly vat_pence: number }[];
  readonly duty_pence: number;
}): ChargedAmounts {
  return {
    subtotalPence: pence(order.subtotal_pence),
    setupPence: pence(order.setup_pence),
    shippingPence: pence(order.shipping_pence),
    vatBreakdown: order.vat_breakdown.map((row) => ({ rateBasisPoints: row.rate_bp, vatPence: pence(row.vat_pence) })),
    dutyPence: pence(order.duty_pence),
  };
}
