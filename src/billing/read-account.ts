import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { listEntries, readBalance } from './ledger.ts';
import type { AccountBalance, ListTransactionsQuery, Transaction } from './schema.ts';
import { balanceView, entryOfId, transactionView } from './view.ts';

/** The caller's balance now. */
export async function getBalance(ctx: Context, caller: Caller): Promise<AccountBalance> {
  const balance = await readBalance(ctx.database, caller.accountId);
  if (balance === undefined) throw new Error('the calling account has no balance');
  return balanceView(caller.accountId, balance, ctx.clock.now());
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
