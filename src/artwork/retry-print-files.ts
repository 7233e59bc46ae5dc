import { type Actor, actOnAccess } from '../accounts/access/act-on-access.ts';
import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { countStuckFiles, retryAnyFailedFiles, retryFailedFiles } from './failed-sql.ts';
import { NORMALISE_JOB } from './sql.ts';

/**
 * Starts the failed print files of a locked order over, and returns their number.
 * Writes in the caller's transaction; call `wakePrintFiles` once that has committed. The tasks of the
 * files stay open until they are made.
 */
export async function retryPrintFiles(
  tx: Db,
  of: { readonly orderId: Uuid; readonly accountId: Uuid },
  now: Date,
): Promise<number> {
  return (await retryFailedFiles(tx, of, now)).length;
}

/** Print files that one transaction starts over. */
const BATCH = 1_000;

/**
 * Starts all failed print files over that an order waits for, of all accounts.
 * Returns how many, and how many failed ones are left. In batches, the first with its row of the audit
 * log. A repeat under the same key starts none over; `left` says whether another key is worth it. Of two
 * at once each takes its own, or finds none left. The tasks of the files stay open until they are made.
 */
export async function retryAllPrintFiles(
  ctx: Pick<Context, 'database' | 'clock' | 'wake'>,
  actor: Actor,
): Promise<{ readonly retried: number; readonly left: number }> {
  const act = { action: 'retry_all_print_files', subjectId: null, detail: {}, reason: undefined };
  let last = (await actOnAccess(ctx, actor, act, (tx, now) => retryAnyFailedFiles(tx, BATCH, now))) ?? 0;
  let retried = last;
  while (last === BATCH) {
    last = await ctx.database.transaction((tx) => retryAnyFailedFiles(tx, BATCH, ctx.clock.now()));
    retried += last;
  }
  if (retried > 0) wakePrintFiles(ctx);
  return { retried, left: await countStuckFiles(ctx.database) };
}

/** Wakes the workers of this process for a print file; a hint only. */
export function wakePrintFiles(ctx: Pick<Context, 'wake'>): void {
  ctx.wake(NORMALISE_JOB);
}
