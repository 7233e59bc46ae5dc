import type { Context } from '../../lib/context.ts';
import { AT_ONCE, every, type Worker } from '../../lib/every.ts';
import type { Uuid } from '../../lib/ids.ts';
import { HOME_TERRITORIES, type Territory, territoryOf } from '../../pricing/territory.ts';
import {
  advanceExports,
  findPaidExports,
  lockExports,
  type PaidRow,
  refreshExports,
  watchExports,
} from './exports-sql.ts';

type WatchContext = Pick<Context, 'database' | 'clock'>;

/** A statement that pays an order takes 15 s at most: what is younger is left for a later round. */
const SETTLED_AFTER_MS = 60_000;
const POLL_MS = 300_000;

/**
 * Finds orders that were zero-rated because they leave the country, and looks at their evidence.
 * In short transactions, of which one runs at a time however many nodes there are. Returns whether more is left to
 * find.
 */
export async function lookAtExports(ctx: WatchContext): Promise<boolean> {
  const found = await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    const row = await lockExports(tx, now);
    if (row === undefined) return 'busy';
    const before = new Date(now.getTime() - SETTLED_AFTER_MS);
    const { rows, isEnd } = await findPaidExports(tx, { before, place: row.place });
    await watchExports(tx, rows.filter(isZeroRatedExport));
    const last = rows.at(-1);
    const place = last === undefined ? null : `${last.paid_at_text}|${last.id}`;
    await advanceExports(tx, { place, completedAt: isEnd ? now : null });
    return isEnd ? 'all' : 'more';
  });
  if (found !== 'all') return found === 'more';
  for (let after: Uuid | undefined, isLast = false; !isLast; ) {
    const from = after;
    after = await ctx.database.transaction((tx) => refreshExports(tx, from));
    isLast = after === undefined;
  }
  return false;
}

/** No VAT because of where it goes, and not because the seller was not registered. */
function isZeroRatedExport(order: PaidRow): boolean {
  return !order.is_unregistered && !HOME_TERRITORIES.includes(territoryOfOrder(order));
}

/** What an order was charged by; by its address where an earlier version has placed it. */
export function territoryOfOrder(order: Pick<PaidRow, 'vat_territory' | 'country_code' | 'postcode'>): Territory {
  return order.vat_territory ?? territoryOf({ countryCode: order.country_code, postcode: order.postcode });
}

/** Starts the worker that watches exports until their evidence is complete. */
export function startExportWatch(ctx: WatchContext & Pick<Context, 'log'>): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    firstMs: SETTLED_AFTER_MS,
    failed: 'the evidence of exports could not be looked at',
    run: async () => ((await lookAtExports(ctx)) ? AT_ONCE : undefined),
  });
}
