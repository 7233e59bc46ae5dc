import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { listEntries, readBalance, readBalanceAt } from './ledger.ts';
import { pastTime } from './past-time.ts';
import type { AccountBalance, BalanceQuery, ListTransactionsQuery, Transaction } from './schema.ts';
import { balanceView, entryOfId, transactionView } from './view.ts';

type ReadContext = Pick<Context, 'database' | 'clock'>;

/**
 * The caller's balance now, or at a past time by the statement's last entry before it.
 * Throws 422 for a time that no calendar has or that is in the future.
 */
export async function getBalance(ctx: ReadContext, caller: Caller, query: BalanceQuery): Promise<AccountBalance> {
  const balance = await balanceOf(ctx, caller.accountId, query);
  if (balance === undefined) throw new Error('the calling account has no balance');
  return balance;
}

/** As `getBalance`, of any account, for operators; throws 404 for an unknown one. */
export async function getBalanceForOps(ctx: ReadContext, id: string, query: BalanceQuery): Promise<AccountBalance> {
  const accountId = parseId('acct', id);
  const balance = accountId === undefined ? undefined : await balanceOf(ctx, accountId, query);
  if (balance === undefined) throw noSuch('account');
  return balance;
}

async function balanceOf(ctx: ReadContext, accountId: Uuid, query: BalanceQuery): Promise<AccountBalance | undefined> {
  const at = pastTime(query.at, ctx.clock.now(), 'at');
  const balance = await (query.at === undefined
    ? readBalance(ctx.database, accountId)
    : readBalanceAt(ctx.database, accountId, at));
  return balance === undefined ? undefined : balanceView(accountId, balance, at);
}

/** A page of the caller's statement, the latest entry first. */
export async function listTransactions(
  ctx: ReadContext,
  caller: Caller,
  query: ListTransactionsQuery,
): Promise<Page<Transaction>> {
  return statementOf(ctx, caller.accountId, query);
}

/** As `listTransactions`, of any account, for operators; throws 404 for an unknown one. */
export async function listTransactionsForOps(
  ctx: ReadContext,
  id: string,
  query: ListTransactionsQuery,
): Promise<Page<Transaction>> {
  const accountId = parseId('acct', id);
  if (accountId === undefined || (await readBalance(ctx.database, accountId)) === undefined) throw noSuch('account');
  return statementOf(ctx, accountId, query);
}

async function statementOf(
  ctx: ReadContext,
  accountId: Uuid,
  query: ListTransactionsQuery,
): Promise<Page<Transaction>> {
  const { limit, after } = readPage('txn', query);
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : entryOfId(after);
  const rows = await listEntries(ctx.database, accountId, { before, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    (row) => transactionView(accountId, row),
    (transaction) => transaction.id,
  );
}
