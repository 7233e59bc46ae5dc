import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseClock } from './clock.ts';
import { type Connections, type Held, openConnections } from './database/connections.ts';
import { asApiError, codeOf } from './database/failures.ts';
import {
  connectionSettings,
  type DatabaseAddress,
  openSession,
  type Session,
  type SqlValue,
} from './database/session.ts';
import { messageOf } from './error-message.ts';
import { ApiError } from './errors.ts';
import type { Log } from './log.ts';
import { createSlowLog, SLOW_MS, type StatementEnd } from './metrics/slow-statements.ts';
import { type Asker, SERVICE } from './turns/owner.ts';

export type { DatabaseAddress, Session, SqlValue } from './database/session.ts';

/** A statement with the shape of its rows; its name makes it a prepared statement. */
export type Statement<Row> = {
  readonly name: string;
  readonly text: string;
  /** How long to wait for the answer, where the statement itself allows the server longer than usual. */
  readonly answerMs?: number;
  readonly row?: Row;
};

const named = new Map<string, string>();

/**
 * Names a statement.
 * The name is unique in the service, so that each connection parses and plans it once; throws when another has it.
 */
export function statement<Row>(name: string, text: string): Statement<Row> {
  if ((named.get(name) ?? text) !== text) throw new Error(`two statements are called ${name}`);
  named.set(name, text);
  return { name, text };
}

/** Every statement that was named so far, its text by its name: a test looks at the plan of each. */
export function namedStatements(): ReadonlyMap<string, string> {
  return named;
}

/**
 * What every SQL function takes: a pool or a transaction.
 * On a pool each statement is a transaction of its own. The loser of a deadlock or of a serialisation
 * conflict is retried, three attempts at most.
 */
export type Db = {
  readonly all: <Row>(what: Statement<Row>, values: readonly SqlValue[]) => Promise<Row[]>;
  /** The only row, or undefined; throws when there are more. */
  readonly one: <Row>(what: Statement<Row>, values: readonly SqlValue[]) => Promise<Row | undefined>;
  /**
   * Runs `work` after the commit of what was written so far.
   * At once on a pool, and never if the transaction rolls back. For what is counted in memory alone; must not throw.
   */
  readonly afterCommit: (work: () => void) => void;
};

export type Database = Db & {
  /**
   * Runs `work` in one READ COMMITTED transaction.
   * Commits when it returns, rolls back when it throws. A deadlock or a serialisation failure retries it
   * from the start, three attempts at most, so `work` must do nothing but SQL.
   */
  readonly transaction: <T>(work: (tx: Db) => Promise<T>) => Promise<T>;
  /** Runs a script of several statements, unprepared. */
  readonly script: (text: string) => Promise<void>;
  /** Opens a connection of its own for work that may take hours (migrations). */
  readonly session: (applicationName: string) => Promise<Session>;
  /** Measures the database's clock now; throws 503 when the database cannot be reached. */
  readonly readClock: () => Promise<void>;
  /**
   * The same database for what must go on while everything else waits, such as a cancel.
   * Uses an idle connection, or one of the few reserved for this (bad input N203). Keep its statements
   * short.
   */
  readonly priority: Database;
  /**
   * The same database for an owner, whose turn its statements wait for.
   * Until then it is that of the service.
   */
  readonly of: (asker: Asker) => Database;
  readonly close: () => Promise<void>;
};

const ATTEMPTS_MAX = 3;
const RETRY_AFTER_MS = 30;
/**
 * The longest wait in a queue for a connection; then the caller gets 503 with `Retry-After`.
 * A request may wait for its place (http/admission) and in both queues, one after the other, and is
 * still answered within 5 s (bad input N203).
 */
const CONNECT_TIMEOUT_MS = 1_600;
const PRIORITY_CONNECT_TIMEOUT_MS = 1_100;
/** Connections that a process reserves beside the ordinary ones; they stay open while idle. */
const PRIORITY_MAX = 2;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A frozen server, or a lost route to it, enforces no time-out of its own: the wait ends here. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;
const LOCK_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;
const CLOCK_REFRESH_MS = 10_000;
/** A lost server's successor may have another clock, so the clock is read again this soon. */
const CLOCK_RETRY_MS = 1_000;

/**
 * Opens a pool of connections and measures the database's clock into `clock`.
 * Only the clock contacts the server before the first statement, and its failure is not an error here:
 * readiness reports it.
 */
