import { type CatalogueDocument, catalogueProblems, readCatalogue } from '../catalogue/document.ts';
import type { Shaped } from '../lib/validation/validate.ts';
import { priceBookProblems } from './check-price-book.ts';
import { type PriceBook, readPriceBook } from './price-book.ts';

/**
 * Reads catalogue and price book from the parsed JSON of a catalogue file, or every problem of either.
 * Paths are those in the file. Meaning is checked once both shapes are right. Pure; the import writes what this
 * returns, all or nothing.
 */
export function readImportDocument(value: unknown): Shaped<{ catalogue: CatalogueDocument; priceBook: PriceBook }> {
  const catalogue = readCatalogue(value);
  const priceBook = readPriceBook(priceBookOf(value), 'price_book');
  if (catalogue.kind === 'refused' || priceBook.kind === 'refused') {
    // The catalogue's shape reports a missing price book already.
    const parts = priceBookOf(value) === undefined ? [catalogue] : [catalogue, priceBook];
    return { kind: 'refused', problems: parts.flatMap((part) => (part.kind === 'refused' ? part.problems : [])) };
  }
  const problems = [
    ...catalogueProblems(catalogue.value),
    ...priceBookProblems(priceBook.value, catalogue.value, 'price_book'),
  ];
  if (problems.length > 0) return { kind: 'refused', problems };
  return { kind: 'ok', value: { catalogue: catalogue.value, priceBook: priceBook.value } };
}

function priceBookOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'price_book' in value ? value.price_book : undefined;
}
