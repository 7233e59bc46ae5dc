import type { Context } from '../lib/context.ts';
import type { Uuid } from '../lib/ids.ts';
import { findProduct, type ProductRow, readOfferedSkus } from './sql.ts';

/** A product of an account as a shop is to have it, archived ones included. */
export async function readProductForShop(
  ctx: Pick<Context, 'database'>,
  accountId: Uuid,
  id: Uuid,
): Promise<ProductRow | undefined> {
  return findProduct(ctx.database, accountId, id);
}

/** The variants of products of an account that can be ordered, by the product. */
export async function readOfferedVariants(
  ctx: Pick<Context, 'database'>,
  accountId: Uuid,
  ids: readonly Uuid[],
): Promise<{ product_id: Uuid; sku: string }[]> {
  return readOfferedSkus(ctx.database, accountId, ids);
}
