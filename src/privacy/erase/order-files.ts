import { deleteBlob } from '../../artwork/reserve-blobs.ts';
import { refuseKnownOther } from '../../artwork/store/marker.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { PrivacyContext } from '../context.ts';
import {
  listErasureFiles,
  lockErasedBlob,
  lockPrintFiles,
  noteFileDone,
  takeBlob,
  takePrintFiles,
} from './order-files-sql.ts';

/**
 * How long after its artwork was stored an order may still be placed, or a print file finished.
 * Artwork takes at most 60 s, and a statement 15.
 */
const IN_FLIGHT_MS = 600_000;
/** Stored files of one round. */
const BATCH = 200;
const BEFORE_ALL = '';

/**
 * Removes the print files of a locked order that no other needs, with the texts of their recipes.
 * The stored files that they used are noted for `removeFiles`, and so are the mocks of its lines.
 */
export async function takeFiles(
  tx: Db,
  of: { readonly accountId: Uuid; readonly orderId: Uuid; readonly erasureId: Uuid },
): Promise<void> {
  // A statement of its own, so that the next one sees what was placed until the locks were held.
  const keys = await lockPrintFiles(tx, of.accountId, of.orderId);
  await takePrintFiles(tx, of, keys);
}

/**
 * Deletes the noted files of an erasure that neither the account nor another one uses.
 * At once, unless they were used by something else in the last minutes: those are left for a later round. A process may
 * die anywhere in it; the collection of unused files ends a deletion that it leaves behind.
 */
export async function removeFiles(
  ctx: Pick<PrivacyContext, 'database' | 'blobs' | 'clock'>,
  erasure: { readonly accountId: Uuid; readonly erasureId: Uuid },
): Promise<void> {
  const usedBefore = new Date(ctx.clock.now().getTime() - IN_FLIGHT_MS);
  for (let after = BEFORE_ALL; ; ) {
    const hashes = await listErasureFiles(ctx.database, erasure.erasureId, after, BATCH);
    if (hashes.length === 0) return;
    await refuseKnownOther(ctx);
    for (const hash of hashes) await removeFile(ctx, { ...erasure, hash, usedBefore });
    const last = hashes.at(-1);
    if (last === undefined || hashes.length < BATCH) return;
    after = last;
  }
}

async function removeFile(
  ctx: Pick<PrivacyContext, 'database' | 'blobs'>,
  file: { readonly accountId: Uuid; readonly erasureId: Uuid; readonly hash: string; readonly usedBefore: Date },
): Promise<void> {
  const outcome = await ctx.database.transaction(async (tx) => {
    const found = await lockErasedBlob(tx, file);
    if (found === undefined) return 'gone';
    if (found === 'used') return 'kept';
    if (found === 'recent') return 'later';
    return (await takeBlob(tx, file.accountId, file.hash)) ? 'delete' : 'kept';
  });
  if (outcome === 'later') return;
  if (outcome === 'delete') await deleteBlob(ctx, file.hash);
  await noteFileDone(ctx.database, { ...file, removed: outcome === 'kept' ? 0 : 1 });
}
