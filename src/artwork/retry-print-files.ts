import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { retryFailedFiles } from './failed-sql.ts';
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

/** Wakes the workers of this process for a print file; a hint only. */
export function wakePrintFiles(ctx: Pick<Context, 'wake'>): void {
  ctx.wake(NORMALISE_JOB);
}
