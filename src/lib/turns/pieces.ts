import { setImmediate as nextLoop } from 'node:timers/promises';
import { unavailable } from '../errors.ts';
import type { Asker } from './owner.ts';
import { TurnRefused } from './refusal.ts';
import { createTurns, type Release } from './turns.ts';

/** Work that is done in pieces: between two of them the thread serves what else has arrived. */
export type Pieces = {
  /**
   * Maps a long list in pieces of a few milliseconds, in turn by owner.
   * Throws what `map` throws, and 503 when the caller has gone.
   */
  readonly mapInPieces: <Item, Result>(
    asker: Asker,
    items: readonly Item[],
    map: (item: Item, index: number) => Result,
  ) => Promise<Result[]>;
  /**
   * Does a step that cannot be divided, about a list of so many items, in turn by owner.
   * At once about a short list. Throws as `mapInPieces`.
   */
  readonly asPiece: <Result>(asker: Asker, items: number, step: () => Result) => Promise<Result>;
};

/**
 * How long the thread works on a piece before it serves others.
 * A small request comes back to the thread several times, and may wait for a piece each time.
 */
const PIECE_MS = 2;
/** Fewer items than this are one piece: most lists are. */
const ITEMS_OF_A_PIECE = 50;
const WAITING_MAX = 1_000;
const WAIT_MS = 30_000;

/** Makes the pieces of a process; tests replace the clock. */
export function createPieces(options: { readonly nowMs?: () => number } = {}): Pieces {
  const { nowMs = () => performance.now() } = options;
  const turns = createTurns({
    resource: 'pieces',
    capacity: 1,
    capOfEach: 1,
    reserve: 1,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX,
    waitMs: WAIT_MS,
  });

  /** What was admitted is not refused on the way: without a turn it goes on, unless its caller has gone. */
  const take = async ({ owner, signal }: Asker): Promise<Release | undefined> => {
    try {
      return await turns.take({ owner, signal });
    } catch (error) {
      if (!(error instanceof TurnRefused)) throw error;
      if (error.reason === 'gone') throw unavailable('The client has gone.', error);
      return undefined;
    }
  };
  const inTurn = async <Result>(asker: Asker, step: () => Result): Promise<Result> => {
    const release = await take(asker);
    try {
      const result = step();
      await nextLoop();
      return result;
    } finally {
      release?.();
    }
  };

  return {
    asPiece: async (asker, items, step) => (items <= ITEMS_OF_A_PIECE ? step() : inTurn(asker, step)),
    mapInPieces: async (asker, items, map) => {
      if (items.length <= ITEMS_OF_A_PIECE) return items.map(map);
      const results: ReturnType<typeof map>[] = [];
      const piece = (): void => {
        const endsAt = nowMs() + PIECE_MS;
        do {
          const index = results.length;
          results.push(map(items[index] as (typeof items)[number], index));
        } while (results.length < items.length && nowMs() < endsAt);
      };
      while (results.length < items.length) await inTurn(asker, piece);
      return results;
    },
  };
}

const ownPieces = createPieces();

/** `mapInPieces` of this process. */
export const mapInPieces = ownPieces.mapInPieces;

/** `asPiece` of this process. */
export const asPiece = ownPieces.asPiece;
