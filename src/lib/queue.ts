import type { Clock } from './clock.ts';
import { type Database, type Db, statement } from './db.ts';
import { messageOf } from './error-message.ts';
import { every, together, type Worker } from './every.ts';
import { newId, type Uuid } from './ids.ts';
import type { Log } from './log.ts';
import { claimInTurn, type LastServed } from './queue/claim-in-turn.ts';
import { type Job, NO_ACCOUNT, NO_LINE, TIERS, type Tier } from './queue/job.ts';

/**
 * The job itself is at fault: trying it again as it is will hardly help.
 * Only this counts an attempt. Anything else that is thrown is a fault of ours, and the job waits.
 */
export class JobFault extends Error {
  override name = 'JobFault';
}

/** What a kind of job does and how it is retried. */
export type JobHandler = {
  readonly kind: string;
  readonly concurrency: number;
  /** Jobs of one account that run at a time, over all workers, others waiting or not; else no bound. */
  readonly ofEachMax?: number;
  /**
   * Jobs of one line within their account that run at a time, over all workers.
   * Without it a job must have no line, or it is never claimed.
   */
  readonly ofLineMax?: number;
  /**
   * For jobs that may wait for long for what is not ours.
   * One that has run for longer than `afterMs` gives its place to the next. Of such jobs so many run beside the others;
   * those beyond keep their places.
   */
  readonly long?: { readonly afterMs: number; readonly places: number };
  readonly leaseSeconds: number;
  readonly attemptsMax: number;
  /**
   * Does the work; throws `JobFault` when the job is at fault.
   * Must be idempotent: when a worker dies after the work and before recording it, another runs it
   * again.
   */
  readonly run: (job: Job, signal: AbortSignal) => Promise<void>;
  /** Records that the last attempt failed for good. */
  readonly giveUp: (job: Job, reason: string) => Promise<void>;
};

const BACKOFF_FIRST_MS = 2_000;
const BACKOFF_MAX_MS = 300_000;

const ENQUEUE = statement<never>(
  'queue_enqueue',
  `insert into job (id, kind, key, payload, run_at, ranked_at, created_at, account_id, tier, line)
   values ($1, $2, $3, $4, $5, $5, $5, $6, $7, $8)
   on conflict (kind, key) do update set payload = excluded.payload, run_at = excluded.run_at, attempts = 0, setbacks = 0,
     last_error = null, failed_at = null, parked = false, account_id = excluded.account_id, tier = excluded.tier,
     ranked_at = excluded.ranked_at, line = excluded.line
   where job.failed_at is not null`,
);

/**
 * Records a job in the caller's transaction.
 * A no-op while one of the same kind and key waits or runs; one that was given up starts over.
 */
export async function enqueue(
  db: Db,
  job: {
    kind: string;
    key: string;
    payload: Record<string, unknown>;
    runAt: Date;
    accountId?: Uuid;
    tier?: Tier;
    /** Which of the account's lines it stands in, for kinds that have `ofLineMax`. */
    line?: Uuid;
  },
): Promise<void> {
  const { kind, key, payload, runAt, accountId = NO_ACCOUNT, tier = TIERS.ordinary, line = NO_LINE } = job;
  await db.all(ENQUEUE, [newId(), kind, key, JSON.stringify(payload), runAt, accountId, tier, line]);
}

const EXTEND = statement<{ id: Uuid }>(
  'queue_extend',
  `update job set run_at = $3::timestamptz + make_interval(secs => $4)
   where id = $1 and lease_token = $2 returning id`,
);

const FINISH = statement<{ id: Uuid }>(
  'queue_finish',
  'delete from job where id = $1 and lease_token = $2 returning id',
);

// The wait doubles with each failure in a row, up to some minutes; the attempts stay as they are.
const PARK = statement<never>(
  'queue_park',
  `update job set lease_token = null, parked = true, last_error = $4, setbacks = setbacks + 1,
     run_at = $3::timestamptz + make_interval(secs => least(${BACKOFF_FIRST_MS / 1_000} * 2 ^ least(setbacks, 20), ${BACKOFF_MAX_MS / 1_000}))
   where id = $1 and lease_token = $2`,
);

