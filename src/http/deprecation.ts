import type { Deprecation } from '../lib/route.ts';

/** What is announced to end works for at least this long after it was deprecated. */
const MONTHS_MIN = 12;

/**
 * The headers of each answer of a deprecated operation, refusals included; none for another operation.
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a link to the page that says what to use instead. Throws when an
 * operation would end too early.
 */
export function deprecationHeaders(deprecated: Deprecation | undefined): Readonly<Record<string, string>> {
  if (deprecated === undefined) return {};
  const since = startOf(deprecated.since);
  const headers = { deprecation: `@${since.getTime() / 1000}`, link: '</docs>; rel="deprecation"; type="text/html"' };
  if (deprecated.sunset === undefined) return headers;
  const sunset = startOf(deprecated.sunset);
  const earliest = startOf(deprecated.since);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_MIN);
  if (sunset < earliest) {
    throw new Error(`what is deprecated since ${deprecated.since} must work for ${MONTHS_MIN} months more`);
  }
  return { ...headers, sunset: sunset.toUTCString() };
}

function startOf(day: string): Date {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day) throw new Error(`${day} is not a day`);
  return date;
}
