import type { Owner } from '../turns/owner.ts';
import { createTurns, type Release, TurnRefused } from '../turns/turns.ts';

/**
 * Takes the chunks of all downloads in, one at a time and in turn by owner; see `createReceiving`.
 * Throws what `take` throws, and nothing else: a chunk that gets no turn in its time is taken in without one.
 */
export type ReceiveInTurn = (owner: Owner, bytes: number, take: () => Promise<void>) => Promise<void>;

/**
 * No download is slowed below this, 5 MB a second.
 * The largest file that is allowed then takes ten of its fifteen seconds.
 */
const BYTES_A_MS_MIN = 5_000;
/** How long a turn rests, for each millisecond that it was held. */
const REST = 3;
const REST_MS_MAX = 10;
/** More chunks than that many downloads have. What is above them is taken in without a turn. */
const WAITING_MAX = 4_000;

/**
 * Makes the turns of this process in which chunks are taken in.
 *
 * To decrypt, hash and write what arrives takes the thread a millisecond for each chunk, and many downloads at once
 * have it do dozens before a request gets its next step. After each chunk the turn rests, so that requests have three
 * quarters of the thread. That is still 30 MB a second, more than the image children decode.
 */
export function createReceiving(): ReceiveInTurn {
  const turns = createTurns({
    capacity: 1,
    capOfEach: 1,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX,
    waitMs: 0,
  });
  const turnOf = async (owner: Owner, waitMs: number): Promise<Release | undefined> => {
    try {
      return await turns.take({ owner, waitMs });
    } catch (error) {
      if (error instanceof TurnRefused) return undefined;
      throw error;
    }
  };
  return async (owner, bytes, take) => {
    const release = await turnOf(owner, bytes / BYTES_A_MS_MIN);
    const beganMs = performance.now();
    try {
      await take();
    } finally {
      if (release !== undefined) setTimeout(release, Math.min(REST_MS_MAX, REST * (performance.now() - beganMs)));
    }
  };
}
