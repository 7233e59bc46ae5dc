import { lockAccount } from '../accounts/lock-account.ts';
import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { readOwnBrand } from './read-brands.ts';
import { archiveBrandRow } from './sql.ts';

/**
 * Archives a brand: it leaves the list, its name is free, and no order can name it any more.
 * Placed orders keep what they were placed with; if it was the default, orders that name none have no brand. A repeat
 * changes nothing. Throws 404.
 */
export async function archiveBrand(
  ctx: Pick<Context, 'database' | 'clock'>,
  caller: Caller,
  brandId: string,
): Promise<void> {
  const { id } = await readOwnBrand(ctx, caller, brandId);
  await ctx.database.transaction(async (tx) => {
    await lockAccount(tx, caller.accountId);
    await archiveBrandRow(tx, caller.accountId, id, ctx.clock.now());
  });
}
