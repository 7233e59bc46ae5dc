import { readSellerDays } from '../billing/seller-days.ts';
import { noSuch, validationFailed } from '../lib/errors.ts';
import { HOUSE, parseId, type Uuid } from '../lib/ids.ts';
import { fromPounds, type Pence } from '../lib/money.ts';
import { parseDay, sellerDay } from '../lib/seller-day.ts';
import type { BooksContext } from './context.ts';

/** The customer of a request. Throws 404 for an id that none can have, that of the shop included. */
export function customerIn(text: string): Uuid {
  const id = parseId('acct', text);
  if (id === undefined || id === HOUSE) throw noSuch('account');
  return id;
}

/** An amount of a request in pence, above zero. Throws 422 at `path`. */
export function amountIn(pounds: number, path: string): Pence {
  const amount = fromPounds(pounds);
  if (amount !== undefined && amount > 0) return amount;
  throw validationFailed([{ path, code: 'decimals', message: 'must be pounds above 0 with at most two decimals.' }]);
}

/**
 * The value day of a request, today by default.
 * A day of the seller that is not to come. Throws 422.
 */
export async function valueDayOf(
  ctx: Pick<BooksContext, 'database' | 'clock' | 'config'>,
  text: string | undefined,
): Promise<string> {
  const today = sellerDay(await readSellerDays(ctx), ctx.clock.now());
  if (text === undefined) return today;
  const day = parseDay(text);
  if (day === undefined) {
    throw validationFailed([{ path: 'value_day', code: 'time', message: 'must be a day such as 2026-11-22.' }]);
  }
  if (day <= today) return day;
  throw validationFailed([{ path: 'value_day', code: 'out_of_bounds', message: `must not be after today, ${today}.` }]);
}
