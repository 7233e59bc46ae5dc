import type { Caller } from '../lib/caller.ts';
import { isoTime } from '../lib/clock.ts';
import { ApiError, notFound } from '../lib/errors.ts';
import { type LockedOrder, lockOrder } from '../orders/move-sql.ts';
import { findOrderById } from '../orders/read-sql.ts';
import { ownOrderId } from '../orders/reading/own-order.ts';
import { isWindowOpen } from '../orders/status.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { resolveCharge } from '../payments/resolve-attempt.ts';
import { cancelWhole, FULL_CREDIT } from './cancel-whole.ts';
import type { Cancellation } from './schema.ts';
import { cancellationView } from './view.ts';

/**
 * Cancels an order within its window and refunds it in full (spec 4.1, `POST /orders/{id}/cancel`).
 * Refund, cancel, history and event are one transaction, the refund first: a crash at any instruction leaves all of
 * it or nothing, and a refund that fails leaves the order as it was (502). A repeat gets the same answer with
 * `already_cancelled`. Inside the window a cancel wins against promotion and start, whichever came first: allocated
 * stock is released, and pieces that were started leave a task for the operators.
 *
 * Locks the order, then the setup rights that it relied on, the stock, and the balance last. Throws 404 for an
 * unknown order and another account's, 409 `conflict` once it is dispatched, 409 `cancellation_window_closed` after
 * the window.
 */
export async function cancelOrder(app: PaymentsContext, caller: Caller, idOrReference: string): Promise<Cancellation> {
  // A cancel ends work and refunds money, so it does not queue behind the work that it may end.
  const ctx = { ...app, database: app.database.priority };
  const { accountId } = caller;
  const id = await ownOrderId(ctx, caller, idOrReference);
  if (id === undefined) throw notFound();
  // The time that the provider takes to answer does not count against the customer.
  const askedAt = ctx.clock.now();
  await resolveCharge(ctx, accountId, id, (order) => refuseLate(order, askedAt));
  const { isRepeat } = await ctx.database.transaction(async (tx) => {
    const order = await lockOrder(tx, accountId, id);
    if (order === undefined) throw notFound();
    if (order.state === 'cancelled') return { isRepeat: true };
    refuseLate(order, askedAt);
    // Read after the lock: a call that waited for it must not be dated before the one that had it.
    const now = ctx.clock.now();
    const by = { cancelledBy: 'api', actor: 'customer', reason: '', credit: FULL_CREDIT } as const;
    await cancelWhole(tx, ctx, order, by, now);
    return { isRepeat: false };
  });
  if (!isRepeat) ctx.wakeDeliveries();
  const cancelled = await findOrderById(ctx.database, accountId, id);
  if (cancelled === undefined) throw new Error('an order that was cancelled is gone');
  return cancellationView(cancelled, isRepeat);
}

/**
 * Refuses an order that its customer cannot cancel any more.
 * In the order of the decisions: dispatched or delivered first, then the window.
 * The window's last millisecond still counts.
 */
export function refuseLate(order: Pick<LockedOrder, 'state' | 'placed_at' | 'cancellable_until'>, now: Date): void {
  if (order.state === 'dispatched' || order.state === 'delivered') {
    throw new ApiError(
      'conflict',
      'This order has been dispatched and can no longer be cancelled. If something is wrong with it, report a problem: POST /orders/{id}/problems.',
    );
  }
  if (isWindowOpen(order.cancellable_until, now)) return;
  throw new ApiError(
    'cancellation_window_closed',
    `This order could be cancelled until ${isoTime(order.cancellable_until)}. Ask the shop to: POST /orders/{id}/cancellation-request.`,
    { extras: { placed_at: isoTime(order.placed_at), cancellable_until: isoTime(order.cancellable_until) } },
  );
}