const POSTPONE = statement<never>(
  'queue_postpone',
  `update job set lease_token = null, parked = true, run_at = $3, last_error = $4, failed_at = $5, attempts = $6, setbacks = 0
   where id = $1 and lease_token = $2`,
);

/** A count for the metrics ends here, so that it costs the same however much waits. */
export const COUNTED_MAX = 10_000;

export type QueueDepth = { readonly jobs: number; readonly oldest_due_at: Date | null };

// In the order of the index of unfinished jobs: otherwise a small limit is taken for a reason to read the table.
const DEPTH = statement<QueueDepth>(
  'queue_depth',
  `select
     (select count(*) from (
       select from job where kind = $1 and failed_at is null order by run_at limit ${COUNTED_MAX}
     ) as unfinished) as jobs,
     (select run_at from job where kind = $1 and failed_at is null and tier < ${TIERS.spare} and run_at <= $2
      order by run_at limit 1) as oldest_due_at`,
);

/**
 * Counts the unfinished jobs of a kind, up to `COUNTED_MAX`, and finds since when the oldest is due.
 * What is spare may wait for long, so its age is none to look at.
 */
export async function readQueueDepth(db: Db, kind: string, now: Date): Promise<QueueDepth> {
  return (await db.one(DEPTH, [kind, now])) ?? { jobs: 0, oldest_due_at: null };
}

/** How often an idle worker polls; a hint shortens the wait. */
const POLL_MS = 500;
/**
 * The longest that a worker claims nothing after faults of ours.
 * It then tries one job: when the fault is over, the others follow at once.
 */
const PAUSE_MAX_MS = 60_000;

type WorkerOptions = {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollMs?: number;
};

/**
 * Starts one loop for each kind of job; a hint is a kind.
 * Each runs at most `concurrency` jobs at a time, of the accounts in turn. A stop takes no new job and waits for the
 * running ones; the leases of those that outlast its grace expire.
 */
export function startWorker(options: WorkerOptions & { handlers: readonly JobHandler[] }): Worker {
  return together(
    options.handlers.map((handler) => ({ worker: startKind(options, handler), wokenBy: [handler.kind] })),
  );
}

type KindState = WorkerOptions & {
  readonly handler: JobHandler;
  readonly turns: LastServed;
  /** The jobs that run, by the time of this process at which they began. */
  readonly running: Set<{ readonly sinceMs: number }>;
  /** Jobs in a row that a fault of ours has set back. */
  faults: number;
  /** Until when nothing is claimed, since it would fail as well. */
  pausedUntil: Date;
};

function startKind(options: WorkerOptions, handler: JobHandler): Worker {
  const state: KindState = {
    ...options,
    ...{ handler, turns: new Map(), running: new Set(), faults: 0, pausedUntil: new Date(0) },
  };
  return every({
    log: options.log,
    pollMs: options.pollMs ?? POLL_MS,
    failed: 'jobs could not be claimed',
    fields: { kind: handler.kind },
    run: async ({ wake, background }) => {
      const now = options.clock.now();
      // After faults of ours one job at a time tries whether they are over.
      const places = (state.faults > 0 ? 1 : handler.concurrency) - heldPlaces(state);
      if (places <= 0 || now < state.pausedUntil) return;
      const leaseToken = newId();
      const terms = { kind: handler.kind, now, leaseSeconds: handler.leaseSeconds, leaseToken, places };
      const { ofEachMax = Number.POSITIVE_INFINITY, ofLineMax } = handler;
      const shares = ofLineMax === undefined ? { ofEachMax } : { ofEachMax, ofLineMax };
      for (const job of await claimInTurn(options.database, { ...terms, ...shares }, state.turns)) {
        const begun = { sinceMs: performance.now() };
        state.running.add(begun);
        const task = perform(state, job, leaseToken).finally(() => {
          state.running.delete(begun);
          // More may be waiting: a free place claims again at once.
          wake();
        });
        background(task);
      }
    },
  });
}

