import { retryPrintFiles, wakePrintFiles } from '../artwork/retry-print-files.ts';
import { ApiError } from '../lib/errors.ts';
import { actorOf, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import { type OrderInput, operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { refuseUnless } from './refuse-state.ts';

/**
 * Makes the failed print files of an order anew.
 * Their jobs are recorded in the same transaction, and a task about them is closed once they are made. 409 `conflict`
 * when none has failed, and for an order of which nothing is left to make. Locks the order, then its failed print
 * files.
 */
export async function retryArtwork(ctx: OrdersContext, operator: Operator, input: OrderInput): Promise<OpsOrder> {
  const act = { action: 'retry_print_files', detail: {} };
  const order = await operateOn(ctx, operator, input, act, async (tx, locked, now) => {
    refuseUnless(
      locked,
      ['awaiting_payment', 'placed', 'on_hold', 'released', 'in_production'],
      'given new print files',
    );
    const count = await retryPrintFiles(tx, { accountId: locked.account_id, orderId: locked.id }, now);
    if (count === 0) {
      const detail = 'No print file of this order has failed: they are made, or are being made now.';
      throw new ApiError('conflict', detail);
    }
    const reason = count === 1 ? 'one print file' : `${count} print files`;
    const move = { to: locked.state, action: 'retry_artwork', actor: actorOf(operator), reason, events: [] };
    // An order that is held stays held.
    await moveOrder(tx, ctx.config, locked, move, now);
  });
  wakePrintFiles(ctx);
  return order;
}
