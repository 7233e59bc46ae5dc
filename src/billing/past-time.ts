import { parseTime } from '../lib/clock.ts';
import { validationFailed } from '../lib/errors.ts';

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
