import type { Context } from '../../lib/context.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { EntryRow } from '../ledger.ts';
import { type EntrySum, sumEntries } from './day-sums-sql.ts';
import { findLastEntryBefore, type LastEntry, listEntriesBetween } from './statement-sql.ts';

// The entries of an account by their numbers, for what is made of statements elsewhere.

/**
 * The last entry of an account before a time, and the balance after it.
 * Entry 0 with balance 0 when there is none.
 */
export async function readLastEntry(ctx: Pick<Context, 'database'>, accountId: Uuid, time: Date): Promise<LastEntry> {
  return findLastEntryBefore(ctx.database, accountId, time);
}

/** The entries of an account between two, neither of them included, the latest first. */
export async function readEntries(
  ctx: Pick<Context, 'database'>,
  accountId: Uuid,
  page: { after: number; before: number; limit: number },
): Promise<EntryRow[]> {
  return listEntriesBetween(ctx.database, accountId, page);
}

/** The sums of the entries of an account after one and through another, by kind. Costs by their number. */
export async function readEntrySums(
  ctx: Pick<Context, 'database'>,
  accountId: Uuid,
  range: { after: number; through: number },
): Promise<EntrySum[]> {
  return sumEntries(ctx.database, accountId, range);
}