export async function openDatabase(options: {
  address: DatabaseAddress;
  clock: DatabaseClock;
  log: Log;
  connectionsMax: number;
  /** Statements that take this long are logged (lib/metrics/slow-statements.ts). */
  slowMs?: number;
}): Promise<Database> {
  const state: PoolState = { isClosing: false, onLost: () => {} };
  const onEnd = createSlowLog(options.log, options.slowMs ?? SLOW_MS);
  const config = { ...options.address, ...SESSION };
  const listen = (pool: pg.Pool): void => listenForErrors(pool, options.log, state);
  const main = openConnections({
    name: 'main',
    config: { ...config, idleTimeoutMillis: 30_000 },
    max: options.connectionsMax,
    waitMs: CONNECT_TIMEOUT_MS,
    hasReserve: true,
    listen,
  });
  const kept = openConnections({
    name: 'priority',
    config: { ...config, idleTimeoutMillis: 0 },
    max: PRIORITY_MAX,
    waitMs: PRIORITY_CONNECT_TIMEOUT_MS,
    hasReserve: false,
    listen,
  });
  const idleOrKept = (asker: Asker): Connections => {
    const room = main.room(asker);
    return room === 'idle' || (room === 'unopened' && kept.room(asker) === 'none') ? main : kept;
  };

  // On a reserved connection, so that the time is known however busy the others are.
  const takeKept = (): Promise<Held> => kept.take({ owner: SERVICE });
  const watch = followClock({ take: takeKept, clock: options.clock, log: options.log, onEnd });
  state.onLost = watch.refreshSoon;
  await watch.refresh();

  const over = (choose: (asker: Asker) => Connections, asker: Asker): Database => {
    const take = (): Promise<Held> => choose(asker).take(asker);
    return {
      ...dbOver(
        (query) => withRetries(() => runOn(take, query, onEnd)),
        (work) => work(),
      ),
      transaction: (work) => withRetries(() => transactionOn(take, work, onEnd)),
      script: (text) => scriptOn(take, text),
      session: (applicationName) => openSession(options.address, applicationName),
      readClock: () => readClock(takeKept, options.clock, onEnd),
      get priority() {
        return over(idleOrKept, asker);
      },
      of: (other) => over(choose, other),
      close: async () => {
        watch.stop();
        state.isClosing = true;
        await Promise.all([main.close(), kept.close()]);
      },
    };
  };
  return over(() => main, { owner: SERVICE });
}

type Take = () => Promise<Held>;

const SESSION = connectionSettings({
  applicationName: 'platen',
  statementMs: STATEMENT_TIMEOUT_MS,
  lockMs: LOCK_TIMEOUT_MS,
  idleInTransactionMs: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  // Statements here are short and their plans do not depend on the values: planning each time would cost more. A plan
  // that knows no values may start workers for a row or two, and those take from orders that are being placed.
  more: ['plan_cache_mode=force_generic_plan', 'max_parallel_workers_per_gather=0'],
});

type PoolState = { isClosing: boolean; onLost: () => void };

/**
 * Handles the errors of a pool's connections.
 * One can die while it is idle, or while a transaction holds it between two statements. Either way its
 * next use finds out; without a listener the error event would end the process.
 */
function listenForErrors(pool: pg.Pool, log: Log, state: PoolState): void {
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      // A server that stops right after this process may close the connection first.
      if (state.isClosing) return;
      log.warn({ code: codeOf(error), error: messageOf(error) }, 'a database connection was lost');
      state.onLost();
    });
  });
  pool.on('error', (error) => log.debug({ code: codeOf(error) }, 'an idle database connection was replaced'));
}

async function scriptOn(take: Take, text: string): Promise<void> {
  const { client, release } = await take();
  let broken = true;
  try {
    await client.query(text);
    broken = false;
  } finally {
    release(broken);
  }
}

async function readClock(take: Take, clock: DatabaseClock, onEnd: OnEnd): Promise<void> {
  // The wait for a connection is no part of the round trip.
  const { client, release } = await take();
  let broken = true;
  try {
    const sentAtMs = clock.steadyMs();
    const text = 'select clock_timestamp() as now';
    const result = await run(client, { text, query_timeout: ANSWER_TIMEOUT_MS }, onEnd);
    const heardAtMs = clock.steadyMs();
    const { now } = result.rows[0] as { now: Date };
    // Half the round trip is the best estimate of when the database read its clock.
    clock.follow(now, (sentAtMs + heardAtMs) / 2);
    broken = false;
  } finally {
    release(broken);
  }
}

