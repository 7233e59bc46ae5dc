/** How fast a queue goes on: how long it has lasted, and the usual time from one turn to the next. */
export type Pace = {
  /** The first task waits. */
  readonly begin: () => void;
  /** One that waited is served. */
  readonly served: () => void;
  /** None waits any more. */
  readonly end: () => void;
  /** How long tasks have waited without a break; 0 when none waits. */
  readonly lastsMs: () => number;
  /** The mean time from one turn to the next. */
  readonly intervalMs: () => number;
  /**
   * How long ago the last turn was, or the queue began.
   * A queue that stands still is slower than its mean.
   */
  readonly stillMs: () => number;
};

/** The share of the newest interval in the mean: about the last 30 turns count. */
const NEWEST = 1 / 15;

/** Starts with no queue; until the first turns are known, nothing looks late. */
export function createPace(nowMs: () => number): Pace {
  let beganMs: number | undefined;
  let servedMs = 0;
  let meanMs = 0;
  return {
    begin: () => {
      beganMs = nowMs();
      servedMs = beganMs;
    },
    served: () => {
      const now = nowMs();
      meanMs += (now - servedMs - meanMs) * NEWEST;
      servedMs = now;
    },
    end: () => {
      beganMs = undefined;
    },
    lastsMs: () => (beganMs === undefined ? 0 : nowMs() - beganMs),
    intervalMs: () => meanMs,
    stillMs: () => (beganMs === undefined ? 0 : nowMs() - servedMs),
  };
}
