import type { Context } from '../../lib/context.ts';
import { readPlaces } from './progress-sql.ts';
import { RETENTION_KINDS, type RetentionKind } from './walk.ts';
import { WALKS } from './walks.ts';

/** What would go of one kind. */
export type DryRunRow = {
  readonly kind: RetentionKind;
  readonly count: number;
  /** Since when the time of the oldest ran; null when nothing would go. */
  readonly oldestAt: Date | null;
  /** Whether the count ended at its bound, so that there may be more. */
  readonly isCut: boolean;
};

const PAGE = 500;

/**
 * Counts what the sweep would delete now, by kind; it only reads.
 * It takes the sweep's own walks from their beginning. `looksMax` bounds the statements of a walk.
 */
export async function dryRun(
  ctx: Pick<Context, 'config' | 'database' | 'clock'>,
  looksMax: number,
): Promise<DryRunRow[]> {
  const terms = { config: ctx.config, now: ctx.clock.now() };
  const rows = new Map<RetentionKind, DryRunRow>(
    RETENTION_KINDS.map((kind) => [kind, { kind, count: 0, oldestAt: null, isCut: false }]),
  );
  const places = await readPlaces(ctx.database);
  for (const walk of WALKS.filter(({ keepDays }) => keepDays(ctx.config) > 0)) {
    let place = walk.keepsPlace === true ? places.get(walk.name) : undefined;
    for (let look = 1; ; look += 1) {
      const { due, next, isEnd } = await walk.find(ctx.database, terms, place, PAGE);
      const before = rows.get(walk.kind) ?? { kind: walk.kind, count: 0, oldestAt: null, isCut: false };
      const times = due.map(({ at }) => at.getTime());
      const oldest = Math.min(before.oldestAt?.getTime() ?? Number.POSITIVE_INFINITY, ...times);
      const isCut = before.isCut || (!isEnd && look >= looksMax);
      rows.set(walk.kind, {
        kind: walk.kind,
        count: before.count + due.length,
        oldestAt: Number.isFinite(oldest) ? new Date(oldest) : null,
        isCut,
      });
      if (isEnd || look >= looksMax) break;
      place = next;
    }
  }
  return [...rows.values()];
}
