import type { Handler } from './stranger.ts';

// Knobs that the doubles of shops share: a clock that is off, and an answer that never ends.

/** The clock of a shop: what it writes into orders, and into the headers of its answers. */
export type ShopClock = {
  readonly now: () => Date;
  /** As the header `Date` has it. */
  readonly header: () => string;
  /** It is off by so much from now on; ahead where this is positive. */
  readonly setSkew: (skewMs: number) => void;
};

/** A clock that is right by another until it is set. */
export function openShopClock(right: () => Date): ShopClock {
  let skewMs = 0;
  const now = (): Date => new Date(right().getTime() + skewMs);
  return {
    now,
    header: () => now().toUTCString(),
    setSkew: (ms) => {
      skewMs = ms;
    },
  };
}

/** An answer of a shop that comes a character at a time and has no end. */
export type SlowDrip = {
  readonly handler: Handler;
  /** How long each that is over took until its reader cut it off, in ms. */
  readonly cutAfterMs: readonly number[];
};

const DRIP_EVERY_MS = 250;

/** A slow drip; it begins as an answer that is right would. */
export function openSlowDrip(): SlowDrip {
  const cutAfterMs: number[] = [];
  return {
    cutAfterMs,
    handler: (_hit, response) => {
      const startedMs = performance.now();
      response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
      response.write('[');
      const timer = setInterval(() => response.write(' '), DRIP_EVERY_MS);
      response.once('close', () => {
        clearInterval(timer);
        cutAfterMs.push(performance.now() - startedMs);
      });
    },
  };
}
