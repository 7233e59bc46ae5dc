/** The time that rules are decided by: the database's, so that all nodes agree (domain, "Clock"). */
export type Clock = { readonly now: () => Date };

/** A clock that follows the database: local time plus an offset that is measured at connect and refreshed. */
export type DatabaseClock = Clock & { readonly setOffsetMs: (offsetMs: number) => void };

/** A clock that shows the time of this machine until it is told how far the database's is from it. */
export function databaseClock(): DatabaseClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    setOffsetMs: (measuredMs) => {
      offsetMs = Math.round(measuredMs);
    },
  };
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
