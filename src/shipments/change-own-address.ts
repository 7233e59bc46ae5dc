import type { Caller } from '../lib/caller.ts';
import { isoTime } from '../lib/clock.ts';
import { ApiError } from '../lib/errors.ts';
import type { OrdersContext } from '../orders/context.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { getOrder } from '../orders/read-orders.ts';
import { lockOwnOrder, ownOrderId } from '../orders/reading/own-order.ts';
import type { Order } from '../orders/schema.ts';
import { isCancellable, isWindowOpen } from '../orders/status.ts';
import { addressChangeOf, readdress } from './readdress.ts';
import type { ChangeAddressBody } from './schema.ts';

/**
 * Changes the address of the caller's order by `readdress`: in the window, or until it is made.
 * Locks the order, as promotion and shipping do: whichever comes first is whole before the other looks. Throws 404 for
 * an unknown order and another account's, 409 `conflict` once it is dispatched, cancelled or erased, 409
 * `cancellation_window_closed` after the window.
 */
export async function changeOwnAddress(
  ctx: OrdersContext,
  caller: Caller,
  idOrReference: string,
  body: ChangeAddressBody,
  until: 'window ends' | 'it is made' = 'window ends',
): Promise<Order> {
  const members = addressChangeOf(body);
  const id = await ownOrderId(ctx, caller, idOrReference);
  const { pricing } = await ctx.prices.latest();
  await ctx.database.transaction(async (tx) => {
    const order = await lockOwnOrder(tx, caller, id);
    // Read after the lock: a call that waited for it must not be dated before the one that had it.
    const now = ctx.clock.now();
    refuseLate(order, until, now);
    await readdress(tx, ctx.config, order, { members, actor: 'customer', pricing, now });
  });
  return getOrder(ctx, caller, idOrReference);
}

function refuseLate(order: LockedOrder, until: 'window ends' | 'it is made', now: Date): void {
  if (!isCancellable(order.state)) {
    throw new ApiError('conflict', `This order is ${order.state}, so its address can no longer be changed.`);
  }
  if (order.erased_at !== null) {
    throw new ApiError('conflict', 'The personal data of this order is erased, so it has no address to change.');
  }
  if (isWindowOpen(order.cancellable_until, now)) return;
  if (until === 'it is made' && order.state !== 'in_production') return;
  throw new ApiError(
    'cancellation_window_closed',
    `The address of this order could be changed until ${isoTime(order.cancellable_until)}. Contact support.`,
    { extras: { placed_at: isoTime(order.placed_at), cancellable_until: isoTime(order.cancellable_until) } },
  );
}
