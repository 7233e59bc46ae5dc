import type { AsideBlob } from '../lib/blobs/aside.ts';
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
 * False when another process has done it. The file is set aside while the row is locked, and deleted once
 * the row is gone. A process that was paused in between and lost the lock puts the file back; one that
 * dies leaves the mark, and the next one repeats the deletion. Throws when something still refers to the
 * row and when the store is away, and then nothing is deleted.
 */
export async function deleteBlob(ctx: Pick<Context, 'database' | 'blobs'>, hash: string): Promise<boolean> {
  let aside: AsideBlob | undefined;
  let isDeleted = false;
  try {
    isDeleted = await ctx.database.transaction(async (tx) => {
      if (!(await removeDeletingRow(tx, hash))) return false;
      aside ??= await ctx.blobs.setAside(hash);
      return true;
    });
  } finally {
    // Without the commit the row was no longer ours, and the same bytes may have come in anew.
    if (!isDeleted) await aside?.putBack();
  }
  if (isDeleted) {
    await aside?.discard();
    await ctx.blobs.passing.removeOf(hash);
  }
  return isDeleted;
}
