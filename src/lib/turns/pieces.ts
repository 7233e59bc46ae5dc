import { setImmediate as nextLoop } from 'node:timers/promises';
import { unavailable } from '../errors.ts';
import type { Asker } from './owner.ts';
import { createTurns, TurnRefused } from './turns.ts';

/** How long the thread works on a piece before it serves others. */
const PIECE_MS = 5;
/** Fewer items than this are one piece: most lists are. */
const ITEMS_OF_A_PIECE = 50;
const WAITING_MAX = 1_000;
const WAIT_MS = 30_000;

const turns = createTurns({
  resource: 'pieces',
  capacity: 1,
  capOfEach: 1,
  reserve: 1,
  waitingMax: WAITING_MAX,
  waitingMaxOfEach: WAITING_MAX,
  waitMs: WAIT_MS,
});

/**
 * Maps a long list in pieces of a few milliseconds, in turn by owner.
 * Between two pieces the thread serves what else has arrived: one large answer holds up no small one. Throws what `map`
 * throws, and 503 when it waits for too long or its caller has gone.
 */
export async function mapInPieces<Item, Result>(
  asker: Asker,
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  if (items.length <= ITEMS_OF_A_PIECE) return items.map(map);
  const { owner, signal } = asker;
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    const endsAt = performance.now() + PIECE_MS;
    do {
      const index = results.length;
      results.push(map(items[index] as Item, index));
    } while (results.length < items.length && performance.now() < endsAt);
    await nextLoop();
  };
  try {
    while (results.length < items.length) await turns.inTurn({ owner, signal }, work);
  } catch (error) {
    if (!(error instanceof TurnRefused)) throw error;
    throw unavailable('The service is busy right now. Try again in a few seconds.', error);
  }
  return results;
}
