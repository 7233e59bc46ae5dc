import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../lib/context.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { attemptDelivery } from './attempt.ts';
import { BEFORE_ALL_LINES, type ClaimedDelivery, type ClaimTerms, claimDue, claimFromLines } from './delivery-sql.ts';
import { createRecorder, PACED_FROM, type Recorder } from './record.ts';

export type DeliveryContext = Pick<Context, 'config' | 'database' | 'clock' | 'log' | 'outbound' | 'secrets'>;

export type Deliveries = {
  /** Looks for due deliveries now instead of at the next poll (a hint after a commit; nothing depends on it). */
  readonly wake: () => void;
  /** Begins no new attempt and waits for those under way, at most this long; the leases of the rest run out. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** An idle worker asks this often; a hint shortens the wait. */
const POLL_MS = 200;
/** Attempts under way in this process. Each is a socket that mostly waits. */
const CONCURRENCY = 256;
/**
 * Attempts under way for one subscription. Those that are on their way when its third failure comes back still count, and
 * a restart of the receiver must not burn all fifteen: three processes together stay at 2 + 12.
 */
const SUBSCRIPTION_CONCURRENCY = 4;
/** What a lease has beyond the longest attempt, for the way to the database and back. */
const LEASE_MARGIN_MS = 20_000;
/** Nobody asks for work until this share of the places is free: a claim then serves the lines and the rest alike. */
const CLAIM_SHARE = 1 / 16;

/**
 * Starts the worker that sends deliveries. It claims those that are due by lease, so any number of workers may run and a
 * dead one's claims are taken over; an attempt that a worker did not live to record is made again, with the same ids (spec
 * 6.6, "At least once"). A slow or dead receiver takes up a few places and a line of its own, never the others' time.
 */
export function startDeliveries(
  ctx: DeliveryContext,
  options: { pollMs?: number; concurrency?: number } = {},
): Deliveries {
  const stopping = new AbortController();
  const abandoned = new AbortController();
  const alarm = createAlarm();
  const running = new Set<Promise<void>>();
  const loop = run({
    ctx,
    pollMs: options.pollMs ?? POLL_MS,
    concurrency: options.concurrency ?? CONCURRENCY,
    stopping: stopping.signal,
    alarm,
    running,
    recorder: createRecorder(ctx, abandoned.signal),
    inFlight: new Map(),
    hasLines: false,
  });
  return {
    wake: alarm.ring,
    stop: async (graceMs) => {
      stopping.abort();
      alarm.ring();
      const ended = loop.then(() => Promise.all(running));
      await Promise.race([ended, delay(graceMs, undefined, { ref: false })]);
      // What ends later was cut short by the stop itself: it must not be recorded as a failure of the receiver.
      abandoned.abort();
    },
  };
}

type Worker = {
  readonly ctx: DeliveryContext;
  readonly pollMs: number;
  readonly concurrency: number;
  readonly stopping: AbortSignal;
  readonly alarm: Alarm;
  readonly running: Set<Promise<void>>;
  readonly recorder: Recorder;
  /** Attempts under way, by subscription. */
  readonly inFlight: Map<Uuid, number>;
  /** Whether the last pass met lines: then whoever leaves a place asks for the next in line. */
  hasLines: boolean;
};

async function run(worker: Worker): Promise<void> {
  const { ctx, stopping, alarm } = worker;
  let line = BEFORE_ALL_LINES;
  while (!stopping.aborted) {
    alarm.reset();
    try {
      const pass = await claim(worker, line);
      line = pass.line;
      if (!pass.lookAgain) await alarm.wait(worker.pollMs);
    } catch (error) {
      // The database is away: the next poll tries again, and readiness tells the balancer.
      ctx.log.warn({ error: error instanceof Error ? error.message : 'unknown' }, 'deliveries could not be claimed');
      await alarm.wait(worker.pollMs);
    }
  }
}

/** One pass: half of the free places for those that wait in lines, the rest for what has come due. */
async function claim(worker: Worker, line: Uuid): Promise<{ line: Uuid; lookAgain: boolean }> {
  const free = freePlaces(worker);
  if (free < claimFrom(worker)) return { line, lookAgain: false };
  const { database } = worker.ctx;
  const lined = termsOf(worker, Math.max(1, Math.floor(free / 2)));
  const fromLines = await claimFromLines(database, lined, line);
  worker.hasLines = fromLines.hasLines;
  begin(worker, fromLines.deliveries, lined.leaseToken);
  const left = free - fromLines.deliveries.length;
  if (left === 0) return { line: fromLines.next, lookAgain: fromLines.lookAgain };
  const terms = termsOf(worker, left);
  const due = await claimDue(database, terms);
  begin(worker, due.deliveries, terms.leaseToken);
  return { line: fromLines.next, lookAgain: fromLines.lookAgain || due.lookAgain };
}

function termsOf(worker: Worker, limit: number): ClaimTerms {
  const { ctx, inFlight } = worker;
  const now = ctx.clock.now();
  return {
    now,
    leaseUntil: new Date(now.getTime() + ctx.config.webhookTimeoutMs + LEASE_MARGIN_MS),
    leaseToken: newId(),
    limit,
    inFlight,
    inFlightMax: SUBSCRIPTION_CONCURRENCY,
    pacedFrom: PACED_FROM,
  };
}

function begin(worker: Worker, deliveries: readonly ClaimedDelivery[], leaseToken: Uuid): void {
  for (const delivery of deliveries) {
    const { inFlight, running } = worker;
    inFlight.set(delivery.subscription_id, (inFlight.get(delivery.subscription_id) ?? 0) + 1);
    const task = perform(worker, delivery, leaseToken).finally(() => {
      running.delete(task);
      leave(worker, delivery.subscription_id);
    });
    running.add(task);
  }
}

async function perform(worker: Worker, delivery: ClaimedDelivery, leaseToken: Uuid): Promise<void> {
  const { ctx, recorder } = worker;
  try {
    await recorder.record(await attemptDelivery(ctx, delivery, leaseToken));
  } catch (error) {
    // A fault of ours, such as a secret sealed with another key: it counts for nobody, and the lease's end is the next try.
    const message = error instanceof Error ? error.message : 'unknown';
    ctx.log.error({ delivery: delivery.id, error: message }, 'a delivery could not be attempted');
  }
}

/** Gives the place back, and asks for work if somebody may have waited for it. */
function leave(worker: Worker, subscription: Uuid): void {
  const { inFlight, alarm } = worker;
  const isWanted = worker.hasLines || freePlaces(worker) < claimFrom(worker);
  const count = inFlight.get(subscription) ?? 0;
  if (count > 1) inFlight.set(subscription, count - 1);
  else inFlight.delete(subscription);
  if (isWanted) alarm.ring();
}

function freePlaces(worker: Worker): number {
  let taken = 0;
  for (const count of worker.inFlight.values()) taken += count;
  return worker.concurrency - taken;
}

function claimFrom(worker: Worker): number {
  return Math.min(worker.concurrency, Math.max(2, Math.ceil(worker.concurrency * CLAIM_SHARE)));
}

type Alarm = {
  readonly ring: () => void;
  /** Forgets earlier rings. */
  readonly reset: () => void;
  /** Waits for a ring since the last reset, at most this long. */
  readonly wait: (timeoutMs: number) => Promise<void>;
};

function createAlarm(): Alarm {
  let rung = false;
  let wakeUp = (): void => {};
  return {
    ring: () => {
      rung = true;
      wakeUp();
    },
    reset: () => {
      rung = false;
    },
    wait: (timeoutMs) => {
      if (rung) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
