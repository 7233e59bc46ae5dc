import type { Uuid } from '../lib/ids.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { productIdsOf } from './basket.ts';
import { type GatheredRow, gatherForBasket } from './place-sql.ts';

/**
 * Reads everything that the basket depends on, the external reference included, in one round trip.
 * A product that is unknown, or of another account, is not among the products of the answer.
 */
export async function gather(ctx: PaymentsContext, accountId: Uuid, body: PlaceOrderBody): Promise<GatheredRow> {
  return gatherForBasket(ctx.database, {
    accountId,
    externalReference: body.external_reference ?? null,
    productIds: productIdsOf(body.items),
    skus: [...new Set(body.items.map((item) => item.variant_sku))],
  });
}
