import type { Uuid } from '../lib/ids.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { productIdsOf } from './basket.ts';
import { type GatheredRow, gatherForBasket } from './place-sql.ts';

/** What was read for a basket, and whether every product that it names was found. */
export type Gathered = { readonly row: GatheredRow; readonly allProductsNamed: boolean };

/** Reads everything that the basket depends on, the external reference included, in one round trip. */
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
