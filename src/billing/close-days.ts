import type { Context } from '../lib/context.ts';
import { findFirstPosting, insertLedgerDay, lockClosing, midnightBefore, setClosedUntil } from './books-sql.ts';

/**
 * How long after its end a day is closed.
 * A posting has the time at which its use case began, and is visible when it commits: what began before midnight is
 * there long before an hour is over, since a statement takes 15 s at most.
 */
const CLOSES_AFTER_MS = 3_600_000;

/** Days of one round; the next round continues with a backlog. */
const DAYS_MAX = 50;

const DAY_MS = 86_400_000;

/**
 * Closes the days (UTC) that ended at least an hour ago. Returns how many it closed.
 * Their totals are kept for each account of the ledger, so that reading the books at a time sums a day of postings and
 * not all of them. Each day is a transaction; days without a posting are skipped at once. Any number of nodes may run
 * it.
 */
export async function closeDays(ctx: Pick<Context, 'database' | 'clock'>): Promise<number> {
  const due = midnightBefore(new Date(ctx.clock.now().getTime() - CLOSES_AFTER_MS));
  for (let closed = 0; closed < DAYS_MAX; closed += 1) {
    if (!(await closeNextDay(ctx, due))) return closed;
  }
  return DAYS_MAX;
}

/** Closes the first open day with a posting that ends by `due`; false when there is none. */
async function closeNextDay(ctx: Pick<Context, 'database'>, due: Date): Promise<boolean> {
  return ctx.database.transaction(async (tx) => {
    const closedUntil = await lockClosing(tx);
    if (closedUntil >= due) return false;
    const first = await findFirstPosting(tx, closedUntil);
    if (first === undefined || first >= due) {
      await setClosedUntil(tx, due);
      return false;
    }
    const from = midnightBefore(first);
    const until = new Date(from.getTime() + DAY_MS);
    await insertLedgerDay(tx, { from, until });
    await setClosedUntil(tx, until);
    return true;
  });
}
