/** Numbers that look random and are the same each time, so that demo data can be compared. */
export type Dice = {
  /** A whole number from `low` to `high`, both included. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  /** True so many times in a hundred. */
  readonly percent: (chance: number) => boolean;
};

/** Makes the dice of a seed (mulberry32). */
export function rollDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    pick: (from) => {
      const chosen = from[between(0, from.length - 1)];
      if (chosen === undefined) throw new Error('there is nothing to pick from');
      return chosen;
    },
    percent: (chance) => next() * 100 < chance,
  };
}