/** Measures the database's clock at intervals, and soon after a failure or a lost server. */
function followClock(options: { take: Take; clock: DatabaseClock; log: Log; onEnd: OnEnd }) {
  const { take, clock, log, onEnd } = options;
  let timer: NodeJS.Timeout | undefined;
  let hasStopped = false;
  const refresh = async (): Promise<void> => {
    let nextMs = CLOCK_REFRESH_MS;
    try {
      await readClock(take, clock, onEnd);
    } catch (error) {
      nextMs = CLOCK_RETRY_MS;
      log.debug({ code: codeOf(error) }, 'the database clock could not be read');
    }
    refreshIn(nextMs);
  };
  const refreshIn = (waitMs: number): void => {
    clearTimeout(timer);
    if (hasStopped) return;
    timer = setTimeout(() => void refresh(), waitMs);
    timer.unref();
  };
  return {
    refresh,
    refreshSoon: () => refreshIn(CLOCK_RETRY_MS),
    stop: () => {
      hasStopped = true;
      clearTimeout(timer);
    },
  };
}

/** True for an error that the database server itself reported with this SQLSTATE. */
export function hasSqlState(error: unknown, ...states: readonly string[]): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && states.includes(state);
}

/** The SQLSTATE of an error that the database server itself reported, undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const source = error instanceof ApiError ? error.cause : error;
  return source instanceof pg.DatabaseError ? source.code : undefined;
}

/** Retries a whole transaction that lost a deadlock or a serialisation conflict. */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts >= ATTEMPTS_MAX || !hasSqlState(error, '40P01', '40001')) throw error;
      // Retrying at once would take the lock the winner was just woken for.
      await delay(attempts * RETRY_AFTER_MS * (0.5 + Math.random()));
    }
  }
}

async function transactionOn<T>(take: Take, work: (tx: Db) => Promise<T>, onEnd: OnEnd): Promise<T> {
  const { client, release } = await take();
  const committed: (() => void)[] = [];
  const tx = dbOver(
    (query) => run(client, query, onEnd),
    (after) => void committed.push(after),
  );
  let broken = true;
  try {
    await run(client, { text: 'begin', values: [], query_timeout: ANSWER_TIMEOUT_MS }, onEnd);
    const result = await work(tx);
    await commit(client, onEnd);
    broken = false;
    for (const after of committed) after();
    return result;
  } catch (error) {
    // A server that has stopped answering would not answer a rollback either.
    broken = isUnanswered(error) || !(await rolledBack(client));
    throw error;
  } finally {
    // A connection whose state is unknown is closed, so that no aborted transaction reaches the next user.
    release(broken);
  }
}

/**
 * Commits, and in the same message resets what the work may have set on the connection.
 * After a swallowed error the server answers COMMIT with ROLLBACK and no error (bad input N209, N210).
 */
async function commit(client: pg.PoolClient, onEnd: OnEnd): Promise<void> {
  const answer: unknown = await run(client, { text: `commit; ${RESET}`, query_timeout: ANSWER_TIMEOUT_MS }, onEnd);
  const [first] = answer as readonly pg.QueryResult[];
  if (first?.command !== 'COMMIT') throw new Error('a transaction was to be committed that an error had ended');
}

/** What a transaction set for itself ends with it; this resets the rest of the settings. */
const RESET = 'reset all';

/** Whether the connection failed and not the statement: the server did not report the error. */
function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable' && !(error.cause instanceof pg.DatabaseError);
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query(`rollback; ${RESET}`);
    return true;
  } catch {
    return false;
  }
}

/** pg takes the time-out of a query from the query, which its types do not declare. */
type Query = pg.QueryConfig & { readonly query_timeout: number };

function dbOver(send: (query: Query) => Promise<pg.QueryResult>, afterCommit: Db['afterCommit']): Db {
  const all = async <Row>(what: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]> => {
    const { name, text, answerMs } = what;
    const result = await send({ name, text, values: [...values], query_timeout: answerMs ?? ANSWER_TIMEOUT_MS });
    return result.rows as Row[];
  };
  return {
    all,
    afterCommit,
    one: async (what, values) => {
      const rows = await all(what, values);
      if (rows.length > 1) throw new Error(`${what.name} returned ${rows.length} rows where one was promised`);
      return rows[0];
    },
  };
}

type OnEnd = (end: StatementEnd) => void;

// As the pool itself would: a connection whose statement failed is closed. The wait for it is not the statement's.
async function runOn(take: Take, query: Query, onEnd: OnEnd): Promise<pg.QueryResult> {
  const { client, release } = await take();
  let broken = true;
  try {
    const result = await run(client, query, onEnd);
    broken = false;
    return result;
  } finally {
    release(broken);
  }
}

async function run(client: pg.PoolClient, query: Query, onEnd: OnEnd): Promise<pg.QueryResult> {
  const { name, text } = query;
  const beganMs = performance.now();
  const endAs = (rows: number | null, failure?: string): void =>
    onEnd({ name, text, ms: performance.now() - beganMs, rows, failure });
  try {
    const result = await client.query(query);
    endAs(result.rowCount ?? null);
    return result;
  } catch (error) {
    endAs(null, codeOf(error));
    throw asApiError(error);
  }
}
