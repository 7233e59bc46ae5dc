import type { Owner } from '../../turns/owner.ts';
import { TurnRefused } from '../../turns/refusal.ts';
import { createTurns, type Release } from '../../turns/turns.ts';

/**
 * Takes the chunks of all downloads in, one at a time and in turn by owner; see `createReceiving`.
 * Throws what `take` throws, and nothing else: a chunk that gets no turn in its time is taken in without one.
 */
export type ReceiveInTurn = (owner: Owner, bytes: number, take: () => void) => Promise<void>;

/**
 * No download is slowed below this, 5 MB a second.
 * The largest file that is allowed then takes ten of its fifteen seconds.
 */
const BYTES_A_MS_MIN = 5_000;
/** More chunks than that many downloads have. What is above them is taken in without a turn. */
const WAITING_MAX = 4_000;

/**
 * Makes the turns of the receiving thread in which chunks are taken in.
 *
 * Many downloads of one account would otherwise have as many chunks taken in before the next of another's. A turn ends
 * with the round of the event loop, so that chunks that arrive meanwhile wait for theirs.
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
    try {
      take();
    } finally {
      if (release !== undefined) setImmediate(release);
    }
  };
}
