import { setTimeout as delay } from 'node:timers/promises';
import { every, type Worker } from '../../lib/every.ts';
import { createCounter } from '../../lib/metrics/instruments.ts';
import { advanceWalk, lockWalk, openWalks, takeReport } from './progress-sql.ts';
import {
  DAY_MS,
  daysBefore,
  RETENTION_KINDS,
  type RetentionKind,
  type SweepContext,
  type Walk,
  type WalkTerms,
} from './walk.ts';
import { WALKS } from './walks.ts';

const countDropped = createCounter({
  name: 'platen_retention_dropped_total',
  help: 'Rows that were deleted or emptied because their time was over, by kind.',
  labels: ['kind'],
  series: RETENTION_KINDS.map((kind) => ({ kind })),
});

/** What one batch of a walk came to. */
export type BatchOutcome =
  /** The next pass is not due yet, or nothing of it ever ends. */
  | { readonly kind: 'nothing to do' }
  /** Another process works on it. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly dropped: number; readonly isEnd: boolean };

/**
 * Runs one batch of a walk, in one transaction.
 * Locks the row of the walk, looks at the next rows, deletes what has reached its end, and saves the place. A process
 * that dies anywhere in it has done the batch or not begun it. With `always` a pass begins although the last one ended
 * recently.
 */
export async function runBatch(ctx: SweepContext, walk: Walk, always = false): Promise<BatchOutcome> {
  if (walk.keepDays(ctx.config) === 0) return { kind: 'nothing to do' };
  return ctx.database.transaction(async (tx): Promise<BatchOutcome> => {
    const row = await lockWalk(tx, walk.name);
    const now = ctx.clock.now();
    if (row === undefined) return { kind: 'busy' };
    const isUnderWay = walk.keepsPlace !== true && row.place !== null;
    const isDue = row.completed_at === null || now.getTime() - row.completed_at.getTime() >= walk.everyMs;
    if (!isUnderWay && !isDue && !always) return { kind: 'nothing to do' };
    const terms: WalkTerms = { config: ctx.config, now };
    const found = await walk.find(tx, terms, row.place ?? undefined, walk.batch);
    const hasWork = found.due.length > 0 || (found.waiting ?? []).length > 0;
    const dropped = hasWork ? await walk.drop(tx, terms, found, ctx) : 0;
    const isOver = found.isEnd && walk.keepsPlace !== true;
    await advanceWalk(tx, {
      name: walk.name,
      place: isOver ? null : (found.next ?? null),
      completedAt: found.isEnd ? now : null,
      dropped,
      endedThrough: daysBefore(now, walk.keepDays(ctx.config)),
    });
    tx.afterCommit(() => countDropped({ kind: walk.kind }, dropped));
    return { kind: 'done', dropped, isEnd: found.isEnd };
  });
}

/** Between two batches at least, and as a multiple of what the last one took: more under load. */
const PAUSE_MIN_MS = 50;
const PAUSE_TIMES = 4;
const PAUSE_MAX_MS = 30_000;

/** How long to leave the database alone after a batch that took so long. */
export function pauseAfter(batchMs: number): number {
  return Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, batchMs * PAUSE_TIMES));
}

/**
 * Deletes all that has reached the end of its time, now, and reports how far it has come.
 * Pauses between batches as the worker does, and waits for a worker that is at the same walk. Returns what went, by
 * kind.
 */
export async function sweepNow(
  ctx: SweepContext,
  options: { readonly onBatch?: (kind: RetentionKind, dropped: number) => void } = {},
): Promise<Map<RetentionKind, number>> {
  await openAll(ctx);
  const dropped = new Map<RetentionKind, number>();
  for (const walk of WALKS) {
    for (let isOver = false; !isOver; ) {
      const beganMs = performance.now();
      const outcome = await runBatch(ctx, walk, true);
      isOver = outcome.kind === 'nothing to do' || (outcome.kind === 'done' && outcome.isEnd);
      if (outcome.kind === 'done') {
        dropped.set(walk.kind, (dropped.get(walk.kind) ?? 0) + outcome.dropped);
        options.onBatch?.(walk.kind, outcome.dropped);
      }
      if (!isOver) await delay(pauseAfter(performance.now() - beganMs));
    }
  }
  return dropped;
}

/** Between two looks whether a pass is due. */
const POLL_MS = 60_000;
/** A start has other work first, and an operator who has just upgraded has time to turn the sweep off. */
const FIRST_MS = 900_000;

/**
 * Starts the sweep in this process.
 * Any number of nodes may run it: one batch of a walk runs at a time. A round is one batch, so that a stop waits for no
 * more than that.
 */
export function startRetention(ctx: SweepContext, firstMs = FIRST_MS): Worker {
  let at = 0;
  let isOpen = false;
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'what has reached the end of its time could not be deleted',
    run: async () => {
      if (!isOpen) {
        await openAll(ctx);
        isOpen = true;
        return firstMs;
      }
      await reportDay(ctx);
      for (; at < WALKS.length; at += 1) {
        const walk = WALKS[at];
        if (walk === undefined) break;
        const beganMs = performance.now();
        const outcome = await runBatch(ctx, walk);
        if (outcome.kind !== 'done') continue;
        if (outcome.isEnd) at += 1;
        return pauseAfter(performance.now() - beganMs);
      }
      at = 0;
      return undefined;
    },
  });
}

/** Makes the rows of the walks, which say since when none was completed. */
async function openAll(ctx: SweepContext): Promise<void> {
  const names = WALKS.map(({ name }) => name);
  await openWalks(ctx.database, names, ctx.clock.now());
}

/** Logs one line a day over all nodes: what went since the last. */
export async function reportDay(ctx: SweepContext): Promise<void> {
  const now = ctx.clock.now();
  const rows = await takeReport(ctx.database, { now, since: new Date(now.getTime() - DAY_MS) });
  if (rows.length === 0) return;
  const kindOf = new Map(WALKS.map(({ name, kind }) => [name, kind]));
  const dropped: Partial<Record<RetentionKind, number>> = {};
  for (const row of rows) {
    const kind = kindOf.get(row.name);
    if (kind !== undefined) dropped[kind] = (dropped[kind] ?? 0) + row.dropped;
  }
  ctx.log.info({ dropped }, 'what had reached the end of its time was deleted');
}
