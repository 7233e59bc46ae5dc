import type { Caller } from '../lib/caller.ts';
import { parseTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { validationFailed } from '../lib/errors.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { listEntries, readBalance, readBalanceAt } from './ledger.ts';
import type { AccountBalance, BalanceQuery, ListTransactionsQuery, Transaction } from './schema.ts';
import { balanceView, entryOfId, transactionView } from './view.ts';

/**
 * The caller's balance now, or as it was at a past time: then the entry before it, of the statement, says so. 422 for a time that
 * no calendar has or that is still to come.
 */
export async function getBalance(ctx: Context, caller: Caller, query: BalanceQuery): Promise<AccountBalance> {
  const now = ctx.clock.now();
  const at = query.at === undefined ? now : pastTime(query.at, now);
  const balance = await (query.at === undefined
    ? readBalance(ctx.database, caller.accountId)
    : readBalanceAt(ctx.database, caller.accountId, at));
  if (balance === undefined) throw new Error('the calling account has no balance');
  return balanceView(caller.accountId, balance, at);
}

function pastTime(text: string, now: Date): Date {
  const at = parseTime(text);
  if (at === undefined)
    throw validationFailed([{ path: 'at', code: 'time', message: `There is no such time as ${text}.` }]);
  if (at <= now) return at;
  throw validationFailed([{ path: 'at', code: 'out_of_bounds', message: 'This time is still to come.' }]);
}

/** A page of the caller's statement, the latest entry first. */
export async function listTransactions(
  ctx: Context,
  caller: Caller,
  query: ListTransactionsQuery,
): Promise<Page<Transaction>> {
  const { limit, after } = readPage('txn', query);
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : entryOfId(after);
  const rows = await listEntries(ctx.database, caller.accountId, { before, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    (row) => transactionView(caller.accountId, row),
    (transaction) => transaction.id,
  );
}
