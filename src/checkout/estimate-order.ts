import type { Caller } from '../lib/caller.ts';
import { publicId } from '../lib/ids.ts';
import type { Estimate } from '../orders/schema.ts';
import { estimateView } from '../orders/view.ts';
import { type BasketRequest, refuseOrderShape } from './basket-request.ts';
import type { CheckoutContext } from './context.ts';
import { gather } from './gather.ts';
import { duplicateReference, fetchBasketArtwork } from './place-order.ts';
import { prepareBasket } from './prepare-basket.ts';
import { priceBasket } from './price-basket.ts';
import { readReplay } from './replay.ts';

/**
 * Prices a basket by the steps of placing one, and keeps nothing.
 * No charge, no row, no stored artwork (spec 4.1). An `external_reference` of another account is refused as placing
 * would refuse it; for one of the caller's own the existing order is named, with a warning if it differs.
 */
export async function estimateOrder(ctx: CheckoutContext, caller: Caller, request: BasketRequest): Promise<Estimate> {
  const { body } = request;
  refuseOrderShape(body);
  const gathered = await gather(ctx, caller.accountId, body);
  const taken = gathered.reference;
  if (taken !== null && taken.account_id !== caller.accountId) throw duplicateReference();
  const prepared = await prepareBasket(ctx, caller.accountId, request, gathered);
  const intake = await fetchBasketArtwork(ctx, caller, prepared, request);
  try {
    const priced = await priceBasket(ctx, caller.accountId, body, prepared, intake);
    const { accountId } = caller;
    const replay = taken && (await readReplay(ctx, ctx.database, { accountId, orderId: taken.order_id, body }));
    return estimateView(ctx, priced.quote, {
      warnings: [...(replay?.warnings ?? []), ...priced.warnings],
      prints: priced.lines.map(({ jobs }) => jobs),
      existing: replay?.order && { id: publicId('ord', replay.order.id), reference: replay.order.reference },
    });
  } finally {
    await intake.discard();
  }
}
