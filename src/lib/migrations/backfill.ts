import { hasSqlState } from '../db.ts';
import { inTransaction, type MigrationRun } from './run.ts';
import type { Standing } from './sql.ts';
import type { Step } from './steps.ts';

/**
 * How long a batch is meant to take, and may take at most.
 * Its rows are locked meanwhile, and the log of events ends below it. The pause after it is as long as the batch.
 */
const BATCH_MS = 200;
const BATCH_MAX_MS = 1_000;
const LOCK_MS = 500;
const ROWS_FIRST = 100;
const ROWS_MAX = 10_000;
/** So often a single row may take too long before the migration fails; waits for locks do not count. */
const SINGLE_ROW_ATTEMPTS_MAX = 10;
const LOCKED_PAUSE_MS = 1_000;

/**
 * Repeats a statement until it has no next cursor, each batch in a transaction of its own.
 * In it `moveOn` writes where it stands; without a position to go to it ends the step. The number of rows adapts to the
 * time that a batch takes. A batch that takes too long is undone and tried again with fewer rows.
 */
export async function backfill(
  run: MigrationRun,
  step: Extract<Step, { kind: 'batches' }>,
  start: Standing,
  moveOn: (from: Standing, to: Standing | undefined) => Promise<void>,
): Promise<void> {
  let limit = ROWS_FIRST;
  let tooLong = 0;
  for (let at: Standing | undefined = start; at !== undefined; ) {
    run.check();
    const from: Standing = at;
    const beganMs = performance.now();
    try {
      at = await inTransaction(run.session, { lockMs: LOCK_MS, statementMs: BATCH_MAX_MS }, async () => {
        const to = await takeBatch(run, step.text, from, limit);
        await moveOn(from, to);
        return to;
      });
    } catch (error) {
      run.check();
      if (hasSqlState(error, '55P03', '40P01', '40001')) {
        await run.pause(LOCKED_PAUSE_MS);
        continue;
      }
      // Cancelled by its own limit.
      if (!hasSqlState(error, '57014')) throw error;
      if (limit === 1) tooLong += 1;
      if (tooLong >= SINGLE_ROW_ATTEMPTS_MAX) {
        throw new Error(`a batch of one row takes longer than ${BATCH_MAX_MS} ms; does it lack an index?`, {
          cause: error,
        });
      }
      limit = Math.max(1, Math.floor(limit / 4));
      continue;
    }
    tooLong = 0;
    const tookMs = performance.now() - beganMs;
    limit = nextLimit(limit, tookMs);
    if (at !== undefined) await run.pause(tookMs);
  }
}

/** How many rows the next batch has, after one that took so long. */
export function nextLimit(limit: number, tookMs: number): number {
  if (tookMs < BATCH_MS / 2) return Math.min(limit * 2, ROWS_MAX);
  if (tookMs > BATCH_MS * 1.5) return Math.max(1, Math.floor(limit / 2));
  return limit;
}

async function takeBatch(
  run: MigrationRun,
  text: string,
  from: Standing,
  limit: number,
): Promise<Standing | undefined> {
  const [row] = await run.session.query<{ next: string | null; rows: number }>(text, [from.cursor, limit]);
  if (row === undefined) throw new Error('a batch returned no row; it returns one with "next" and "rows"');
  run.watch.count(row.rows);
  // Rows that are added meanwhile are not waited for: the last page is the first that is not full.
  if (row.next === null || row.rows < limit) return undefined;
  if (row.next === from.cursor) throw new Error(`a batch does not move on from its cursor ${row.next}`);
  return { step: from.step, cursor: row.next, rows: from.rows + row.rows };
}
