/** The time that rules are decided by: the database's, so that all nodes agree (domain, "Clock"). */
export type Clock = { readonly now: () => Date };

/**
 * A clock that follows the database. In between it goes by the machine's steady count of milliseconds and not by its time of
 * day, so that a machine whose clock is wrong, or is set while the service runs, decides nothing (bad input N211, N212).
 */
export type DatabaseClock = Clock & {
  /** Milliseconds of the steady count, to measure the database's time against. */
  readonly steadyMs: () => number;
  /** Tells the clock what the database's was at a moment of the steady count. */
  readonly follow: (there: Date, atSteadyMs: number) => void;
};

/** A clock that shows the time of this machine until it is told the database's. */
export function databaseClock(): DatabaseClock {
  const steadyMs = (): number => performance.now();
  let offsetMs = Date.now() - steadyMs();
  return {
    now: () => new Date(Math.floor(steadyMs() + offsetMs)),
    steadyMs,
    follow: (there, atSteadyMs) => {
      offsetMs = there.getTime() - atSteadyMs;
    },
  };
}

/** The time of day of this machine in whole seconds, for a library that goes by it. It decides nothing of ours. */
export function machineSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** ISO 8601, UTC, `Z`, milliseconds (spec 2.1). */
export function isoTime(time: Date): string {
  return time.toISOString();
}

/** The time of a text in the form of `isoTime`, or undefined for one that no calendar has (30 February). */
export function parseTime(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) || time.toISOString() !== text ? undefined : time;
}
