import type { Context } from '../lib/context.ts';
import { messageOf } from '../lib/error-message.ts';
import { AT_ONCE, every, type Round, type Worker } from '../lib/every.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type AttemptResult, attemptDelivery } from './attempt.ts';
import {
  type ClaimedDelivery,
  type ClaimTerms,
  claimDue,
  claimFromLanes,
  FIRST_TURN_ID,
  lookForDeliveries,
} from './claim-sql.ts';
import { observeLags } from './metrics.ts';
import { createRecorder, PACED_FROM, type Recorder } from './record.ts';

export type DeliveryContext = Pick<Context, 'config' | 'database' | 'clock' | 'log' | 'outbound' | 'secrets' | 'wake'>;

/** The hint that an attempt of a replay's delivery has ended: the next of its events may have room. */
export const REPLAYED_ATTEMPTED = 'replayed_attempted';

/** The hint that deliveries were recorded. */
export const DELIVERIES_RECORDED = 'deliveries_recorded';

/** An idle worker polls this often; a hint shortens the wait. */
const POLL_MS = 200;
/** Attempts in progress in this process. Each is a socket that mostly waits. */
const CONCURRENCY = 256;
/**
 * Attempts in progress for one subscription that has answered well of late; for any other it is one.
 * Attempts in progress when its third failure is recorded still count, and a restart of the receiver must not use up
 * all fifteen: three processes together stay at 2 + 12.
 */
const SUBSCRIPTION_CONCURRENCY = 4;
/** So long after a success a subscription counts as one that answers, and at most so many do. */
const ANSWERED_MS = 10_000;
const ANSWERING_MAX = 256;
/**
 * Attempts in progress for one account, as a share of all: 32 of 256.
 * An account may have twenty subscriptions, and all their receivers may hang.
 */
const ACCOUNT_SHARE = 1 / 8;
/** How long no delivery is claimed after a failure that concerns all: it would only be put back. */
const DOWN_PAUSE_MS = 1_000;
/**
 * How much longer a lease is than the time-out of an attempt.
 * Beside it an attempt waits five seconds for its look-up and two for the network, and its outcome has to be written.
 */
const LEASE_MARGIN_MS = 20_000;
/** A claim waits until this share of the places is free: it then serves lanes and due rows alike. */
const CLAIM_SHARE = 1 / 16;
/**
 * While fewer places than this share are free, each subscription has one attempt at a time.
 * So a hundred receivers that hang leave places for all others, even if all of them answered a moment ago.
 */
const SINGLE_SHARE = 3 / 8;
/**
 * The shortest time from a claim to the next.
 * Hints, and places that are freed meanwhile, share one: its cost hardly grows with its rows.
 */
const GAP_MS = 20;

/**
 * Starts the worker that sends deliveries.
 * It leases due deliveries, so any number of workers may run and a dead worker's claims are taken over. An attempt
 * whose worker died before recording it is repeated with the same ids (spec 6.6, "At least once"). A slow or dead
 * receiver takes up a few places and a lane of its own, never the others' time, and so does an account. A stop waits
 * for the attempts in progress; the leases of those that exceed its grace run out.
 */
export function startDeliveries(
  ctx: DeliveryContext,
  options: { pollMs?: number; concurrency?: number; accountConcurrency?: number } = {},
): Worker {
  const abandoned = new AbortController();
  const concurrency = options.concurrency ?? CONCURRENCY;
  const state: State = {
    ctx,
    concurrency,
    accountConcurrency: options.accountConcurrency ?? Math.max(SUBSCRIPTION_CONCURRENCY, concurrency * ACCOUNT_SHARE),
    recorder: createRecorder(ctx, abandoned.signal),
    inFlight: new Map(),
    accountInFlight: new Map(),
    answeredMs: new Map(),
    account: FIRST_TURN_ID,
    lane: FIRST_TURN_ID,
    hasLanes: false,
    downUntilMs: 0,
  };
  const worker = every({
    log: ctx.log,
    pollMs: options.pollMs ?? POLL_MS,
    gapMs: GAP_MS,
    failed: 'deliveries could not be claimed',
    run: async (round) => ((await claim(state, round)) ? AT_ONCE : undefined),
  });
  return {
    wake: worker.wake,
    stop: async (graceMs) => {
      await worker.stop(graceMs);
      // The stop itself cut off what ends after this: it must not be recorded as a failure of the receiver.
      abandoned.abort();
    },
  };
}

type State = {
  readonly ctx: DeliveryContext;
  readonly concurrency: number;
  readonly accountConcurrency: number;
  readonly recorder: Recorder;
  /** Attempts in progress, by subscription and by account. */
  readonly inFlight: Map<Uuid, number>;
  readonly accountInFlight: Map<Uuid, number>;
  /**
   * When a subscription last answered with success, on a monotonic clock.
   * The latest comes last. One that failed since is not in it.
   */
  readonly answeredMs: Map<Uuid, number>;
  /** The account at which the last pass over due deliveries ended. */
  account: Uuid;
  /** The lane at which the last pass ended. */
  lane: Uuid;
  /** Whether the last pass found lanes: each freed place then asks for the next delivery of a lane. */
  hasLanes: boolean;
  /** No delivery is claimed before this time of a monotonic clock. */
  downUntilMs: number;
};

