import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { retryFailedFiles } from './failed-sql.ts';
import { NORMALISE_JOB } from './sql.ts';

/**
 * Has the print files of a locked order that were given up made anew, and returns how many they are.
 *
 * It writes in the caller's transaction; once that has committed, `wakePrintFiles` may be called. The tasks of the
 * files stay open until they are made.
 */
export async function retryPrintFiles(
  tx: Db,
  of: { readonly orderId: Uuid; readonly accountId: Uuid },
  now: Date,
): Promise<number> {
  return (await retryFailedFiles(tx, of, now)).length;
}

/** Tells the workers of this process that a print file is to be made; a hint only. */
export function wakePrintFiles(ctx: Pick<Context, 'wake'>): void {
  ctx.wake(NORMALISE_JOB);
}
