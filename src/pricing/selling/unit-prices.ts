import type { Problem } from '../../lib/errors.ts';
import type { Pence } from '../../lib/money.ts';
import { type FoundLine, findPrices, type LineToPrice, priceLines } from '../price-lines.ts';
import type { CompiledBook } from '../reference.ts';

export type PrintedAt = { readonly print_area: string; readonly method: string };

/** The variants of a product with the price lists that apply to each. */
export type FoundPrices = { readonly lines: readonly FoundLine[]; readonly problems: readonly Problem[] };

/**
 * Finds the price lists of a product: of each variant with all of its prints.
 * Every print counts as a design of its own, as it does in an order of nothing else.
 */
export function findProductPrices(
  book: CompiledBook,
  skus: readonly string[],
  prints: readonly PrintedAt[],
): FoundPrices {
  const lines = skus.map((sku) => lineOf(sku, prints));
  const { found, problems } = findPrices(book, lines);
  return { lines: found, problems };
}

function lineOf(sku: string, prints: readonly PrintedAt[]): LineToPrice {
  const printJobs = prints.map(({ print_area: printArea, method }) => ({
    designKey: printArea,
    printArea,
    method,
    setup: 'by_design' as const,
  }));
  return { sku, quantity: 1, printJobs };
}

/** The price of one piece of a variant with its prints, in an order of so many pieces. */
export function unitPriceOf(found: FoundLine, quantity: number): Pence {
  const [priced] = priceLines([{ ...found, line: { ...found.line, quantity } }], 'bulk');
  if (priced === undefined) throw new Error('a line was priced to nothing');
  return priced.unitPricePence;
}

/** The quantities from which a piece of the product can cost less. */
export function breaksOf(lines: readonly FoundLine[]): readonly number[] {
  const lists = lines.flatMap(({ variant, printBreaks }) => [variant.blankBreaks, ...printBreaks]);
  const quantities = new Set(lists.flatMap((breaks) => breaks.map(({ fromQuantity }) => fromQuantity)));
  return [...quantities].toSorted((a, b) => a - b);
}
