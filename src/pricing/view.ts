import { toPounds } from '../lib/money.ts';
import type { PriceList } from './price-list.ts';
import type { PriceBreaks } from './reference.ts';
import type { PricesReply } from './schema.ts';

/** A price list in pounds. */
export function pricesView(list: PriceList): PricesReply {
  return {
    currency: 'GBP',
    blanks: list.blanks.map(({ sku, breaks }) => ({ variant_sku: sku, breaks: breaksView(breaks) })),
    prints: list.prints.map(({ printArea, method, breaks }) => ({
      print_area: printArea,
      method,
      breaks: breaksView(breaks),
    })),
    setups: list.setups.map(({ method, pence }) => ({ method, basis: 'design', price: toPounds(pence) })),
  };
}

function breaksView(breaks: PriceBreaks): { from_quantity: number; unit_price: number }[] {
  return breaks.map(({ fromQuantity, unitPence }) => ({
    from_quantity: fromQuantity,
    unit_price: toPounds(unitPence),
  }));
}
