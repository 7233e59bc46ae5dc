import type { Database } from '../db.ts';
import { messageOf } from '../error-message.ts';
import { every } from '../every.ts';
import type { Log } from '../log.ts';
import { cancelStatement, findUnderWay, type ProgressRow } from './sql.ts';

/** The watch over a migration: says how far it is, and ends a statement that must not go on. */
export type Watch = {
  /** From now on this is under way. */
  readonly begin: (what: string) => void;
  /** So many rows were looked at since. */
  readonly count: (rows: number) => void;
  readonly stop: () => Promise<void>;
};

const TICK_MS = 500;
/** A line of progress comes this often. */
const SAY_EVERY_MS = 3_000;
const STOP_MS = 5_000;

/** Watches a session's process from other connections, in short transactions. */
export function watchSession(options: {
  database: Database;
  pid: number;
  mustEnd: () => boolean;
  say: (line: string) => void;
  log: Log;
}): Watch {
  const { database, pid } = options;
  const under = { way: '', sinceMs: 0, rows: 0 };
  let saidMs = performance.now();
  // The last that held a lock it waited for, since the last line: such a wait is shorter than the time between two.
  let holders: string | undefined;

  async function tick(): Promise<void> {
    if (options.mustEnd()) return await cancelStatement(database, pid);
    const row = await findUnderWay(database, pid);
    if (row?.waits === true && row.holders !== null) holders = row.holders;
    const nowMs = performance.now();
    if (nowMs - saidMs < SAY_EVERY_MS) return;
    saidMs = nowMs;
    options.say(lineOf({ ...under, tookMs: nowMs - under.sinceMs }, holders, row));
    holders = undefined;
  }

  const ticking = every({
    log: options.log,
    pollMs: TICK_MS,
    firstMs: TICK_MS,
    run: async () => {
      try {
        await tick();
      } catch (error) {
        // The session itself finds out that the database is away; a line of progress may be missing.
        options.log.debug({ error: messageOf(error) }, 'the progress of a migration could not be read');
      }
      return undefined;
    },
    failed: 'the progress of a migration could not be read',
  });
  return {
    begin: (what) => {
      Object.assign(under, { way: what, sinceMs: performance.now(), rows: 0 });
      holders = undefined;
    },
    count: (rows) => {
      under.rows += rows;
    },
    stop: () => ticking.stop(STOP_MS),
  };
}

/** A line of progress: what is under way and how far, and whom it waits for. */
export function lineOf(
  { way, rows, tookMs }: { way: string; rows: number; tookMs: number },
  holders: string | undefined,
  row: ProgressRow | undefined,
): string {
  const parts = [`${way}, ${Math.round(tookMs / 1_000)} s`];
  if (rows > 0) parts.push(`${rows} rows, ${Math.round((rows * 1_000) / tookMs)} a second`);
  const { phase = null, done = null, total = null } = row ?? {};
  if (phase !== null) {
    parts.push(
      total !== null && total > 0 && done !== null ? `${phase}, ${Math.floor((done * 100) / total)} %` : phase,
    );
  }
  if (holders !== undefined) parts.push(`waits for ${holders}`);
  return parts.join('; ');
}
