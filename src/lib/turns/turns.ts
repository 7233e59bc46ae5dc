import { createHeap, type Heap, OUTSIDE, type Ranked } from './heap.ts';
import { countRefused, watchWaiting } from './metrics.ts';
import { OPERATORS, type Owner, SERVICE } from './owner.ts';
import { createPace } from './pace.ts';
import { createRecent } from './recent.ts';
import { type RefusalReason, TurnRefused } from './refusal.ts';
import type { Terms, TurnsOptions } from './terms.ts';

export type { Terms, TurnsOptions } from './terms.ts';

/** Gives the place back; a second call does nothing. */
export type Release = {
  (): void;
  /** Keeps the place for a task that turns out to cost less; more than it has is not given. */
  readonly shrinkTo: (cost: number) => void;
};

/**
 * A resource that owners use in turn.
 * The next place goes to the owner that has had the least of late, in the order of arrival within an owner. So an
 * owner that newly arrives never waits behind another's queue.
 */
export type Turns = {
  /** Waits for a place. Throws `TurnRefused`. */
  readonly take: (terms: Terms) => Promise<Release>;
  /** Takes a place that is free now and that no other waits for; undefined when there is none. */
  readonly takeNow: (terms: Terms) => Release | undefined;
  /** Does work in a place. Throws `TurnRefused`, and what the work throws. */
  readonly inTurn: <Result>(terms: Terms, work: () => Promise<Result>) => Promise<Result>;
  /** Whether a task would begin at once. */
  readonly isFree: (terms: Terms) => boolean;
  /** Whether a task would be refused on its arrival. */
  readonly wouldRefuse: (terms: Terms) => boolean;
  /** Whether no other owner has come of late. */
  readonly isAlone: (owner: Owner) => boolean;
  readonly counts: () => TurnsCounts;
  /** Refuses all that wait, and whatever comes later. */
  readonly close: () => void;
};

export type TurnsCounts = {
  readonly running: number;
  readonly waiting: number;
  /** Owners that are remembered: those with a task that runs or waits. */
  readonly owners: number;
  /** Since the start, without those whose caller had gone. */
  readonly refused: number;
};

/** Tasks that have waited for longer than this of late are an overload, not a burst. */
const BURST_MS = 1_000;

/**
 * More owners than this in a queue are an overload of the resource.
 * Fewer have sent too much themselves.
 */
const FEW_OWNERS = 3;
const PATIENCE_OF_FEW = 10;

/**
 * How far a newcomer is behind what was served.
 * Less than a task, so that it comes before the next of an owner that was just served, and more than nothing, so that
 * newcomers one after another cannot keep back for ever one that had much.
 */
const AHEAD = 0.5;

type Waiter = {
  readonly cost: number;
  readonly weight: number;
  readonly resolve: (release: Release) => void;
  readonly fail: (reason: RefusalReason) => void;
};

/**
 * An owner with a task that runs or waits.
 * `rank` is what it has had, on a scale on which every owner that waits advances at the same speed.
 */
type Flow = Ranked & {
  readonly owner: Owner;
  readonly lane: Lane;
  running: number;
  waitingCost: number;
  /** In the order of arrival. */
  readonly waiting: Set<Waiter>;
};

/**
 * Owners whose next task their own cap allows.
 * Background work has a lane of its own, with a bound of tasks.
 */
type Lane = { readonly ready: Heap<Flow>; atOnce: number; readonly atOnceMax: number };

/**
 * Makes the turns of one resource.
 * Its state is that of this process, and empty when nothing runs or waits.
 */
