import { readSellerDays } from '../../billing/seller-days.ts';
import type { Context } from '../../lib/context.ts';
import { validationFailed } from '../../lib/errors.ts';
import { parseDay, type SellerDays, sellerDay, sellerDayBounds } from '../../lib/seller-day.ts';

/** A month of the seller: its days, and the instants between which they lie. */
export type Month = {
  /** `2026-10` */
  readonly name: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly from: Date;
  readonly until: Date;
  readonly isOver: boolean;
  readonly days: SellerDays;
};

/**
 * A month by the days of the seller, as documents are dated.
 * Throws 422 for one that no calendar has, and for one that has not begun.
 */
export async function readMonth(ctx: Pick<Context, 'database' | 'config' | 'clock'>, name: string): Promise<Month> {
  const firstDay = parseDay(`${name}-01`);
  if (firstDay === undefined) {
    throw validationFailed([{ path: 'month', code: 'time', message: `There is no such month as ${name}.` }]);
  }
  const days = await readSellerDays(ctx);
  const now = ctx.clock.now();
  const current = monthOf(days, now);
  if (name > current) {
    throw validationFailed([{ path: 'month', code: 'out_of_bounds', message: `must not be later than ${current}.` }]);
  }
  const lastDay = lastDayOf(name);
  const { from } = sellerDayBounds(days, firstDay);
  const { until } = sellerDayBounds(days, lastDay);
  return { name, firstDay, lastDay, from, until, isOver: now >= until, days };
}

/** The seller's month of an instant. */
export function monthOf(days: SellerDays, instant: Date): string {
  return sellerDay(days, instant).slice(0, 7);
}

/** The month before a month. */
export function previousMonth(name: string): string {
  const [year = 0, month = 0] = name.split('-').map(Number);
  return month > 1 ? `${name.slice(0, 5)}${twoDigits(month - 1)}` : `${String(year - 1).padStart(4, '0')}-12`;
}

/** The days of a month, in their order. */
export function daysOfMonth({ name, lastDay }: Pick<Month, 'name' | 'lastDay'>): string[] {
  return Array.from({ length: Number(lastDay.slice(8)) }, (_, at) => `${name}-${twoDigits(at + 1)}`);
}

function lastDayOf(name: string): string {
  const [year = 0, month = 0] = name.split('-').map(Number);
  // The day before the first of the next month.
  return `${name}-${twoDigits(new Date(Date.UTC(year, month, 0)).getUTCDate())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
