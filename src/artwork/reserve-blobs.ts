import type { Context } from '../lib/context.ts';
import { removeDeletingRow, reserveRows } from './sql.ts';

/**
 * Reserves bytes that are about to be stored, by their hashes (hex).
 * Those in the store count as used now, so that they are not collected. Those being deleted are gone
 * when this returns, so that they are written anew (domain, "Operators and blobs"): the lock of the
 * row waits for a running deletion, and one that a dead process has left is finished.
 */
export async function reserveBlobs(
  ctx: Pick<Context, 'database' | 'blobs' | 'clock'>,
  hashes: readonly string[],
): Promise<void> {
  for (const hash of await reserveRows(ctx.database, hashes, ctx.clock.now())) await deleteBlob(ctx, hash);
}

/**
 * Ends the deletion of bytes that were marked.
 * False when another process has done it. The file is deleted while the row is locked, and the row
 * when the transaction ends. A process that dies in between leaves the mark, and the next one repeats
 * the deletion. Throws when something still refers to the row, and then nothing is deleted.
 */
export async function deleteBlob(ctx: Pick<Context, 'database' | 'blobs'>, hash: string): Promise<boolean> {
  return ctx.database.transaction(async (tx) => {
    if (!(await removeDeletingRow(tx, hash))) return false;
    await ctx.blobs.remove(hash);
    return true;
  });
}
