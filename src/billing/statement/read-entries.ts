import type { Context } from '../../lib/context.ts';
import type { Uuid } from '../../lib/ids.ts';
import { findLastEntryBefore, type LastEntry } from './statement-sql.ts';

// The entries of an account by their numbers, for what is made of statements elsewhere.

/**
 * The last entry of an account before a time, and the balance after it.
 * Entry 0 with balance 0 when there is none.
 */
export async function readLastEntry(ctx: Pick<Context, 'database'>, accountId: Uuid, time: Date): Promise<LastEntry> {
  return findLastEntryBefore(ctx.database, accountId, time);
}
