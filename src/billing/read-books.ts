import type { Context } from '../lib/context.ts';
import { noSuch, validationFailed } from '../lib/errors.ts';
import { FIRST_ID, LAST_ID, parseId } from '../lib/ids.ts';
import { type Pence, pence } from '../lib/money.ts';
import { readPage, toPage } from '../lib/paging.ts';
import type { Books, BooksQuery, LedgerQuery, LedgerStatement } from './books-schema.ts';
import { type LedgerPosition, listLedgerPostings, readAllTotals, readTotals } from './books-sql.ts';
import { booksView, ledgerPostingView, statementView } from './books-view.ts';
import { titleOfAccount } from './chart.ts';
import { pastTime, pastTimeOrDayBegin, pastTimeOrDayEnd } from './past-time.ts';
import { readSellerDays } from './seller-days.ts';

type ReadContext = Pick<Context, 'database' | 'clock'>;

/**
 * The books of the shop at a time: the debits and credits of each account of the ledger.
 * They are read in one statement, so that they always sum to zero. Throws 422 for a time that no calendar has or that
 * is in the future.
 */
export async function getBooks(ctx: ReadContext, query: BooksQuery): Promise<Books> {
  const at = pastTime(query.at, ctx.clock.now(), 'at');
  return booksView(await readAllTotals(ctx.database, at), at);
}

/** The debits and credits of each account of the ledger up to and including a time, in pence. */
export async function readBooksAt(ctx: Pick<Context, 'database'>, at: Date): Promise<readonly AccountTotals[]> {
  return (await readAllTotals(ctx.database, at)).map(({ account, debit_pence: debit, credit_pence: credit }) => ({
    account,
    debitPence: pence(debit),
    creditPence: pence(credit),
  }));
}

/** What an account of the ledger was debited and credited with, in pence. */
export type AccountTotals = { readonly account: string; readonly debitPence: Pence; readonly creditPence: Pence };

const NOTHING = { debit_pence: 0, credit_pence: 0 } as const;

/**
 * A statement of an account of the ledger for a period.
 * It has the balance at `from`, a page of the postings after it until `to`, oldest first, and the balance at `to`. The
 * opening and all pages sum to the closing, and the closing of one period is the opening of the next. Throws 404 for a
 * name that no account can have; 422 for a time that no calendar has or that is in the future, and for a period that
 * ends before it begins.
 */
export async function getLedgerStatement(
  ctx: ReadContext & Pick<Context, 'config'>,
  name: string,
  query: LedgerQuery,
): Promise<LedgerStatement> {
  const title = titleOfAccount(name);
  if (title === undefined) throw noSuch('ledger account');
  const now = ctx.clock.now();
  const days = await readSellerDays(ctx);
  const to = pastTimeOrDayEnd(query.to, now, 'to', days);
  const from = query.from === undefined ? undefined : pastTimeOrDayBegin(query.from, now, 'from', days);
  if (from !== undefined && from > to) {
    throw validationFailed([{ path: 'from', code: 'out_of_bounds', message: 'must not be later than to.' }]);
  }
  const { limit } = readPage('pst', { limit: query.limit });
  const after = beginningOf(from, query.cursor);
  const [opening, closing, rows] = await Promise.all([
    from === undefined ? NOTHING : readTotals(ctx.database, name, from),
    readTotals(ctx.database, name, to),
    listLedgerPostings(ctx.database, name, { after, to, limit: limit + 1 }),
  ]);
  const page = toPage(rows, limit, ledgerPostingView, ({ id, created_at: at }) => `${id}.${new Date(at).getTime()}`);
  return { ...statementView({ name, title }, { from, to, opening, closing }), ...page, data: [...page.data] };
}

/**
 * Where a page begins: after the later of `from` and the cursor.
 * The cursor is a position in time and is never looked up.
 */
function beginningOf(from: Date | undefined, cursor: string | undefined): LedgerPosition {
  const start = from === undefined ? { createdAt: new Date(0), id: FIRST_ID } : { createdAt: from, id: LAST_ID };
  if (cursor === undefined) return start;
  const [publicId = '', ms = ''] = cursor.split('.');
  const id = parseId('pst', publicId);
  const createdAt = new Date(Number(ms));
  return id !== undefined && createdAt > start.createdAt ? { createdAt, id } : start;
}
