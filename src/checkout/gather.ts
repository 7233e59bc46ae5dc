import type { Uuid } from '../lib/ids.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { productIdsOf } from './basket.ts';
import { type GatheredRow, gatherForBasket } from './place-sql.ts';

/** What the database said of a basket, and whether it knew every product that the basket names. */
export type Gathered = { readonly row: GatheredRow; readonly allProductsNamed: boolean };

/** Reads what the basket hangs on, the external reference first of all: one round trip. */
export async function gather(ctx: PaymentsContext, accountId: Uuid, body: PlaceOrderBody): Promise<Gathered> {
  const productIds = productIdsOf(body.items);
  const row = await gatherForBasket(ctx.database, {
    accountId,
    externalReference: body.external_reference ?? null,
    productIds: productIds ?? [],
    skus: [...new Set(body.items.map((item) => item.variant_sku))],
  });
  return { row, allProductsNamed: productIds !== undefined && row.products.length === productIds.length };
}
