import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { validationFailed } from '../../lib/errors.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { readPage, toPage } from '../../lib/paging.ts';
import { parseDay, sellerDayBounds } from '../../lib/seller-day.ts';
import { readSellerDays } from '../seller-days.ts';
import { entryOfId, transactionView } from '../view.ts';
import type { AccountStatement, StatementQuery } from './statement-schema.ts';
import { findLastEntryBefore, listEntriesBetween } from './statement-sql.ts';

/** No time is after this one. */
const END_OF_TIME = new Date(8_640_000_000_000_000);

/**
 * A page of the statement of a period, the latest entry first, with the balances around it.
 * Entries are in the order of their times, so a period is a range of them. Throws 422 for a day that no calendar has,
 * and for a period that ends before it begins.
 */
export async function readStatement(
  ctx: Pick<Context, 'database' | 'config'>,
  { accountId }: SignedIn,
  query: StatementQuery,
): Promise<AccountStatement> {
  const from = dayIn('from', query.from);
  const to = dayIn('to', query.to);
  if (from !== undefined && to !== undefined && from > to) {
    throw validationFailed([{ path: 'from', code: 'out_of_bounds', message: 'must not be later than to.' }]);
  }
  const days = await readSellerDays(ctx);
  const begin = from === undefined ? undefined : sellerDayBounds(days, from).from;
  const end = to === undefined ? END_OF_TIME : sellerDayBounds(days, to).until;
  const closing = await findLastEntryBefore(ctx.database, accountId, end);
  const opening =
    begin === undefined ? { entry: 0, balance_pence: 0 } : await findLastEntryBefore(ctx.database, accountId, begin);
  const { limit, after } = readPage('txn', query);
  const before = Math.min(closing.entry + 1, after === undefined ? Number.MAX_SAFE_INTEGER : entryOfId(after));
  const rows = await listEntriesBetween(ctx.database, accountId, { after: opening.entry, before, limit: limit + 1 });
  const page = toPage(
    rows,
    limit,
    (row) => transactionView(accountId, row),
    ({ id }) => id,
  );
  return {
    data: [...page.data],
    has_more: page.has_more,
    next_cursor: page.next_cursor,
    opening_balance: toPounds(pence(opening.balance_pence)),
    closing_balance: toPounds(pence(closing.balance_pence)),
    currency: 'GBP',
  };
}

function dayIn(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const day = parseDay(text);
  if (day === undefined) throw validationFailed([{ path, code: 'time', message: `There is no such day as ${text}.` }]);
  return day;
}
