import type { Context } from '../lib/context.ts';
import { lackingTerritories } from './check-price-book.ts';
import { readCurrentBooks } from './sql.ts';

/**
 * Refuses stored price books that cannot price every territory.
 * A book is checked when it is imported; one that an earlier version stored may lack a territory that this version
 * tells apart, and the first order that goes there would be a 500. Throws one line that names the book and its
 * territories. A book that a later import for the same time has replaced is history, and is not checked.
 */
export async function refuseIncompleteBooks(ctx: Pick<Context, 'database' | 'clock'>): Promise<void> {
  const books = await readCurrentBooks(ctx.database, ctx.clock.now());
  // The latest import comes first, and the first of a time is the one that holds.
  const held = Map.groupBy(books, ({ valid_from: validFrom }) => new Date(validFrom).getTime());
  for (const [book] of held.values()) {
    const lacking = book === undefined ? [] : lackingTerritories(book);
    if (book === undefined || lacking.length === 0) continue;
    const what = `The price book that is valid from ${book.valid_from} lacks VAT rates or a duty rule for ${lacking.join(', ')}`;
    throw new Error(`${what}: add them to its file and run platen catalogue import FILE`);
  }
}