/**
 * One pass: half of the free places for the lanes, the rest for due deliveries.
 * Returns whether more may be due already.
 */
async function claim(state: State, round: Round): Promise<boolean> {
  const free = freePlaces(state);
  if (free < claimFrom(state) || performance.now() < state.downUntilMs) return false;
  const { database, clock } = state.ctx;
  const found = await lookForDeliveries(database, clock.now());
  state.hasLanes = found.inLanes;
  let lookAgain = false;
  let left = free;
  if (found.inLanes) {
    const terms = termsOf(state, Math.max(1, Math.floor(free / 2)));
    const fromLanes = await claimFromLanes(database, terms, state.lane);
    observeLags(fromLanes.deliveries, 'receiver', terms.now);
    begin(state, round, fromLanes.deliveries, terms.leaseToken);
    state.lane = fromLanes.next;
    left -= fromLanes.deliveries.length;
    ({ lookAgain } = fromLanes);
  }
  if (found.due && left > 0) {
    const terms = termsOf(state, left);
    const due = await claimDue(database, terms, state.account);
    observeLags(due.deliveries, 'open', terms.now);
    begin(state, round, due.deliveries, terms.leaseToken);
    state.account = due.next;
    lookAgain ||= due.lookAgain || terms.limit < left;
  }
  return lookAgain;
}

function termsOf(state: State, limit: number): ClaimTerms {
  const { ctx, inFlight, accountInFlight, concurrency } = state;
  const now = ctx.clock.now();
  const beyondSingle = freePlaces(state) - Math.floor(concurrency * SINGLE_SHARE);
  const isRoomy = beyondSingle > 0;
  return {
    now,
    leaseUntil: new Date(now.getTime() + ctx.config.webhookTimeoutMs + LEASE_MARGIN_MS),
    leaseToken: newId(),
    limit: isRoomy ? Math.min(limit, beyondSingle) : limit,
    inFlight: isRoomy ? countedInFlight(state) : inFlight,
    inFlightMax: 1,
    accountInFlight,
    accountInFlightMax: state.accountConcurrency,
    pacedFrom: PACED_FROM,
  };
}

/**
 * The attempts in progress, as the claims count them.
 * What a subscription may have because it has answered well of late is taken off.
 */
function countedInFlight({ inFlight, answeredMs }: State): ReadonlyMap<Uuid, number> {
  const fromMs = performance.now() - ANSWERED_MS;
  const counted = new Map(inFlight);
  for (const [id, atMs] of answeredMs) {
    if (atMs < fromMs || answeredMs.size > ANSWERING_MAX) answeredMs.delete(id);
    else counted.set(id, (counted.get(id) ?? 0) - (SUBSCRIPTION_CONCURRENCY - 1));
  }
  return counted;
}

function noteAnswer({ answeredMs }: State, { outcome }: AttemptResult & { kind: 'attempted' }): void {
  answeredMs.delete(outcome.subscription);
  if (outcome.succeeded) answeredMs.set(outcome.subscription, performance.now());
}

function begin(state: State, round: Round, deliveries: readonly ClaimedDelivery[], leaseToken: Uuid): void {
  for (const delivery of deliveries) {
    add(state.inFlight, delivery.subscription_id, 1);
    add(state.accountInFlight, delivery.account_id, 1);
    round.background(perform(state, round, delivery, leaseToken).finally(() => leave(state, round, delivery)));
  }
}

/** Counts up or down; what is at nothing is forgotten. */
function add(counts: Map<Uuid, number>, id: Uuid, change: number): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}

async function perform(state: State, round: Round, delivery: ClaimedDelivery, leaseToken: Uuid): Promise<void> {
  const { ctx, recorder } = state;
  try {
    const result = await attemptDelivery(ctx, delivery, leaseToken);
    if (result.kind === 'attempted') noteAnswer(state, result);
    if (result.kind === 'put_back' && result.blame === 'down' && !round.stopping.aborted) pause(state, result.reason);
    await recorder.record(result);
    if (delivery.kind === 'replay') ctx.wake(REPLAYED_ATTEMPTED);
  } catch (error) {
    // A fault of ours, such as a secret sealed with another key: it is no failure of the receiver, and the lease's end
    // brings the retry.
    ctx.log.error({ delivery: delivery.id, error: messageOf(error) }, 'a delivery could not be attempted');
  }
}

/**
 * Claims nothing for a moment.
 * One line of the log for each pause, however many deliveries are put back.
 */
function pause(state: State, reason: string): void {
  const nowMs = performance.now();
  if (nowMs >= state.downUntilMs) state.ctx.log.warn({ reason }, 'deliveries are put back by a failure of ours');
  state.downUntilMs = nowMs + DOWN_PAUSE_MS;
}

/** Frees the place, and wakes the worker if a delivery may have waited for it. */
function leave(state: State, round: Round, delivery: ClaimedDelivery): void {
  const isWanted = state.hasLanes || freePlaces(state) < claimFrom(state);
  add(state.inFlight, delivery.subscription_id, -1);
  add(state.accountInFlight, delivery.account_id, -1);
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
