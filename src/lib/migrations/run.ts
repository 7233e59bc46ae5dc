import { setTimeout as delay } from 'node:timers/promises';
import { type Database, hasSqlState, type Session } from '../db.ts';
import { unavailable } from '../errors.ts';
import { EXISTING_TABLES, LIMIT_LOCKS, LOCK_STEPS } from './sql.ts';
import type { Watch } from './watch.ts';

/** What a migration is applied with: a session for its statements, and the watch over it. */
export type MigrationRun = {
  readonly session: Session;
  readonly watch: Watch;
  /** Throws 503 when the run has to end: it was asked to, or its lock is lost. */
  readonly check: () => void;
  /** Waits, and then checks. */
  readonly pause: (ms: number) => Promise<void>;
};

/** How soon one that waits looks again; a look is a short transaction. */
const LOOK_MS = 500;
const WAITING = 'another process applies migrations; waiting for it';

/**
 * Takes the lock of the one migrator and returns whether it is still held; `release` ends it.
 * Waits while another holds it, and returns undefined once `isDone` says that nothing is left to do.
 */
export async function takeLock(
  database: Database,
  options: { isDone: () => Promise<boolean>; say: (line: string) => void; signal: AbortSignal },
): Promise<{ isHeld: () => boolean; release: () => Promise<void> } | undefined> {
  const keeper = await database.session('platen migrate, the lock');
  const release = (): Promise<void> => keeper.close();
  try {
    for (let attempt = 0; ; attempt += 1) {
      if (await tryLock(keeper)) return { isHeld: () => !keeper.isLost(), release };
      if (attempt === 0) options.say(WAITING);
      await pauseUnless(options.signal, LOOK_MS);
      if (await options.isDone()) break;
    }
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return undefined;
}

async function tryLock(keeper: Session): Promise<boolean> {
  try {
    // From here on it sends nothing: a query would take a snapshot, for whose transaction a concurrent build waits.
    await keeper.query(LOCK_STEPS);
    return true;
  } catch (error) {
    if (!hasSqlState(error, '55P03')) throw error;
    await keeper.query('rollback');
    return false;
  }
}

/** Waits for a time. Throws 503 when the signal ends it or has ended before. */
export async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  if (!signal.aborted) await delay(ms, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) throw unavailable(ENDED);
}

export const ENDED = 'The migration was ended before it was complete. It goes on from there at the next start.';

/** The first wait for a lock, and the longest: what queues behind it waits no longer either. */
const LOCK_FIRST_MS = 25;
const LOCK_MAX_MS = 400;
/** So many times the wait is the pause after it: what queued behind it is through by then. */
const PAUSE_SHARE = 5;
/** The wait for a vacuum, in front of nobody. The server ends one of its own after a second of it. */
const BESIDE_MS = 3_000;

/**
 * Runs `work` in one transaction of a session, which makes nobody wait for long.
 * A lock that it does not get in time, a deadlock or a serialisation failure ends the transaction, so that no queue
 * forms behind it; after a pause, longer each time, all of it is tried again. `tables` are those that it locks for
 * itself. A vacuum of one takes minutes and is waited for under a lock that conflicts with nothing else, before the work.
 */
export async function withShortLocks<T>(
  { session, pause }: Pick<MigrationRun, 'session' | 'pause'>,
  tables: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const lockMs = Math.min(LOCK_FIRST_MS * 2 ** attempt, LOCK_MAX_MS);
    try {
      return await inTransaction(session, { lockMs: BESIDE_MS }, async () => {
        for (const table of await session.query<{ name: string }>(EXISTING_TABLES, [tables])) {
          await session.query(`lock table only ${table.name} in share update exclusive mode`);
        }
        await session.query(LIMIT_LOCKS, [String(lockMs)]);
        return work();
      });
    } catch (error) {
      if (!hasSqlState(error, '55P03', '40P01', '40001')) throw error;
    }
    await pause(lockMs * PAUSE_SHARE);
  }
}

/** Runs `work` in one transaction of a session with these limits; 0 is none. */
export async function inTransaction<T>(
  session: Session,
  { lockMs, statementMs = 0 }: { lockMs: number; statementMs?: number },
  work: () => Promise<T>,
): Promise<T> {
  await session.query('begin');
  try {
    await session.query("select set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)", [
      String(lockMs),
      String(statementMs),
    ]);
    const result = await work();
    await session.query('commit');
    return result;
  } catch (error) {
    if (!session.isLost()) await session.query('rollback');
    throw error;
  }
}
