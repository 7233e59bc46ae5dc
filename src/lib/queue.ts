import type { Clock } from './clock.ts';
import { type Database, type Db, statement } from './db.ts';
import { messageOf } from './error-message.ts';
import { every, together, type Worker } from './every.ts';
import { newId, type Uuid } from './ids.ts';
import type { Log } from './log.ts';

/** A piece of background work, recorded in the transaction that caused it. */
export type Job = {
  readonly id: Uuid;
  readonly kind: string;
  readonly key: string;
  readonly payload: unknown;
  readonly attempts: number;
};

/** What a kind of job does and how it is retried. */
export type JobHandler = {
  readonly kind: string;
  readonly concurrency: number;
  readonly leaseSeconds: number;
  readonly attemptsMax: number;
  /**
   * Does the work.
   * Must be idempotent: when a worker dies after the work and before recording it, another runs it
   * again.
   */
  readonly run: (job: Job, signal: AbortSignal) => Promise<void>;
  /** Records that the last attempt failed for good. */
  readonly giveUp: (job: Job, reason: string) => Promise<void>;
};

type JobRow = { id: Uuid; kind: string; key: string; payload: unknown; attempts: number };

const ENQUEUE = statement<never>(
  'queue_enqueue',
  `insert into job (id, kind, key, payload, run_at, created_at) values ($1, $2, $3, $4, $5, $5)
   on conflict (kind, key) do update set payload = excluded.payload, run_at = excluded.run_at, attempts = 0,
     last_error = null, failed_at = null
   where job.failed_at is not null`,
);

/** No claim takes more jobs than this. */
const CLAIM_MAX = 100;

// Claims due jobs of one kind, oldest first. A claimed job is due again when its lease expires, so a dead worker's
// job is taken over like any other; the token fences off the first worker in case it was only slow. `skip locked`
// lets any number of workers claim at once without waiting for one another. The inner limit is a constant for the
// planner, which takes an unknown one for a tenth of the table and then reads all of it; the outer one ends the
// scan early.
const CLAIM = statement<JobRow>(
  'queue_claim',
  `update job set lease_token = $4, run_at = $2::timestamptz + make_interval(secs => $3), attempts = attempts + 1
   where id = any(array(
     select id from (
       select id from job where kind = $1 and failed_at is null and run_at <= $2
       order by run_at limit ${CLAIM_MAX} for update skip locked
     ) as due
     limit $5
   ))
   returning id, kind, key, payload, attempts`,
);

const EXTEND = statement<{ id: Uuid }>(
  'queue_extend',
  `update job set run_at = $3::timestamptz + make_interval(secs => $4)
   where id = $1 and lease_token = $2 returning id`,
);

const FINISH = statement<{ id: Uuid }>(
  'queue_finish',
  'delete from job where id = $1 and lease_token = $2 returning id',
);

const POSTPONE = statement<never>(
  'queue_postpone',
  `update job set lease_token = null, run_at = $3, last_error = $4, failed_at = $5
   where id = $1 and lease_token = $2`,
);

/**
 * Records a job in the caller's transaction.
 * A no-op while one of the same kind and key waits or runs; one that was given up starts over.
 */
export async function enqueue(
  db: Db,
  job: { kind: string; key: string; payload: Record<string, unknown>; runAt: Date },
): Promise<void> {
  await db.all(ENQUEUE, [newId(), job.kind, job.key, JSON.stringify(job.payload), job.runAt]);
}

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
     (select run_at from job where kind = $1 and failed_at is null and run_at <= $2 order by run_at limit 1) as oldest_due_at`,
);

/** Counts the unfinished jobs of a kind, up to `COUNTED_MAX`, and finds since when the oldest is due. */
export async function readQueueDepth(db: Db, kind: string, now: Date): Promise<QueueDepth> {
  return (await db.one(DEPTH, [kind, now])) ?? { jobs: 0, oldest_due_at: null };
}

/** How often an idle worker polls; a hint shortens the wait. */
const POLL_MS = 500;
const BACKOFF_FIRST_MS = 2_000;
const BACKOFF_MAX_MS = 300_000;

type WorkerOptions = {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollMs?: number;
};

/**
 * Starts one loop for each kind of job; a hint is a kind.
 * Each runs at most `concurrency` jobs at a time. A stop takes no new job and waits for the running
 * ones; the leases of those that outlast its grace expire.
 */
export function startWorker(options: WorkerOptions & { handlers: readonly JobHandler[] }): Worker {
  return together(
    options.handlers.map((handler) => ({ worker: startKind(options, handler), wokenBy: [handler.kind] })),
  );
}

function startKind(options: WorkerOptions, handler: JobHandler): Worker {
  let active = 0;
  return every({
    log: options.log,
    pollMs: options.pollMs ?? POLL_MS,
    failed: 'jobs could not be claimed',
    fields: { kind: handler.kind },
    run: async ({ wake, background }) => {
      const free = handler.concurrency - active;
      if (free === 0) return;
      const leaseToken = newId();
      const terms = [handler.kind, options.clock.now(), handler.leaseSeconds, leaseToken, free];
      for (const job of await options.database.all(CLAIM, terms)) {
        active += 1;
        const task = perform(options, handler, job, leaseToken).finally(() => {
          active -= 1;
          // A full claim means that more may be waiting: a free place claims again at once.
          wake();
        });
        background(task);
      }
    },
  });
}

async function perform(options: WorkerOptions, handler: JobHandler, job: Job, leaseToken: Uuid): Promise<void> {
  const { database, clock, log } = options;
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
  } catch (error) {
    await setBack(options, handler, { job, leaseToken, reason: messageOf(error) });
  } finally {
    clearInterval(heartbeat);
  }
}

async function setBack(
  options: WorkerOptions,
  handler: JobHandler,
  failure: { job: Job; leaseToken: Uuid; reason: string },
): Promise<void> {
  const { database, clock, log } = options;
  const { job, leaseToken, reason } = failure;
  const last = job.attempts >= handler.attemptsMax;
  const now = clock.now();
  const waitMs = Math.min(BACKOFF_FIRST_MS * 2 ** (job.attempts - 1), BACKOFF_MAX_MS);
  log.warn({ kind: job.kind, key: job.key, attempts: job.attempts, last, error: reason }, 'a job failed');
  try {
    if (last) {
      // Only the lease holder gives up: a worker that was paused past its lease must not fail another's job.
      const held = await database.all(EXTEND, [job.id, leaseToken, now, handler.leaseSeconds]);
      if (held.length === 0) return;
      await handler.giveUp(job, reason);
    }
    await database.all(POSTPONE, [job.id, leaseToken, new Date(now.getTime() + waitMs), reason, last ? now : null]);
  } catch (error) {
    // The lease expires and another worker takes the job over.
    log.warn({ kind: job.kind, error: messageOf(error) }, 'a failed job could not be recorded');
  }
}
