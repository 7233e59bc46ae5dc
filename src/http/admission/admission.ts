import { unavailable } from '../../lib/errors.ts';
import { type Asker, OPERATORS, type Owner } from '../../lib/turns/owner.ts';
import { TurnRefused } from '../../lib/turns/refusal.ts';
import { createTurns, type Release, type Turns } from '../../lib/turns/turns.ts';

/** What is known of a request before it is read. `route` is only compared. */
export type RequestKind = { readonly route: object; readonly isRead: boolean; readonly urgent: boolean };

/** Which requests are served at the same time, and which are refused because too many wait. */
export type Admission = {
  /** Throws 503 for a request that would be refused, before its body is read. */
  readonly refuseEarly: (asker: Asker, urgent: boolean) => void;
  /** Waits for a place. Throws 503 when there is none in time; then nothing was done. */
  readonly take: (asker: Asker, request: RequestKind & { readonly bodyBytes: number }) => Promise<() => void>;
  /** Remembers how long an answer was: what an owner asks next of the same route costs as much. */
  readonly note: (owner: Owner, route: object, bytes: number) => void;
};

/**
 * Requests that are worked on at once.
 * Orders are placed a batch at a time: while one batch is written, the next must have room to be prepared. Beyond that
 * the throughput of a process does not grow, and each further one makes all others slower (docs/decisions/0047).
 */
const PLACES = 28;
/** The most of one account beside others. What is left is free for the next that comes. */
const PLACES_OF_EACH = 15;
const OPERATORS_PLACES = 4;
/** A longer body takes more places, for it holds as many more lines. So does a longer answer. */
const BODY_BYTES_A_PLACE = 4_096;
const ANSWER_BYTES_A_PLACE = 65_536;
/** The most that a request takes: beside others an account has one such at a time, alone it has two. */
const PLACES_OF_A_REQUEST_MAX = 10;
/**
 * What a read takes until its first answer is known.
 * Three at a time, and there is always room for one.
 */
const PLACES_OF_THE_FIRST = 5;
/**
 * From so many places on, a request's place rests as long as it was held, up to a bound.
 * It does not while the account is alone. The thread then serves what arrived meanwhile, before the next such request.
 */
const PLACES_THAT_REST = 5;
const REST_MS_MAX = 500;
/** How fast a large answer is forgotten while small ones follow it. */
const FORGOTTEN = 0.9;
/** Owners whose answers are remembered for a route; then the one is forgotten that was noted first. */
const OWNERS_REMEMBERED_MAX = 2_000;
/** What may wait, in places. */
const WAITING_MAX = 2_000;
const WAITING_MAX_OF_EACH = 500;
const WAIT_MS = 2_000;
/** The longest wait before a request is refused on arrival, and once some have been refused. */
const PROMISED_MS = 100;
const PROMISED_IN_OVERLOAD_MS = 25;
/** Cancels have places of their own, so that they get through an overload. */
const URGENT_PLACES = 4;
const URGENT_PLACES_OF_EACH = 2;

/**
 * Admits requests in turn by account, after their token and limits were checked.
 * In an overload what would wait for long is refused on arrival, so that what is admitted stays fast.
 */
export function createAdmission(options: { readonly nowMs?: () => number } = {}): Admission {
  const answers = createMemory();
  const bounds = {
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX_OF_EACH,
    waitMs: WAIT_MS,
    resource: 'requests',
    ...options,
  } as const;
  const ordinary = createTurns({
    ...bounds,
    capacity: PLACES,
    capOfEach: PLACES_OF_EACH,
    reserve: OPERATORS_PLACES,
    promisedMs: PROMISED_MS,
    promisedInOverloadMs: PROMISED_IN_OVERLOAD_MS,
  });
  const urgent = createTurns({ ...bounds, capacity: URGENT_PLACES, capOfEach: URGENT_PLACES_OF_EACH });
  const turnsOf = (asker: Asker, isUrgent: boolean): Turns =>
    isUrgent && asker.owner !== OPERATORS ? urgent : ordinary;
  return {
    refuseEarly: (asker, isUrgent) => {
      if (turnsOf(asker, isUrgent).wouldRefuse(asker)) throw busy();
    },
    note: answers.note,
    take: async (asker, { route, bodyBytes, isRead, urgent: isUrgent }) => {
      const turns = turnsOf(asker, isUrgent);
      const { owner } = asker;
      const ofBody = 1 + Math.floor(bodyBytes / BODY_BYTES_A_PLACE);
      const ofAnswer = answers.costOf(owner, route) ?? (isRead ? PLACES_OF_THE_FIRST : 1);
      const cost = isUrgent ? 1 : Math.min(PLACES_OF_A_REQUEST_MAX, Math.max(ofBody, ofAnswer));
      const terms = { owner, cost };
      const release = turns.takeNow(terms) ?? (await inTime(turns.take({ ...terms, signal: asker.signal })));
      return cost < PLACES_THAT_REST ? release : resting(turns, owner, release);
    },
  };
}

async function inTime(turn: Promise<Release>): Promise<Release> {
  try {
    return await turn;
  } catch (error) {
    throw error instanceof TurnRefused ? busy(error) : error;
  }
}

function resting(turns: Turns, owner: Owner, release: () => void): () => void {
  const beganMs = performance.now();
  return () => {
    if (turns.isAlone(owner)) release();
    else setTimeout(release, Math.min(REST_MS_MAX, performance.now() - beganMs));
  };
}

/**
 * What answers of a route cost, by owner. It is bounded, and only of this process.
 * A wrong guess does no harm.
 */
function createMemory() {
  const byRoute = new WeakMap<object, Map<Owner, number>>();
  return {
    costOf: (owner: Owner, route: object): number | undefined => byRoute.get(route)?.get(owner),
    note: (owner: Owner, route: object, bytes: number): void => {
      let owners = byRoute.get(route);
      if (owners === undefined) {
        owners = new Map();
        byRoute.set(route, owners);
      }
      const cost = 1 + Math.floor(bytes / ANSWER_BYTES_A_PLACE);
      const known = owners.get(owner);
      if (known === undefined && owners.size >= OWNERS_REMEMBERED_MAX) {
        const [oldest] = owners.keys();
        if (oldest !== undefined) owners.delete(oldest);
      }
      const next = Math.max(cost, (known ?? 1) * FORGOTTEN, 1);
      if (next !== known) owners.set(owner, next);
    },
  };
}

function busy(cause?: unknown) {
  return unavailable('The service is busy right now. Nothing was done. Try again in a few seconds.', cause);
}