/** Places that jobs hold: those that have run for long hold none, up to a number of them. */
function heldPlaces({ running, handler: { long } }: KindState): number {
  if (long === undefined) return running.size;
  const sinceMs = performance.now() - long.afterMs;
  const areLong = [...running].filter((one) => one.sinceMs <= sinceMs).length;
  return running.size - Math.min(areLong, long.places);
}

async function perform(state: KindState, job: Job, leaseToken: Uuid): Promise<void> {
  const { database, clock, log, handler } = state;
  // A worker that was paused past its lease finds at its next heartbeat that another holds the job, and stops.
  const lost = new AbortController();
  const extend = async (): Promise<void> => {
    try {
      const kept = await database.all(EXTEND, [job.id, leaseToken, clock.now(), handler.leaseSeconds]);
      if (kept.length === 0) lost.abort();
    } catch (error) {
      log.warn({ kind: job.kind, error: messageOf(error) }, 'a lease could not be extended');
    }
  };
  const heartbeat = setInterval(() => void extend(), (handler.leaseSeconds * 1_000) / 3);
  heartbeat.unref();
  try {
    await handler.run(job, lost.signal);
    await database.all(FINISH, [job.id, leaseToken]);
    state.faults = 0;
  } catch (error) {
    if (error instanceof JobFault) {
      state.faults = 0;
      await setBack(state, { job, leaseToken, reason: messageOf(error) });
    } else await park(state, { job, leaseToken, reason: messageOf(error) });
  } finally {
    clearInterval(heartbeat);
  }
}

type Failure = { readonly job: Job; readonly leaseToken: Uuid; readonly reason: string };

async function setBack(state: KindState, { job, leaseToken, reason }: Failure): Promise<void> {
  const { database, clock, log, handler } = state;
  const attempts = job.attempts + 1;
  const last = attempts >= handler.attemptsMax;
  const now = clock.now();
  const waitMs = Math.min(BACKOFF_FIRST_MS * 2 ** (attempts - 1), BACKOFF_MAX_MS);
  log.warn({ kind: job.kind, key: job.key, attempts, last, error: reason }, 'a job failed');
  try {
    if (last) {
      // Only the lease holder gives up: a worker that was paused past its lease must not fail another's job.
      const held = await database.all(EXTEND, [job.id, leaseToken, now, handler.leaseSeconds]);
      if (held.length === 0) return;
      await handler.giveUp(job, reason);
    }
    const runAt = new Date(now.getTime() + waitMs);
    await database.all(POSTPONE, [job.id, leaseToken, runAt, reason, last ? now : null, attempts]);
  } catch (error) {
    // The lease expires and another worker takes the job over.
    log.warn({ kind: job.kind, error: messageOf(error) }, 'a failed job could not be recorded');
  }
}

/**
 * Sets a job back by a fault of ours, such as a store that is away or a full disk.
 * It waits and counts no attempt. From the second such job in a row on the worker pauses: the others would fail as
 * well, and one job that always ends so must not stop them.
 */
async function park(state: KindState, { job, leaseToken, reason }: Failure): Promise<void> {
  const { database, clock, log } = state;
  const now = clock.now();
  state.faults += 1;
  const pauseMs = state.faults < 2 ? 0 : Math.min(BACKOFF_FIRST_MS * 2 ** (state.faults - 2), PAUSE_MAX_MS);
  state.pausedUntil = new Date(now.getTime() + pauseMs);
  log.warn(
    { kind: job.kind, key: job.key, pause_ms: pauseMs, error: reason },
    'a job waits because of a fault of ours',
  );
  try {
    await database.all(PARK, [job.id, leaseToken, now, reason]);
  } catch (error) {
    // The lease expires and the job is back in its line.
    log.warn({ kind: job.kind, error: messageOf(error) }, 'a failed job could not be recorded');
  }
}