export function createTurns(options: TurnsOptions): Turns {
  const { capacity, reserve = 0, atOnceMax = Number.POSITIVE_INFINITY, nowMs = () => performance.now() } = options;
  const flows = new Map<Owner, Flow>();
  const asked: Lane = { ready: createHeap(), atOnce: 0, atOnceMax: Number.POSITIVE_INFINITY };
  const background: Lane = { ready: createHeap(), atOnce: 0, atOnceMax: options.serviceAtOnceMax ?? atOnceMax };
  const recent = createRecent(nowMs);
  const pace = createPace(nowMs);
  let running = 0;
  let runningInReserve = 0;
  let atOnce = 0;
  let waitingTasks = 0;
  let waitingCost = 0;
  let waitingOwners = 0;
  let refused = 0;
  // Start-time fair queuing: the highest rank that was served.
  let served = 0;
  let sequence = 0;
  let isClosed = false;

  const flowOf = (owner: Owner): Flow => {
    const known = flows.get(owner);
    if (known !== undefined) return known;
    const lane = owner.startsWith(SERVICE) ? background : asked;
    const rest = { rank: served, sequence: 0, place: OUTSIDE, running: 0, waitingCost: 0 };
    const flow: Flow = { owner, lane, ...rest, waiting: new Set() };
    flows.set(owner, flow);
    return flow;
  };
  const forgetIdle = (flow: Flow): void => {
    if (flow.running === 0 && flow.waiting.size === 0) flows.delete(flow.owner);
  };
  const hasRoom = (cost: number): boolean => fits(running, cost, capacity) && atOnce < atOnceMax;
  const hasReserve = (flow: Flow, cost: number): boolean =>
    reserve > 0 && flow.owner === OPERATORS && fits(runningInReserve, cost, reserve);
  const isBelowCap = (flow: Flow, cost: number): boolean => fits(flow.running, cost, capOf(flow));
  const capOf = ({ owner }: Flow): number => {
    if (options.isCapFirm !== true && recent.isAlone(owner)) return capacity + reserve;
    return owner === OPERATORS ? options.capOfEach + reserve : options.capOfEach;
  };

  /** Puts an owner where its first task can be found; takes it out at its cap or without a task. */
  const arrange = (flow: Flow): void => {
    const [first] = flow.waiting;
    const isReady = first !== undefined && isBelowCap(flow, first.cost);
    if (isReady === (flow.place !== OUTSIDE)) return;
    if (!isReady) {
      flow.lane.ready.remove(flow);
      return;
    }
    // What it did not use before is not saved up.
    flow.rank = Math.max(flow.rank, served + AHEAD);
    sequence += 1;
    flow.sequence = sequence;
    flow.lane.ready.add(flow);
  };

  const begin = (flow: Flow, { cost, weight }: Pick<Waiter, 'cost' | 'weight'>, isReserved: boolean): Release => {
    flow.running += cost;
    if (isReserved) {
      runningInReserve += cost;
    } else {
      running += cost;
      atOnce += 1;
      flow.lane.atOnce += 1;
      const from = Math.max(served, flow.rank);
      served = from;
      flow.rank = from + Math.max(1, weight);
    }
    let held = cost;
    const giveBack = (amount: number): void => {
      held -= amount;
      flow.running -= amount;
      if (isReserved) runningInReserve -= amount;
      else running -= amount;
    };
    const goOn = (): void => {
      if (waitingTasks === 0) return;
      arrange(flow);
      serve();
    };
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      giveBack(held);
      if (!isReserved) {
        atOnce -= 1;
        flow.lane.atOnce -= 1;
      }
      goOn();
      forgetIdle(flow);
    };
    const shrinkTo = (smaller: number): void => {
      if (isReleased || smaller >= held) return;
      giveBack(held - smaller);
      goOn();
    };
    return Object.assign(release, { shrinkTo });
  };

  const drop = (flow: Flow, waiter: Waiter): void => {
    flow.waiting.delete(waiter);
    flow.waitingCost -= waiter.cost;
    waitingCost -= waiter.cost;
    waitingTasks -= 1;
    if (flow.waiting.size === 0) waitingOwners -= 1;
    if (waitingTasks === 0) pace.end();
  };

  const serveFirst = (flow: Flow, isReserved: boolean): void => {
    const [first] = flow.waiting;
    if (first === undefined) return;
    if (flow.place !== OUTSIDE) flow.lane.ready.remove(flow);
    pace.served();
    drop(flow, first);
    const release = begin(flow, first, isReserved);
    arrange(flow);
    first.resolve(release);
  };

  /** The owner whose turn it is, of both lanes; its first task waits for room if there is none. */
  const next = (): Flow | undefined => {
    const one = asked.ready.first();
    const other = background.atOnce < background.atOnceMax ? background.ready.first() : undefined;
    if (one === undefined || other === undefined) return one ?? other;
    return other.rank < one.rank ? other : one;
  };

  const serveReserve = (operators: Flow): void => {
    for (let [first] = operators.waiting; first !== undefined; [first] = operators.waiting) {
      if (!hasReserve(operators, first.cost)) return;
      serveFirst(operators, true);
    }
  };

  const serve = (): void => {
    const operators = flows.get(OPERATORS);
    if (operators !== undefined) serveReserve(operators);
    for (let flow = next(); flow !== undefined; flow = next()) {
      const [first] = flow.waiting;
      if (first === undefined || !hasRoom(first.cost)) return;
      serveFirst(flow, false);
    }
  };

  /** Where a task would begin at once; undefined when it must wait. */
  const roomFor = (flow: Flow, cost: number): 'reserve' | 'shared' | undefined => {
    if (flow.waiting.size > 0) return undefined;
    if (hasReserve(flow, cost)) return 'reserve';
    const isNext = next() === undefined && flow.lane.atOnce < flow.lane.atOnceMax;
    return isNext && hasRoom(cost) && isBelowCap(flow, cost) ? 'shared' : undefined;
  };

  const takeNow = ({ owner, cost = 1, weight = cost }: Terms): Release | undefined => {
    if (isClosed) return undefined;
    const flow = flowOf(owner);
    // The background work of the only customer is no other owner.
    if (flow.lane === asked) recent.note(owner);
    const room = roomFor(flow, cost);
    if (room !== undefined) return begin(flow, { cost, weight }, room === 'reserve');
    forgetIdle(flow);
    return undefined;
  };

  const isFree = ({ owner, cost = 1 }: Terms): boolean => {
    if (isClosed) return false;
    const flow = flowOf(owner);
    const hasIt = roomFor(flow, cost) !== undefined;
    forgetIdle(flow);
    return hasIt;
  };

  const wouldRefuse = ({ owner, cost = 1 }: Terms): boolean => {
    if (isClosed) return true;
    if (waitingTasks === 0) return false;
    const flow = flowOf(owner);
    const isRefused = roomFor(flow, cost) === undefined && isTooMuch(flow, cost);
    if (isRefused) pace.refused();
    forgetIdle(flow);
    return isRefused;
  };

  const isTooMuch = (flow: Flow, cost: number): boolean => {
    if (!fits(waitingCost, cost, options.waitingMax)) return true;
    if (!fits(flow.waitingCost, cost, options.waitingMaxOfEach)) return true;
    if (options.promisedMs === undefined || pace.lastsMs() < BURST_MS) return false;
    // The first of an owner waits for one turn of each that is ready, and not for those that are at their cap.
    const own = flow.waiting.size;
    const turns = own === 0 ? asked.ready.size() : (own + 1) * waitingOwners;
    const stillMs = own === 0 ? 0 : pace.stillMs();
    // Where few owners wait, each waits for its own tasks above all: that is its choice, and hurts no other.
    const patience = waitingOwners > FEW_OWNERS ? 1 : PATIENCE_OF_FEW;
    const { promisedMs, promisedInOverloadMs = promisedMs } = options;
    const waitMsMax = patience * (pace.isOverload() ? promisedInOverloadMs : promisedMs);
    return Math.max(stillMs, turns * pace.intervalMs()) > waitMsMax;
  };

  const unwatch = options.resource && watchWaiting(options.resource, () => waitingTasks);
  const noteRefusal = (reason: RefusalReason): void => {
    if (reason === 'gone') return;
    refused += 1;
    if (options.resource !== undefined) countRefused({ resource: options.resource });
  };

  const refuse = (reason: RefusalReason): Promise<never> => {
    noteRefusal(reason);
    return Promise.reject(new TurnRefused(reason));
  };

  const wait = (terms: Terms): Promise<Release> => {
    const { owner, cost = 1, weight = cost, signal, waitMs = options.waitMs } = terms;
    const flow = flowOf(owner);
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const waiter: Waiter = {
      cost,
      weight,
      resolve: (release) => {
        settle();
        resolve(release);
      },
      fail: (reason) => {
        settle();
        noteRefusal(reason);
        drop(flow, waiter);
        reject(new TurnRefused(reason));
      },
    };
    const leave = (reason: RefusalReason): void => {
      waiter.fail(reason);
      // A large task may have held back the one behind it.
      arrange(flow);
      serve();
      forgetIdle(flow);
    };
    const onAbort = (): void => leave('gone');
    const timer = setTimeout(() => leave('late'), waitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (waitingTasks === 0) pace.begin();
    if (flow.waiting.size === 0) waitingOwners += 1;
    flow.waiting.add(waiter);
    flow.waitingCost += cost;
    waitingCost += cost;
    waitingTasks += 1;
    arrange(flow);
    return promise;
  };

  const take = (terms: Terms): Promise<Release> => {
    if (isClosed) return refuse('closed');
    if (terms.signal?.aborted === true) return refuse('gone');
    const release = takeNow(terms);
    if (release !== undefined) return Promise.resolve(release);
    return wouldRefuse(terms) ? refuse('full') : wait(terms);
  };

  return {
    take,
    takeNow,
    inTurn: async (terms, work) => {
      const release = await take(terms);
      try {
        return await work();
      } finally {
        release();
      }
    },
    isFree,
    wouldRefuse,
    isAlone: recent.isAlone,
    counts: () => ({ running: running + runningInReserve, waiting: waitingTasks, owners: flows.size, refused }),
    close: () => {
      isClosed = true;
      unwatch?.();
      for (const flow of flows.values()) {
        for (const waiter of flow.waiting) waiter.fail('closed');
        arrange(flow);
        forgetIdle(flow);
      }
    },
  };
}

/** Whether a cost fits beside what runs. What alone is more than the bound runs when nothing else does. */
function fits(running: number, cost: number, max: number): boolean {
  return running === 0 || running + cost <= max;
}
