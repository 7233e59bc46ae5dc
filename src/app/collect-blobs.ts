import { deleteBlob } from '../artwork/reserve-blobs.ts';
import { refuseOtherStore } from '../artwork/store/marker.ts';
import type { Context } from '../lib/context.ts';
import { messageOf } from '../lib/error-message.ts';
import { every, type Worker } from '../lib/every.ts';
import { listMarked, markUnused, unmarkBlob, type WalkPosition } from '../privacy/erase/blob-sql.ts';
import { collectOrphans } from './collect-orphans.ts';

type CollectContext = Pick<Context, 'database' | 'blobs' | 'clock' | 'log'>;

/**
 * How long unused bytes are kept after their last use.
 * An order that is being placed may need them, or one that was refused and is sent again.
 */
const UNUSED_MS = 86_400_000;
/** Blobs that one round checks, and marked ones left over that it deletes. */
const BATCH = 500;
/** Between the rounds of a walk, and between two walks over all blobs. */
const ROUND_MS = 5_000;
const WALK_MS = 3_600_000;
/** During a rolling update, nodes of a version that does not reserve what it stores may still run. */
const FIRST_MS = 900_000;

const FIRST_POSITION: WalkPosition = { lastUsedAt: new Date(0), hash: '' };

export type CollectionRound = {
  readonly deleted: number;
  /** Where the next round continues; undefined at the end of a walk. */
  readonly next: WalkPosition | undefined;
};

/**
 * Runs one round of the collection of unused blobs (domain, "Operators and blobs").
 * Deletes what an earlier round, of any node, marked and left. Then checks the next blobs that were not used for a day,
 * the longest unused first, and deletes those that no product and no order refers to. Any number of nodes may run it at
 * once, and a process may die anywhere in it.
 */
export async function collectUnusedBlobs(
  ctx: CollectContext,
  after: WalkPosition | undefined,
  batch = BATCH,
): Promise<CollectionRound> {
  await refuseOtherStore(ctx);
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

/** SQLSTATE of a row that another row refers to. */
const REFERRED_TO = '23503';

/**
 * Keeps a blob that a product has taken into use between mark and deletion.
 * The product's foreign key holds the row, so nothing has been deleted.
 */
async function keepUsed(ctx: CollectContext, hash: string, error: unknown): Promise<void> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === REFERRED_TO) await unmarkBlob(ctx.database, hash, ctx.clock.now());
}

/**
 * Starts the collection of unused blobs in this process.
 * Walks over all blobs each hour, in rounds; the first walk begins `firstMs` after the start.
 */
export function startBlobCollection(ctx: CollectContext, firstMs = FIRST_MS): Worker {
  let position: WalkPosition | undefined;
  let folder: string | undefined = '';
  let isWalking = false;
  return every({
    log: ctx.log,
    firstMs,
    pollMs: () => (isWalking ? ROUND_MS : WALK_MS),
    failed: 'unused bytes could not be collected',
    // A failed round is retried from the same position.
    run: async () => {
      if (!isWalking) {
        ctx.blobs.sweepStaging();
        folder = '';
      }
      const isFirst = !isWalking;
      isWalking = true;
      if (isFirst || position !== undefined) {
        const { deleted, next } = await collectUnusedBlobs(ctx, position);
        position = next;
        if (deleted > 0) ctx.log.info({ deleted }, 'stored bytes that nothing used were deleted');
      }
      if (folder !== undefined) {
        const { found, next } = await collectOrphans(ctx, folder);
        folder = next;
        if (found > 0) ctx.log.info({ found }, 'stored files that no row records were set aside');
      }
      isWalking = position !== undefined || folder !== undefined;
    },
  });
}
