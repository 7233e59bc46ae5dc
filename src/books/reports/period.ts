import { readSellerDays } from '../../billing/seller-days.ts';
import type { Context } from '../../lib/context.ts';
import { type Problem, validationFailed } from '../../lib/errors.ts';
import { type DayBounds, dayAfter, parseDay, sellerDay, sellerDayBounds } from '../../lib/seller-day.ts';

export type ReportContext = Pick<Context, 'database' | 'clock' | 'config'>;

/** Days of the seller from one to another, both included, and the instants between which they lie. */
export type Period = DayBounds & { readonly firstDay: string; readonly lastDay: string };

/** A quarter and a few days: each day of a report is a statement of its own. */
export const PERIOD_DAYS_MAX = 100;

const DAY_MS = 86_400_000;

/** How many days a period has. */
export function daysOf({ firstDay, lastDay }: Pick<Period, 'firstDay' | 'lastDay'>): number {
  return Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1;
}

/** The days of a period, the first first. */
export function listDays(period: Pick<Period, 'firstDay' | 'lastDay'>): string[] {
  const days: string[] = [];
  for (let day = period.firstDay; day <= period.lastDay; day = dayAfter(day)) days.push(day);
  return days;
}

/**
 * A period of a request by its first and last day.
 * Throws 422 for a day that no calendar has or that is to come, for a last day before the first, and for more days than
 * `daysMax`.
 */
export async function periodOf(
  ctx: ReportContext,
  query: { readonly from: string; readonly to: string },
  daysMax = PERIOD_DAYS_MAX,
): Promise<Period> {
  const days = await readSellerDays(ctx);
  const today = sellerDay(days, ctx.clock.now());
  const problems = (['from', 'to'] as const).flatMap((path) => dayProblems(query[path], path, today));
  if (problems.length > 0) throw validationFailed(problems);
  const [firstDay, lastDay] = [query.from, query.to];
  if (firstDay > lastDay) throw outOfBounds('from', 'must not be after to.');
  if (daysOf({ firstDay, lastDay }) > daysMax) throw outOfBounds('to', `must be at most ${daysMax} days from from.`);
  return {
    firstDay,
    lastDay,
    from: sellerDayBounds(days, firstDay).from,
    until: sellerDayBounds(days, lastDay).until,
  };
}

/** A day of a request, today by default, with its instants. Throws 422 as `periodOf`. */
export async function reportDayOf(
  ctx: ReportContext,
  text: string | undefined,
  path = 'day',
): Promise<DayBounds & { readonly day: string }> {
  const days = await readSellerDays(ctx);
  const today = sellerDay(days, ctx.clock.now());
  const problems = text === undefined ? [] : dayProblems(text, path, today);
  if (problems.length > 0) throw validationFailed(problems);
  const day = text ?? today;
  return { day, ...sellerDayBounds(days, day) };
}

function dayProblems(text: string, path: string, today: string): Problem[] {
  if (parseDay(text) === undefined) return [{ path, code: 'time', message: `There is no such day as ${text}.` }];
  return text <= today ? [] : [{ path, code: 'out_of_bounds', message: `must not be after today, ${today}.` }];
}

function outOfBounds(path: string, message: string): Error {
  return validationFailed([{ path, code: 'out_of_bounds', message }]);
}

/** The last millisecond before an instant: postings have whole milliseconds. */
export function justBefore(instant: Date): Date {
  return new Date(instant.getTime() - 1);
}
