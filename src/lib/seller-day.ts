/**
 * Where the seller's days begin and end.
 * Until `from`, a midnight UTC, days are those of UTC. Then they are those of `timeZone`, a name of the IANA database.
 */
export type SellerDays = { readonly timeZone: string; readonly from: Date };

/** The instants between which a day lies: `until` is the beginning of the next day. */
export type DayBounds = { readonly from: Date; readonly until: Date };

const DAY_MS = 86_400_000;
const QUARTER_HOUR_MS = 900_000;

/** A clock is at most 14 hours ahead of UTC and 12 behind it. */
const AHEAD_MAX_MS = 14 * 3_600_000;
const BEHIND_MAX_MS = 12 * 3_600_000;

/**
 * The seller's day of an instant, `2026-11-22`.
 * The day that begins at the change to the time zone is the one of UTC. So no day comes twice, also west of Greenwich,
 * where it is still the day before.
 */
export function sellerDay(days: SellerDays, instant: Date): string {
  const ofUtc = instant.toISOString().slice(0, 10);
  if (instant < days.from) return ofUtc;
  const first = days.from.toISOString().slice(0, 10);
  const own = localDay(days.timeZone, instant);
  return own < first ? first : own;
}

/**
 * The beginning and the end of a day of the seller, 23 hours apart when the clocks go forward.
 * The end of a day is the beginning of the next. Takes a day that `parseDay` returned.
 */
export function sellerDayBounds(days: SellerDays, day: string): DayBounds {
  return { from: beginningOf(days, day), until: beginningOf(days, dayAfter(day)) };
}

/** The day after a day. */
export function dayAfter(day: string): string {
  return daysAfter(day, 1);
}

/** The day so many days after a day. */
export function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** A day of the calendar up to 9998 in the form `2026-11-22`; undefined for any other text. */
export function parseDay(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '0001-01-01' || text > '9998-12-31') return undefined;
  const begin = new Date(text);
  return Number.isNaN(begin.getTime()) || begin.toISOString().slice(0, 10) !== text ? undefined : text;
}

/** The name of a time zone as Node.js spells it; undefined for one that it does not know. */
export function parseTimeZone(text: string): string | undefined {
  // An offset such as +01:00 is a fixed one, with no change of the clocks.
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function beginningOf({ timeZone, from }: SellerDays, day: string): Date {
  const midnightUtc = Date.parse(day);
  if (midnightUtc <= from.getTime()) return new Date(midnightUtc);
  // The first instant whose local day is this one or later. Clocks are set by whole quarters of an hour; a day that
  // has no midnight begins later.
  let low = Math.max(midnightUtc - AHEAD_MAX_MS, from.getTime());
  let high = midnightUtc + BEHIND_MAX_MS;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2 / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
    if (localDay(timeZone, new Date(middle)) >= day) high = middle;
    else low = middle + QUARTER_HOUR_MS;
  }
  return new Date(low);
}

/** The days of the quarters of an hour that were asked for lately, in which no clock is set. */
type Known = { readonly format: Intl.DateTimeFormat; readonly days: Map<number, string> };
const KNOWN = new Map<string, Known>();
const KNOWN_MAX = 4_000;

/** A page of orders asks for a day of each, which takes ten microseconds to write. */
function localDay(timeZone: string, instant: Date): string {
  const { format, days } = knownOf(timeZone);
  const quarter = Math.floor(instant.getTime() / QUARTER_HOUR_MS);
  const known = days.get(quarter);
  if (known !== undefined) return known;
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const day = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  if (days.size >= KNOWN_MAX) days.clear();
  days.set(quarter, day);
  return day;
}

function knownOf(timeZone: string): Known {
  let known = KNOWN.get(timeZone);
  if (known === undefined) {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    known = { format, days: new Map() };
    KNOWN.set(timeZone, known);
  }
  return known;
}
