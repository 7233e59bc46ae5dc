import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import { LAST_ID, parseId, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { type BookEntryRow, findEntry, listEntryRows, readPosted } from './entries-sql.ts';
import type { BookEntry, ListEntriesQuery } from './entry-schema.ts';
import { bookEntryView } from './entry-view.ts';

/** How long a proposal waits for its second person. */
const PROPOSAL_MS = 30 * 86_400_000;

/** When a proposal expires, or did. */
export function expiryOf(entry: Pick<BookEntryRow, 'proposed_at'>): Date {
  return new Date(entry.proposed_at.getTime() + PROPOSAL_MS);
}

/** Whether a proposal is too old to be approved. */
export function isExpired(entry: Pick<BookEntryRow, 'state' | 'proposed_at'>, now: Date): boolean {
  return entry.state === 'proposed' && expiryOf(entry) <= now;
}

type ReadContext = Pick<Context, 'database' | 'clock'>;

/** An entry of the books with its postings. Throws 404. */
export async function getBookEntry(ctx: ReadContext, id: string): Promise<BookEntry> {
  const entryId = parseId('ent', id);
  if (entryId === undefined) throw noSuch('entry of the books');
  return readBookEntry(ctx, entryId);
}

/** As `getBookEntry`, by the id inside the service. */
export async function readBookEntry(ctx: ReadContext, id: Uuid): Promise<BookEntry> {
  const row = await findEntry(ctx.database, id);
  if (row === undefined) throw noSuch('entry of the books');
  return bookEntryView(row, await readPosted(ctx.database, [id]), ctx.clock.now(), expiryOf(row));
}

/**
 * A page of entries, newest first: all, those that wait for a second person, or those of a customer.
 * An account that cannot be one gives an empty page.
 */
export async function listBookEntries(ctx: ReadContext, query: ListEntriesQuery): Promise<Page<BookEntry>> {
  const { limit, after } = readPage('ent', query);
  const now = ctx.clock.now();
  const customerId = query.account === undefined ? undefined : parseId('acct', query.account);
  if (query.account !== undefined && customerId === undefined) return { data: [], has_more: false, next_cursor: null };
  const which =
    customerId !== undefined
      ? ({ kind: 'customer', customerId } as const)
      : query.status === 'proposed'
        ? ({ kind: 'proposed', since: new Date(now.getTime() - PROPOSAL_MS) } as const)
        : ({ kind: 'all' } as const);
  const rows = await listEntryRows(ctx.database, { before: after ?? (LAST_ID as Uuid), limit: limit + 1 }, which);
  const posted = await readPosted(
    ctx.database,
    rows.map(({ id }) => id),
  );
  const view = (row: BookEntryRow): BookEntry =>
    bookEntryView(
      row,
      posted.filter(({ book_entry_id: id }) => id === row.id),
      now,
      expiryOf(row),
    );
  return toPage(rows, limit, view, (entry) => entry.id);
}
