/** Draws that hang on a seed alone. */
export type Random = {
  /** A whole number from `from` to `to`, both inclusive. */
  readonly between: (from: number, to: number) => number;
  readonly chance: (share: number) => boolean;
  /** One of a list; throws for an empty one. */
  readonly pick: <T>(list: readonly T[]) => T;
  /** One of a list by weight. */
  readonly weighted: <T extends { readonly weight: number }>(list: readonly T[]) => T;
};

/** Makes the draws of a seed (mulberry32): the same seed, the same draws, on every machine. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const draw = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(list: readonly T[]): T => {
    const at = Math.floor(draw() * list.length);
    if (at >= list.length) throw new Error('nothing to pick from');
    return list[at] as T;
  };
  return {
    between: (from, to) => from + Math.floor(draw() * (to - from + 1)),
    chance: (share) => draw() < share,
    pick,
    weighted: (list) => {
      let left = draw() * list.reduce((sum, { weight }) => sum + weight, 0);
      for (const entry of list) {
        left -= entry.weight;
        if (left < 0) return entry;
      }
      return pick(list);
    },
  };
}
