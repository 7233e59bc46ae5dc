import { isoTime } from '../lib/clock.ts';
import { toPounds } from '../lib/money.ts';
import type { CompiledBook, PriceBreaks, PricedProduct } from './reference.ts';
import type { PricesReply } from './schema.ts';

/** The prices of a base product in pounds. */
export function pricesView(book: CompiledBook, product: PricedProduct): PricesReply {
  const prints = [...product.printBreaks.values()];
  const methods = new Set(prints.map((print) => print.method));
  return {
    currency: 'GBP',
    valid_from: isoTime(new Date(book.validFromMs)),
    blanks: product.variants.map(({ sku, blankBreaks }) => ({ variant_sku: sku, breaks: breaksView(blankBreaks) })),
    prints: prints.map(({ printArea, method, breaks }) => ({ print_area: printArea, method, breaks: breaksView(breaks) })),
    setups: [...book.setups]
      .filter(([method]) => methods.has(method))
      .map(([method, price]) => ({ method, basis: 'design' as const, price: toPounds(price) })),
  };
}

function breaksView(breaks: PriceBreaks): { from_quantity: number; unit_price: number }[] {
  return breaks.map(({ fromQuantity, unitPence }) => ({ from_quantity: fromQuantity, unit_price: toPounds(unitPence) }));
}
