import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import { type Database, type Db, statement } from './db.ts';
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
  /** Must be safe to run twice: a worker that dies after the work and before the record is followed by another. */
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

// Due jobs of one kind, oldest first. A claimed job is due again when its lease runs out, so a dead worker's job is taken
// over like any other; the token fences off the dead one, should it only have been slow.
// `skip locked` lets any number of workers ask at once without waiting for one another. The inner limit is a constant for the
// planner, which takes an unknown one for a tenth of the table and then reads all of it; the outer one ends the walk early.
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
 * Records a job in the caller's transaction. One of the same kind and key that waits or runs is enough; one that was given up
 * begins anew.
 */
export async function enqueue(
  db: Db,
  job: { kind: string; key: string; payload: Record<string, unknown>; runAt: Date },
): Promise<void> {
  await db.all(ENQUEUE, [newId(), job.kind, job.key, JSON.stringify(job.payload), job.runAt]);
}

export type Worker = {
  /** Looks for work now instead of at the next poll (a hint after a commit; nothing depends on it). */
  readonly wake: (kind: string) => void;
  /** Takes no new job and waits for the running ones, at most this long; their leases run out otherwise. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** An idle worker asks this often; a hint shortens the wait. */
const POLL_MS = 500;
const BACKOFF_FIRST_MS = 2_000;
const BACKOFF_MAX_MS = 300_000;

/** Starts one loop for each kind of job, each running at most `concurrency` of them at a time. */
export function startWorker(options: {
  database: Database;
  clock: Clock;
  log: Log;
  handlers: readonly JobHandler[];
  pollMs?: number;
}): Worker {
  const stopping = new AbortController();
  const wakes = new Map<string, () => void>();
  const running = new Set<Promise<void>>();
  const loops = options.handlers.map((handler) =>
    loop({ ...options, handler, pollMs: options.pollMs ?? POLL_MS, stopping: stopping.signal, wakes, running }),
  );
  return {
    wake: (kind) => wakes.get(kind)?.(),
    stop: async (graceMs) => {
      stopping.abort();
      for (const wake of wakes.values()) wake();
      // A claim that is on its way when the stop comes still brings jobs, so the loops end first.
      const ended = Promise.all(loops).then(() => Promise.all(running));
      await Promise.race([ended, delay(graceMs, undefined, { ref: false })]);
    },
  };
}

type LoopOptions = {
  database: Database;
  clock: Clock;
  log: Log;
  handler: JobHandler;
  pollMs: number;
  stopping: AbortSignal;
  wakes: Map<string, () => void>;
  running: Set<Promise<void>>;
};

async function loop(options: LoopOptions): Promise<void> {
  const { database, clock, log, handler, stopping, running } = options;
  let active = 0;
  let wakeUp = (): void => {};
  let woken = false;
  options.wakes.set(handler.kind, () => {
    woken = true;
    wakeUp();
  });
  while (!stopping.aborted) {
    woken = false;
    const free = handler.concurrency - active;
    const jobs = free > 0 ? await claim(database, clock, log, handler, free) : [];
    for (const job of jobs) {
      active += 1;
      const task = perform(options, job.job, job.leaseToken).finally(() => {
        active -= 1;
        running.delete(task);
        woken = true;
        wakeUp();
      });
      running.add(task);
    }
    // A full hand means that more may be waiting: the next place that frees asks again at once.
    if (!woken && !stopping.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, options.pollMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

async function claim(
  database: Database,
  clock: Clock,
  log: Log,
  handler: JobHandler,
  count: number,
): Promise<{ job: Job; leaseToken: Uuid }[]> {
  const leaseToken = newId();
  try {
    const rows = await database.all(CLAIM, [handler.kind, clock.now(), handler.leaseSeconds, leaseToken, count]);
    return rows.map((job) => ({ job, leaseToken }));
  } catch (error) {
    // The database is away: the next poll tries again, and readiness tells the balancer.
    log.warn({ kind: handler.kind, error: messageOf(error) }, 'jobs could not be claimed');
    return [];
  }
}

async function perform(options: LoopOptions, job: Job, leaseToken: Uuid): Promise<void> {
  const { database, clock, log, handler } = options;
  // A worker that was paused past its lease finds at its next heartbeat that the job is another's, and stops.
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
    await setBack(options, job, leaseToken, messageOf(error));
  } finally {
    clearInterval(heartbeat);
  }
}

async function setBack(options: LoopOptions, job: Job, leaseToken: Uuid, reason: string): Promise<void> {
  const { database, clock, log, handler } = options;
  const last = job.attempts >= handler.attemptsMax;
  const now = clock.now();
  const waitMs = Math.min(BACKOFF_FIRST_MS * 2 ** (job.attempts - 1), BACKOFF_MAX_MS);
  log.warn({ kind: job.kind, key: job.key, attempts: job.attempts, last, error: reason }, 'a job failed');
  try {
    if (last) {
      // Only the holder gives up: a worker that was paused past its lease must not fail what another is doing.
      const held = await database.all(EXTEND, [job.id, leaseToken, now, handler.leaseSeconds]);
      if (held.length === 0) return;
      await handler.giveUp(job, reason);
    }
    await database.all(POSTPONE, [job.id, leaseToken, new Date(now.getTime() + waitMs), reason, last ? now : null]);
  } catch (error) {
    // The lease runs out and another worker takes the job over.
    log.warn({ kind: job.kind, error: messageOf(error) }, 'a failed job could not be recorded');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
