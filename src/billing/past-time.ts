import { isoTime, parseTime } from '../lib/clock.ts';
import { validationFailed } from '../lib/errors.ts';
import { parseDay, type SellerDays, sellerDayBounds } from '../lib/seller-day.ts';

/**
 * The time in a query parameter; `now` when it is left out.
 * Throws 422 at `path` for a time that no calendar has or that is in the future.
 */
export function pastTime(text: string | undefined, now: Date, path: string): Date {
  if (text === undefined) return now;
  const at = parseTime(text);
  if (at === undefined) throw validationFailed([{ path, code: 'time', message: `There is no such time as ${text}.` }]);
  if (at <= now) return at;
  throw validationFailed([{ path, code: 'out_of_bounds', message: 'This time is still to come.' }]);
}

/** As `pastTime`; a day of the seller is the last moment before it, so that the day lies after. */
export function pastTimeOrDayBegin(text: string, now: Date, path: string, days: SellerDays): Date {
  const day = parseDay(text);
  if (day === undefined) return pastTime(text, now, path);
  return pastTime(isoTime(new Date(sellerDayBounds(days, day).from.getTime() - 1)), now, path);
}

/** As `pastTime`; a day of the seller is its last moment, and `now` while it lasts. */
export function pastTimeOrDayEnd(text: string | undefined, now: Date, path: string, days: SellerDays): Date {
  const day = text === undefined ? undefined : parseDay(text);
  if (day === undefined) return pastTime(text, now, path);
  const { from, until } = sellerDayBounds(days, day);
  return from <= now && now < until ? now : pastTime(isoTime(new Date(until.getTime() - 1)), now, path);
}
