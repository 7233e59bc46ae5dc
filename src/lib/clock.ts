/** The time that rules are decided by: the database's, so that all nodes agree (domain, "Clock"). */
export type Clock = { readonly now: () => Date };

/**
 * A clock that follows the database.
 * Between measurements it uses the machine's monotonic clock and not its time of day, so that a
 * machine whose clock is wrong, or is set while the service runs, decides nothing (bad input N211,
 * N212).
 */
export type DatabaseClock = Clock & {
  /** Monotonic milliseconds, to measure the database's time against. */
  readonly steadyMs: () => number;
  /** Sets the clock to the database's time at a moment of the monotonic clock. */
  readonly follow: (there: Date, atSteadyMs: number) => void;
};

/** A clock that shows the time of this machine until its first measurement of the database's. */
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

/**
 * The time of day of this machine in whole seconds, for a library that needs it.
 * No rule of ours uses it.
 */
export function machineSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));
let writtenDay = Number.NaN;
let writtenDate = '';

/** ISO 8601, UTC, `Z`, milliseconds (spec 2.1). Throws for a time that is none. */
export function isoTime(time: Date): string {
  const ms = time.getTime();
  const day = Math.floor(ms / DAY_MS);
  // A page of orders has some two hundred times, most of them of one day (docs/decisions/0080).
  if (day !== writtenDay) {
    writtenDate = time.toISOString().slice(0, -'00:00:00.000Z'.length);
    writtenDay = day;
  }
  const ofDay = ms - day * DAY_MS;
  const [hours, minutes, seconds] = [ofDay / 3_600_000, (ofDay / 60_000) % 60, (ofDay / 1_000) % 60];
  const hundredths = TWO_DIGITS[Math.trunc((ofDay % 1_000) / 10)];
  return `${writtenDate}${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(seconds)}.${hundredths}${ofDay % 10}Z`;
}

function twoDigits(value: number): string {
  return TWO_DIGITS[Math.trunc(value)] ?? '';
}

/** Parses the form of `isoTime`; undefined for a day that no calendar has (30 February). */
export function parseTime(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) || time.toISOString() !== text ? undefined : time;
}
