import { ApiError } from '../lib/errors.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { isCancellable, type OrderState } from '../orders/status.ts';
import { addressChangeOf, readdress } from './readdress.ts';
import type { ChangeAddressBody } from './schema.ts';

export type ChangeAddressRequest = { readonly id: string; readonly body: ChangeAddressBody; readonly once: Once };

/**
 * Changes the address of an order before it is dispatched (operating, `PATCH /orders/{id}/address`).
 * Changes only the members that were sent, by the rules of `readdress`. Throws 404, 422 for a country that does not
 * exist, and 409 for an order that is dispatched or cancelled.
 */
export async function changeAddress(
  ctx: OrdersContext,
  operator: Operator,
  request: ChangeAddressRequest,
): Promise<OpsOrder> {
  const members = addressChangeOf(request.body);
  const { pricing } = await ctx.prices.latest();
  // Names, not values: what belongs to the recipient stands in the row of the order alone.
  const act = { action: 'change_address', detail: { changed: Object.keys(members) } };
  return operateOn(ctx, operator, request, act, async (tx, order, now) => {
    refuseState(order.state);
    await readdress(tx, ctx.config, order, { members, actor: actorOf(operator), pricing, now });
  });
}

function refuseState(state: OrderState): void {
  if (isCancellable(state)) return;
  throw new ApiError('conflict', `This order is ${state}, so its address can no longer be changed.`);
}
