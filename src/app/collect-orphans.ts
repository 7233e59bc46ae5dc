import { refuseOtherStore } from '../artwork/store/marker.ts';
import type { Context } from '../lib/context.ts';
import { findRecorded } from '../privacy/erase/blob-sql.ts';

type OrphansContext = Pick<Context, 'database' | 'blobs'>;

/**
 * How long a file without a record stays.
 * Bytes are stored before they are recorded, by a request that ends within minutes; a day is for what comes again.
 */
const ORPHAN_MS = 86_400_000;
/**
 * How long a file that was set aside can still be read.
 * The work that may yet need it ends within minutes.
 */
const ASIDE_MS = 3_600_000;

export type OrphansRound = { readonly found: number; readonly next: string | undefined };

/**
 * Removes stored files that no row records.
 * That is what a process left that died between storing and recording. One round looks at some folders of
 * the store, from `after` on. A file is set aside first and deleted in a round an hour later, if nothing
 * has recorded it by then; otherwise it is put back. The ages are those that the store gives. Does nothing
 * while the store or the database does not answer.
 */
export async function collectOrphans(ctx: OrphansContext, after: string): Promise<OrphansRound> {
  await refuseOtherStore(ctx);
  await endAside(ctx);
  const { files, next } = await ctx.blobs.listFiles(after);
  const old = files.filter(({ ageMs }) => ageMs > ORPHAN_MS).map(({ hash }) => hash);
  const recorded = await findRecorded(ctx.database, old);
  let found = 0;
  for (const hash of old) {
    if (recorded.has(hash)) continue;
    const aside = await ctx.blobs.setAside(hash);
    if (aside === undefined) continue;
    // One that was recorded in this moment stays.
    if ((await findRecorded(ctx.database, [hash])).has(hash)) await aside.putBack();
    else found += 1;
  }
  return { found, next };
}

/** Deletes what was set aside long ago and is not recorded; puts back what is recorded and in use. */
async function endAside(ctx: OrphansContext): Promise<void> {
  const aside = await ctx.blobs.listAside();
  const old = aside.filter(({ ageMs }) => ageMs > ASIDE_MS);
  const recorded = await findRecorded(
    ctx.database,
    old.map(({ hash }) => hash),
  );
  for (const blob of old) {
    const row = recorded.get(blob.hash);
    if (row === undefined) await blob.discard();
    // The deletion of a marked one ends by itself.
    else if (!row.deleting) await blob.putBack();
  }
}
