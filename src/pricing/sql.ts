import { type Db, statement } from '../lib/db.ts';
import type { PriceBook } from './price-book.ts';

// The book that is valid at `now` and the future ones; earlier imports of the same date and all past books are history.
const CURRENT_BOOKS = statement<{ document: PriceBook }>(
  'pricing_current_books',
  `select document from price_book
   where valid_from > $1 or version = (
     select version from price_book where valid_from <= $1 order by valid_from desc, version desc limit 1)
   order by version desc limit 100`,
);

/** The price books of current and future prices, the latest import first. */
export async function readCurrentBooks(db: Db, now: Date): Promise<PriceBook[]> {
  return (await db.all(CURRENT_BOOKS, [now])).map((row) => row.document);
}

const INSERT_BOOK = statement<never>(
  'pricing_insert_book',
  'insert into price_book (valid_from, document, imported_at) values ($1, $2, $3)',
);

/** Adds a price book; earlier ones stay as the record of what orders were priced by. */
export async function insertPriceBook(db: Db, book: PriceBook, now: Date): Promise<void> {
  await db.all(INSERT_BOOK, [new Date(book.valid_from), JSON.stringify(book), now]);
}
