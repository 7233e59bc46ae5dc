import type { Problem } from '../../lib/errors.ts';
import type { Pence } from '../../lib/money.ts';
import { type FoundLine, findPrices, type LineToPrice, priceLines } from '../price-lines.ts';
import type { CompiledBook } from '../reference.ts';

export type PrintedAt = { readonly print_area: string; readonly method: string };

/**
 * How many pieces of an order share a design: all, or none, where each has values of its own.
 * A print costs by the pieces with its design, the blank by all of them.
 */
export type PiecesAre = 'alike' | 'each_its_own';

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
export function unitPriceOf(found: FoundLine, quantity: number, pieces: PiecesAre = 'alike'): Pence {
  const lines =
    pieces === 'alike' || quantity === 1
      ? [{ ...found, line: { ...found.line, quantity } }]
      : [{ ...found, line: { ...found.line, quantity: 1 } }, othersOf(found, quantity - 1)];
  const [priced] = priceLines(lines, 'bulk');
  if (priced === undefined) throw new Error('a line was priced to nothing');
  return priced.unitPricePence;
}

/** Pieces of the same blank beside one, none of which has its design. */
function othersOf(found: FoundLine, quantity: number): FoundLine {
  const printJobs = found.line.printJobs.map((job) => ({ ...job, designKey: `other ${job.designKey}` }));
  return { ...found, line: { ...found.line, quantity, printJobs } };
}

/** The quantities from which a piece of the product can cost less. */
export function breaksOf(lines: readonly FoundLine[], pieces: PiecesAre): readonly number[] {
  const lists = lines.flatMap(({ variant, printBreaks }) =>
    pieces === 'alike' ? [variant.blankBreaks, ...printBreaks] : [variant.blankBreaks],
  );
  const quantities = new Set(lists.flatMap((breaks) => breaks.map(({ fromQuantity }) => fromQuantity)));
  return [...quantities].toSorted((a, b) => a - b);
}
