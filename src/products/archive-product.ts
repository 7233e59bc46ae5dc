import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { archiveProductRow } from './sql.ts';

/**
 * Archives a product, fixed or personalised (spec 3.3, 4.4).
 * Its record stays for placed orders, but it is no longer listed, edited or ordered. Idempotent. Throws 404 when it is
 * not the account's.
 */
export async function archiveProduct(
  ctx: Pick<Context, 'database' | 'clock'>,
  caller: Caller,
  publicProductId: string,
): Promise<void> {
  const id = parseId('prod', publicProductId);
  if (id === undefined || !(await archiveProductRow(ctx.database, caller.accountId, id, ctx.clock.now()))) {
    throw notFound();
  }
}
