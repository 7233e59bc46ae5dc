import { deleteBlob } from '../artwork/reserve-blobs.ts';
import type { Context } from '../lib/context.ts';
import { messageOf } from '../lib/error-message.ts';
import { every, type Worker } from '../lib/every.ts';
import { listMarked, markUnused, unmarkBlob, type WalkPosition } from '../verify/blob-sql.ts';

type CollectContext = Pick<Context, 'database' | 'blobs' | 'clock' | 'log'>;

/** What nothing uses is kept for a day after its last use: an order that is being placed, or was refused and is sent again. */
const UNUSED_MS = 86_400_000;
/** Bytes that one round looks at, and those left marked that it finishes. */
const BATCH = 500;
/** Between the rounds of a walk, and between two walks over everything. */
const ROUND_MS = 5_000;
const WALK_MS = 3_600_000;
/** While nodes are replaced, those of a version that does not reserve what it stores are still about. */
const FIRST_MS = 900_000;

const FIRST_POSITION: WalkPosition = { lastUsedAt: new Date(0), hash: '' };

export type CollectionRound = {
  readonly deleted: number;
  /** Where the next round goes on; undefined when everything was looked at. */
  readonly next: WalkPosition | undefined;
};

/**
 * One round of the collection of stored bytes that nothing uses (domain, "Operators and blobs"): finishes what was begun, by whomever,
 * then looks at the next of those that were not used for a day, the longest unused first, and deletes those that no product and no
 * order refers to. Any number of nodes may do it at once, and a process may die anywhere in it.
 */
export async function collectUnused(
  ctx: CollectContext,
  after: WalkPosition | undefined,
  batch = BATCH,
): Promise<CollectionRound> {
  let deleted = await deleteAll(ctx, await listMarked(ctx.database, '', batch));
  const usedBefore = new Date(ctx.clock.now().getTime() - UNUSED_MS);
  const { marked, last } = await markUnused(ctx.database, { usedBefore, after: after ?? FIRST_POSITION, limit: batch });
  deleted += await deleteAll(ctx, marked);
  return { deleted, next: last };
}

async function deleteAll(ctx: CollectContext, hashes: readonly string[]): Promise<number> {
  let deleted = 0;
  for (const hash of hashes) {
    try {
      if (await deleteBlob(ctx, hash)) deleted += 1;
    } catch (error) {
      ctx.log.warn({ blob: hash, error: messageOf(error) }, 'stored bytes could not be deleted');
      await keepUsed(ctx, hash, error);
    }
  }
  return deleted;
}

/** SQLSTATE of a row that another refers to. */
const REFERRED_TO = '23503';

/** A product that took them up between mark and deletion holds their row by its foreign key: nothing is gone, and they stay. */
async function keepUsed(ctx: CollectContext, hash: string, error: unknown): Promise<void> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === REFERRED_TO) await unmarkBlob(ctx.database, hash, ctx.clock.now());
}

/** Starts the collection in this process: a walk over everything each hour, in rounds, the first a while after the start. */
export function startCollection(ctx: CollectContext, firstMs = FIRST_MS): Worker {
  let place: WalkPosition | undefined;
  return every({
    log: ctx.log,
    firstMs,
    pollMs: () => (place === undefined ? WALK_MS : ROUND_MS),
    failed: 'unused bytes could not be collected',
    // A round that fails is made again from the same place.
    run: async () => {
      const { deleted, next } = await collectUnused(ctx, place);
      place = next;
      if (deleted > 0) ctx.log.info({ deleted }, 'stored bytes that nothing used were deleted');
    },
  });
}
