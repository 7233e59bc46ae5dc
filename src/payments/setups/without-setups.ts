import type { VatBreakdownRow } from '../../billing/postings.ts';
import type { VatClass } from '../../catalogue/document.ts';
import { type Pence, pence, ratioOf, sumPence, ZERO_PENCE } from '../../lib/money.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { rateIndexOf, setupVatClass } from '../../pricing/vat.ts';
import type { OrderSetupRow } from './setup-sql.ts';

export type SetupAmounts = Pick<LockedOrder, 'setup_pence' | 'vat_pence' | 'vat_breakdown' | 'total_pence'>;

/**
 * The amounts of an order without some of its setups.
 * The fees and the VAT on them come off; what remains is not priced again, as when a setup is refunded: shipping and
 * duty stay, and so does the share of shipping that each rate of VAT bears. No amount grows.
 */
export function withoutSetups(order: SetupAmounts, setups: readonly OrderSetupRow[]): SetupAmounts {
  const offPence = (index: number): Pence => {
    const atRate = setups.filter(({ vat_classes: classes }) => indexOf(order.vat_breakdown, classes) === index);
    return sumPence(atRate.map(({ setup }) => pence(setup.amount_pence)));
  };
  const vatBreakdown = order.vat_breakdown.map((rate, index): VatBreakdownRow => {
    const netPence = pence(rate.net_pence - offPence(index));
    const vatPence = rate.net_pence === 0 ? ZERO_PENCE : ratioOf(pence(rate.vat_pence), netPence, rate.net_pence);
    return { ...rate, net_pence: netPence, vat_pence: vatPence };
  });
  const setupPence = order.setup_pence - sumPence(setups.map(({ setup }) => pence(setup.amount_pence)));
  const vatPence = sumPence(vatBreakdown.map((rate) => pence(rate.vat_pence)));
  return {
    setup_pence: setupPence,
    vat_pence: vatPence,
    vat_breakdown: vatBreakdown,
    total_pence: order.total_pence - (order.setup_pence - setupPence) - (order.vat_pence - vatPence),
  };
}

/** The classes were written when the order was placed, from a validated catalogue. */
function indexOf(vatBreakdown: readonly VatBreakdownRow[], classes: readonly string[]): number {
  return rateIndexOf(vatBreakdown, setupVatClass(new Set(classes as VatClass[])));
}
