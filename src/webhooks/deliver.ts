import type { Context } from '../lib/context.ts';
import { messageOf } from '../lib/error-message.ts';
import { AT_ONCE, every, type Round, type Worker } from '../lib/every.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { attemptDelivery } from './attempt.ts';
import { BEFORE_ALL_LINES, type ClaimedDelivery, type ClaimTerms, claimDue, claimFromLines } from './delivery-sql.ts';
import { createRecorder, PACED_FROM, type Recorder } from './record.ts';

export type DeliveryContext = Pick<Context, 'config' | 'database' | 'clock' | 'log' | 'outbound' | 'secrets'>;

/** The hint that deliveries were recorded. */
export const DELIVERIES_RECORDED = 'deliveries_recorded';

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
 * 6.6, "At least once"). A slow or dead receiver takes up a few places and a line of its own, never the others' time. A stop
 * waits for the attempts under way; the leases of those that its grace is too short for run out.
 */
export function startDeliveries(ctx: DeliveryContext, options: { pollMs?: number; concurrency?: number } = {}): Worker {
  const abandoned = new AbortController();
  const state: State = {
    ctx,
    concurrency: options.concurrency ?? CONCURRENCY,
    recorder: createRecorder(ctx, abandoned.signal),
    inFlight: new Map(),
    line: BEFORE_ALL_LINES,
    hasLines: false,
  };
  const worker = every({
    log: ctx.log,
    pollMs: options.pollMs ?? POLL_MS,
    failed: 'deliveries could not be claimed',
    run: async (round) => ((await claim(state, round)) ? AT_ONCE : undefined),
  });
  return {
    wake: worker.wake,
    stop: async (graceMs) => {
      await worker.stop(graceMs);
      // What ends later was cut short by the stop itself: it must not be recorded as a failure of the receiver.
      abandoned.abort();
    },
  };
}

type State = {
  readonly ctx: DeliveryContext;
  readonly concurrency: number;
  readonly recorder: Recorder;
  /** Attempts under way, by subscription. */
  readonly inFlight: Map<Uuid, number>;
  /** Where the last pass ended among the lines. */
  line: Uuid;
  /** Whether the last pass met lines: then whoever leaves a place asks for the next in line. */
  hasLines: boolean;
};

/**
 * One pass: half of the free places for those that wait in lines, the rest for what has come due. Returns whether more may be
 * due already.
 */
async function claim(state: State, round: Round): Promise<boolean> {
  const free = freePlaces(state);
  if (free < claimFrom(state)) return false;
  const { database } = state.ctx;
  const lined = termsOf(state, Math.max(1, Math.floor(free / 2)));
  const fromLines = await claimFromLines(database, lined, state.line);
  state.hasLines = fromLines.hasLines;
  begin(state, round, fromLines.deliveries, lined.leaseToken);
  const left = free - fromLines.deliveries.length;
  let { lookAgain } = fromLines;
  if (left > 0) {
    const terms = termsOf(state, left);
    const due = await claimDue(database, terms);
    begin(state, round, due.deliveries, terms.leaseToken);
    lookAgain ||= due.lookAgain;
  }
  state.line = fromLines.next;
  return lookAgain;
}

function termsOf(state: State, limit: number): ClaimTerms {
  const { ctx, inFlight } = state;
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

function begin(state: State, round: Round, deliveries: readonly ClaimedDelivery[], leaseToken: Uuid): void {
  const { inFlight } = state;
  for (const delivery of deliveries) {
    inFlight.set(delivery.subscription_id, (inFlight.get(delivery.subscription_id) ?? 0) + 1);
    round.background(perform(state, delivery, leaseToken).finally(() => leave(state, round, delivery.subscription_id)));
  }
}

async function perform(state: State, delivery: ClaimedDelivery, leaseToken: Uuid): Promise<void> {
  const { ctx, recorder } = state;
  try {
    await recorder.record(await attemptDelivery(ctx, delivery, leaseToken));
  } catch (error) {
    // A fault of ours, such as a secret sealed with another key: it counts for nobody, and the lease's end is the next try.
    ctx.log.error({ delivery: delivery.id, error: messageOf(error) }, 'a delivery could not be attempted');
  }
}

/** Gives the place back, and asks for work if somebody may have waited for it. */
function leave(state: State, round: Round, subscription: Uuid): void {
  const { inFlight } = state;
  const isWanted = state.hasLines || freePlaces(state) < claimFrom(state);
  const count = inFlight.get(subscription) ?? 0;
  if (count > 1) inFlight.set(subscription, count - 1);
  else inFlight.delete(subscription);
  if (isWanted) round.wake();
}

function freePlaces(state: State): number {
  let taken = 0;
  for (const count of state.inFlight.values()) taken += count;
  return state.concurrency - taken;
}

function claimFrom(state: State): number {
  return Math.min(state.concurrency, Math.max(2, Math.ceil(state.concurrency * CLAIM_SHARE)));
}
