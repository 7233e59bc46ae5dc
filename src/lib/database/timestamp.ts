import pg from 'pg';

const parseAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date | number;

/** The length of a time without a part of a second, and of one with three digits of it. */
const WHOLE = '2026-11-27 09:30:00+00'.length;
const TO_THE_MS = '2026-11-27 09:30:00.123+00'.length;

/**
 * Reads a time as a session of ours writes it, in UTC: `2026-11-27 09:30:00.123456+00`.
 * What is below a millisecond is cut off. Any other form is left to the library, which takes three times as long.
 */
export function parseTimestamp(text: string): Date | number {
  const isUtc = text.endsWith('+00') && text[0] !== '0' && text[4] === '-' && text[10] === ' ';
  if (!isUtc || (text.length !== WHOLE && text.length < TO_THE_MS)) return parseAny(text);
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const ms = text.length === WHOLE ? 0 : twoDigits(text, 20) * 10 + digit(text, 22);
  const [hours, minutes, seconds] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  return new Date(Date.UTC(year, twoDigits(text, 5) - 1, twoDigits(text, 8), hours, minutes, seconds, ms));
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO;
}

const ZERO = '0'.charCodeAt(0);
