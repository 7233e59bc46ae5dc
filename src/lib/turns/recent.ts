import type { Owner } from './owner.ts';

/** An owner is alone when no other has come for so long. */
export const ALONE_MS = 10_000;

/** Remembers the two owners that came last, which is enough to know whether an owner is alone. */
export function createRecent(nowMs: () => number): {
  readonly note: (owner: Owner) => void;
  readonly isAlone: (owner: Owner) => boolean;
} {
  let last: Owner | undefined;
  let lastOtherMs = Number.NEGATIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    note: (owner: Owner): void => {
      if (owner !== last) {
        if (last !== undefined) lastOtherMs = lastMs;
        last = owner;
      }
      lastMs = nowMs();
    },
    isAlone: (owner: Owner): boolean => nowMs() - (owner === last ? lastOtherMs : lastMs) > ALONE_MS,
  };
}
