import { unavailable } from '../../lib/errors.ts';
import { type Asker, OPERATORS } from '../../lib/turns/owner.ts';
import { createTurns, type Release, TurnRefused, type TurnsCounts } from '../../lib/turns/turns.ts';

/** Which requests are served at the same time, and which are refused because too many wait. */
export type Admission = {
  /** Throws 503 for a request that would be refused, before its body is read. */
  readonly refuseEarly: (asker: Asker, urgent: boolean) => void;
  /** Waits for a place. Throws 503 when there is none in time; then nothing was done. */
  readonly take: (asker: Asker, request: { readonly bodyBytes: number; readonly urgent: boolean }) => Promise<Release>;
  readonly counts: () => TurnsCounts;
};

/**
 * Requests that are worked on at once.
 * Beyond a dozen the throughput of a process does not grow, and each further one makes all others slower.
 */
const PLACES = 20;
/** The most of one account beside others. What is left is free for whoever comes next. */
const PLACES_OF_EACH = 15;
const OPERATORS_PLACES = 4;
/** A body of more takes more places: it holds as many more lines. */
const BODY_BYTES_A_PLACE = 65_536;
/** What may wait, in places: so bodies that wait take at most 128 MiB, of one account 32 MiB. */
const WAITING_MAX = 2_000;
const WAITING_MAX_OF_EACH = 500;
const WAIT_MS = 2_500;
/** The longest wait that is promised during an overload. */
const PROMISED_MS = 100;
/** Cancels have places of their own, so that they get through an overload. */
const URGENT_PLACES = 4;
const URGENT_PLACES_OF_EACH = 2;

/**
 * Admits requests in turn by account, after their token and limits were checked.
 * In an overload what would wait for more than 100 ms is refused on arrival, so that what is admitted stays fast.
 */
export function createAdmission(options: { readonly nowMs?: () => number } = {}): Admission {
  const bounds = { waitingMax: WAITING_MAX, waitingMaxOfEach: WAITING_MAX_OF_EACH, waitMs: WAIT_MS, ...options };
  const ordinary = createTurns({
    ...bounds,
    capacity: PLACES,
    capOfEach: PLACES_OF_EACH,
    reserve: OPERATORS_PLACES,
    promisedMs: PROMISED_MS,
  });
  const urgent = createTurns({ ...bounds, capacity: URGENT_PLACES, capOfEach: URGENT_PLACES_OF_EACH });
  const turnsOf = (asker: Asker, isUrgent: boolean) => (isUrgent && asker.owner !== OPERATORS ? urgent : ordinary);
  return {
    refuseEarly: (asker, isUrgent) => {
      if (turnsOf(asker, isUrgent).wouldRefuse(asker)) throw busy();
    },
    take: async (asker, { bodyBytes, urgent: isUrgent }) => {
      const turns = turnsOf(asker, isUrgent);
      const terms = { owner: asker.owner, cost: 1 + Math.floor(bodyBytes / BODY_BYTES_A_PLACE) };
      const release = turns.takeNow(terms);
      if (release !== undefined) return release;
      try {
        return await turns.take({ ...terms, signal: asker.signal });
      } catch (error) {
        throw error instanceof TurnRefused ? busy(error) : error;
      }
    },
    counts: () => {
      const [one, other] = [ordinary.counts(), urgent.counts()];
      return {
        running: one.running + other.running,
        waiting: one.waiting + other.waiting,
        owners: one.owners + other.owners,
        refused: one.refused + other.refused,
      };
    },
  };
}

function busy(cause?: unknown) {
  return unavailable('The service is busy right now. Nothing was done. Try again in a few seconds.', cause);
}
