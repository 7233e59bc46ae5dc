import type { Context } from '../lib/context.ts';
import { type SellerDays, sellerDay, sellerDayBounds } from '../lib/seller-day.ts';
import { findFirstPosting, insertClosedDay } from './books-sql.ts';
import { lockClosing, setClosedUntil } from './days-sql.ts';
import { readSellerDays } from './seller-days.ts';

/**
 * How long after its end a day is closed.
 * A posting has the time at which its use case began, and is visible when it commits: what began before midnight is
 * there long before an hour is over, since a statement takes 15 s at most.
 */
const CLOSES_AFTER_MS = 3_600_000;

/** Days of one round; the next round continues with a backlog. */
const DAYS_MAX = 50;

/**
 * Closes the days of the seller that ended at least an hour ago. Returns how many it closed.
 * Their totals are kept for each account of the ledger, so that reading the books at a time sums a day of postings and
 * not all of them. Each day is a transaction; days without a posting are skipped at once. Any number of nodes may run
 * it, also beside nodes of a version that closes days of UTC.
 */
export async function closeDays(ctx: Pick<Context, 'database' | 'clock' | 'config'>): Promise<number> {
  const days = await readSellerDays(ctx);
  const settled = new Date(ctx.clock.now().getTime() - CLOSES_AFTER_MS);
  const due = sellerDayBounds(days, sellerDay(days, settled)).from;
  for (let closed = 0; closed < DAYS_MAX; closed += 1) {
    if (!(await closeNextDay(ctx, days, due))) return closed;
  }
  return DAYS_MAX;
}

/** Closes the first open day with a posting that ends by `due`; false when there is none. */
async function closeNextDay(ctx: Pick<Context, 'database'>, days: SellerDays, due: Date): Promise<boolean> {
  return ctx.database.transaction(async (tx) => {
    const closedUntil = await lockClosing(tx);
    // Another node closes them, or postings of the past are being written (`holdClosing`).
    if (closedUntil === undefined || closedUntil >= due) return false;
    const first = await findFirstPosting(tx, closedUntil);
    if (first === undefined || first >= due) {
      await setClosedUntil(tx, due);
      return false;
    }
    const { until } = sellerDayBounds(days, sellerDay(days, first));
    await insertClosedDay(tx, { closedUntil, until });
    await setClosedUntil(tx, until);
    return true;
  });
}
