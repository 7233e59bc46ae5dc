import type { Caller } from '../lib/caller.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { lockOwnOrder, ownOrderId } from '../orders/reading/own-order.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { cancelLocked } from './cancel-by-ops.ts';
import { refuseLate } from './cancel-order.ts';
import { readSoldOrder } from './refund-order.ts';

/**
 * Cancels pieces of the caller's order within its window, and gives back what they cost.
 * It is said how many pieces of a line are to stay, so that a repeat changes nothing. Throws 404 for an unknown order
 * and another account's; 422 for a line of which more than that has shipped; 409 once the order is dispatched, after
 * the window, and for an order that is cancelled or not paid for.
 */
export async function cancelOwnPieces(
  app: PaymentsContext,
  caller: Caller,
  idOrReference: string,
  request: {
    /** How many pieces stay, by the line; of the lines that are not named all do. */
    readonly kept: ReadonlyMap<Uuid, number>;
    readonly reason: string;
  },
): Promise<void> {
  // As a cancel of the whole: it ends work.
  const ctx = { ...app, database: app.database.priority };
  const id = await ownOrderId(ctx, caller, idOrReference);
  const isChanged = await ctx.database.transaction(async (tx) => {
    const order = await lockOwnOrder(tx, caller, id);
    // Read after the lock: a call that waited for it must not be dated before the one that had it.
    const now = ctx.clock.now();
    const { lines } = await readSoldOrder(tx, order);
    const items = lines.flatMap(({ id: line, quantity, cancelled }) => {
      const left = quantity - cancelled;
      const over = left - (request.kept.get(line as Uuid) ?? left);
      return over > 0 ? [{ line_id: publicId('line', line as Uuid), quantity: over }] : [];
    });
    if (items.length === 0) return false;
    refuseLate(order, now);
    const by = { actor: 'customer', cancelledBy: 'api', reason: request.reason, keepsMoney: false } as const;
    await cancelLocked(tx, ctx, order, { ...by, body: { items } }, now);
    return true;
  });
  if (isChanged) ctx.wakeDeliveries();
}
