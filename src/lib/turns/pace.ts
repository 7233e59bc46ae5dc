/** How fast a queue goes on: how long it has lasted, and the usual time from one turn to the next. */
export type Pace = {
  /** The first task waits. */
  readonly begin: () => void;
  /** One that waited is served. */
  readonly served: () => void;
  /** None waits any more. */
  readonly end: () => void;
  /**
   * How long tasks have waited of late: the time in which some waited, less the time in which none did.
   * Not reset by a break: an overload whose queue is empty for a moment is still one, and not a new burst.
   */
  readonly lastsMs: () => number;
  /** One was refused because its wait would have been too long. */
  readonly refused: () => void;
  /** Whether one was refused of late. */
  readonly isOverload: () => boolean;
  /** The mean time from one turn to the next. */
  readonly intervalMs: () => number;
  /**
   * How long ago the last turn was, or the queue began.
   * A queue that stands still is slower than its mean.
   */
  readonly stillMs: () => number;
};

/** The share of the newest interval in the mean: about the last 60 turns count. */
const NEWEST = 1 / 30;
/** The most that is remembered, and so the time after which the longest overload is forgotten. */
const REMEMBERED_MS_MAX = 2_000;

/** Starts with no queue; until the first turns are known, nothing looks late. */
export function createPace(nowMs: () => number): Pace {
  /** What `lastsMs` was when tasks began or ceased to wait. */
  let lastedMs = 0;
  let changedMs = nowMs();
  let isWaiting = false;
  let servedMs = 0;
  let meanMs = 0;
  let refusedMs = Number.NEGATIVE_INFINITY;
  const lastsMs = (): number => {
    const sinceMs = nowMs() - changedMs;
    return isWaiting ? Math.min(REMEMBERED_MS_MAX, lastedMs + sinceMs) : Math.max(0, lastedMs - sinceMs);
  };
  const change = (waits: boolean): void => {
    lastedMs = lastsMs();
    changedMs = nowMs();
    isWaiting = waits;
  };
  return {
    begin: () => {
      change(true);
      servedMs = nowMs();
    },
    served: () => {
      const now = nowMs();
      meanMs += (now - servedMs - meanMs) * NEWEST;
      servedMs = now;
    },
    end: () => change(false),
    lastsMs,
    refused: () => {
      refusedMs = nowMs();
    },
    isOverload: () => nowMs() - refusedMs < REMEMBERED_MS_MAX,
    intervalMs: () => meanMs,
    stillMs: () => (isWaiting ? nowMs() - servedMs : 0),
  };
}
