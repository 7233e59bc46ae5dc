import type { Context } from '../lib/context.ts';
import type { SellerDays } from '../lib/seller-day.ts';
import { ConfigError } from '../lib/settings/forms.ts';
import { findSellerDay, recordTimeZone } from './days-sql.ts';

type DaysContext = Pick<Context, 'database' | 'config'>;

/**
 * Where the seller's days begin and end, as the database records it, so that all nodes agree.
 * Before the first start of a service it is the time zone of the settings.
 */
export async function readSellerDays({ database, config }: DaysContext): Promise<SellerDays> {
  const row = await findSellerDay(database);
  if (row === undefined) throw new Error('from when on days are those of the seller stands nowhere');
  return { timeZone: row.time_zone ?? config.seller.timeZone, from: row.begins_at };
}

/**
 * Records the time zone of the settings, before the first request and the first job.
 * Throws a `ConfigError` when days of the books are closed by another one: closed days never change, and two kinds of
 * days would overlap.
 */
export async function agreeOnTimeZone(ctx: DaysContext): Promise<void> {
  const { timeZone: wanted } = ctx.config.seller;
  await recordTimeZone(ctx.database, wanted);
  const { timeZone } = await readSellerDays(ctx);
  if (timeZone === wanted) return;
  throw new ConfigError(
    `SELLER_TIME_ZONE must stay ${timeZone}, by which days of the books are closed already, and is "${wanted}"`,
  );
}
