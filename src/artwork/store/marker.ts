import type { Context } from '../../lib/context.ts';
import { newId } from '../../lib/ids.ts';
import { findStoreId, sampleBlobs, setStoreId } from './marker-sql.ts';

type StoreContext = Pick<Context, 'database' | 'blobs' | 'clock'>;

/** Files that are looked for in a store, to know whether it is the one of a database. */
const SAMPLE = 100;

const CURE =
  'mount its disk, or set BLOB_STORE to it; a store that was moved on purpose is taken by `platen store adopt`, see "The store of files" in docs/runbook.md';

/** The store is not the one that the database knows; nothing may be read from it or deleted by it. */
export class WrongStore extends Error {
  override name = 'WrongStore';
}

/**
 * Opens the store of this database, once at each start.
 * A store has a marker, a file with its id, which the database knows: a disk that is not mounted looks like an empty
 * store, and a wrong one like files without a use. A store is begun without a word for a database that has no
 * files, and taken as it is by a database of a version that knew no markers. Throws `WrongStore`.
 */
export async function openStore(ctx: StoreContext): Promise<void> {
  const id = await findStoreId(ctx.database);
  const marker = await ctx.blobs.marker();
  if (id !== undefined) return refuseUnless(marker, id);
  const recorded = await sampleBlobs(ctx.database, SAMPLE);
  const isEmpty = (await ctx.blobs.listFiles('')).files.length === 0;
  if (recorded.length > 0 && isEmpty && (await lacking(ctx, recorded)) === recorded.length) {
    throw new WrongStore(`the blob store is empty, and the database has recorded files: ${CURE}`);
  }
  if (recorded.length === 0 && marker !== undefined && !isEmpty) {
    throw new WrongStore(`the blob store is that of another database, and this one has no files yet: ${CURE}`);
  }
  // The file first: a database without its row takes the store that it finds marked.
  await setStoreId(ctx.database, { id: await ctx.blobs.mark(newId()), now: ctx.clock.now(), isMoved: false });
  await refuseOtherStore(ctx);
}

/**
 * Throws `WrongStore` unless the store has the marker that the database knows.
 * Nothing that deletes runs without this, and a service is not ready without it.
 */
export async function refuseOtherStore(ctx: Pick<Context, 'database' | 'blobs'>): Promise<void> {
  const id = await findStoreId(ctx.database);
  refuseUnless(await ctx.blobs.marker(), id);
}

function refuseUnless(marker: string | undefined, id: string | undefined): void {
  if (id !== undefined && marker === id) return;
  const what = marker === undefined ? 'has no marker (store.id)' : 'is not the one of this database';
  throw new WrongStore(`the blob store ${what}: ${CURE}`);
}

/** As `refuseOtherStore`, but for a database that no service has opened yet with a store. */
export async function refuseKnownOther(ctx: Pick<Context, 'database' | 'blobs'>): Promise<void> {
  if ((await findStoreId(ctx.database)) !== undefined) await refuseOtherStore(ctx);
}

/** Marks the store that a backup was restored into, unless it is marked. */
export async function markRestored(ctx: Pick<Context, 'database' | 'blobs'>): Promise<void> {
  const id = await findStoreId(ctx.database);
  if (id !== undefined) await ctx.blobs.mark(id);
}

export type Adopted = { readonly id: string; readonly looked: number; readonly lacking: number };

/**
 * Takes a store that was moved, or whose marker is lost, as the one of this database.
 * It must have the recorded files that are looked for, unless `evenIfLacking`: then what lacks is lost. Throws
 * `WrongStore`.
 */
export async function adoptStore(ctx: StoreContext, evenIfLacking: boolean): Promise<Adopted> {
  const recorded = await sampleBlobs(ctx.database, SAMPLE);
  const lacks = await lacking(ctx, recorded);
  if (lacks > 0 && !evenIfLacking) {
    throw new WrongStore(
      `the blob store lacks ${lacks} of ${recorded.length} recorded files that were looked for: mount its disk, or copy the files first; --even-if-lacking gives them up`,
    );
  }
  // Never the id of before: the store that is left behind, if it is mounted again, is another one.
  const id = await ctx.blobs.mark(newId());
  await setStoreId(ctx.database, { id, now: ctx.clock.now(), isMoved: true });
  return { id, looked: recorded.length, lacking: lacks };
}

async function lacking({ blobs }: Pick<Context, 'blobs'>, hashes: readonly string[]): Promise<number> {
  const there = await Promise.all(hashes.map((hash) => blobs.has(hash)));
  return there.filter((isThere) => !isThere).length;
}
