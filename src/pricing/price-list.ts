import type { Pence } from '../lib/money.ts';
import { bookAt, type PriceBreaks, type PricingReference, type PrintPrice } from './reference.ts';

export type PriceList = {
  /** The blank of each variant, its surcharge included. */
  readonly blanks: readonly { readonly sku: string; readonly breaks: PriceBreaks }[];
  readonly prints: readonly PrintPrice[];
  /** Of the methods that the product offers; a method without an entry has no setup fee. */
  readonly setups: readonly { readonly method: string; readonly pence: Pence }[];
};

/**
 * The prices of a base product at a time, by quantity (domain, "Price book").
 * They can be read without creating a product. Undefined when the price book valid then does not price it. Throws when
 * none is valid.
 */
export function priceListOf(reference: PricingReference, masterSku: string, now: Date): PriceList | undefined {
  const book = bookAt(reference, now);
  const product = book.products.get(masterSku);
  if (product === undefined) return undefined;
  const prints = [...product.printBreaks.values()];
  const methods = new Set(prints.map(({ method }) => method));
  return {
    blanks: product.variants.map(({ sku, blankBreaks }) => ({ sku, breaks: blankBreaks })),
    prints,
    setups: [...book.setups].filter(([method]) => methods.has(method)).map(([method, pence]) => ({ method, pence })),
  };
}
