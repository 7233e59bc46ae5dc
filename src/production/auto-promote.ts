import { messageOf } from '../lib/error-message.ts';
import { every, type Worker } from '../lib/every.ts';
import type { Uuid } from '../lib/ids.ts';
import { FIRST_ID } from '../lib/ids.ts';
import type { OrdersContext } from '../orders/context.ts';
import { lockForOps } from '../orders/operate.ts';
import { promote } from './promotion.ts';
import { type DueOrder, lockNextDue, recordShortage } from './sql.ts';

export type PromotionContext = Pick<OrdersContext, 'config' | 'database' | 'clock' | 'log' | 'wakeDeliveries'>;

/** How often an idle node looks for due orders. A receipt of stock in the same process wakes it. */
export const POLL_MS = 2_000;
/**
 * Orders of one pass at most.
 * Orders that became due meanwhile then do not wait behind a long tail of younger ones.
 */
const PASS_ORDERS_MAX = 1_000;

const WHY = { actor: 'system', reason: 'automatic promotion' };
const FIRST_POSITION = { cancellableUntil: new Date(0), id: FIRST_ID as Uuid };

export type PromotionPass = { readonly promoted: number; readonly short: number };

/**
 * Promotes the paid orders of all accounts whose cancellation window has closed, oldest first.
 * Each has a transaction of its own. An order that is short of stock is skipped, so that it does not block the others,
 * and is not tried again until enough of what it lacked is there. Any number of nodes may run this at once: each skips
 * what another has locked. An order that fails for another reason is logged and left to the next pass.
 */
export async function promoteDueOrders(ctx: PromotionContext, stopping?: AbortSignal): Promise<PromotionPass> {
  const pass = { promoted: 0, short: 0 };
  let after = FIRST_POSITION;
  for (let count = 0; count < PASS_ORDERS_MAX; count += 1) {
    if (stopping?.aborted === true) break;
    const step = await promoteNext(ctx, after);
    if (step === undefined) break;
    after = { cancellableUntil: step.order.cancellable_until, id: step.order.id };
    if (step.outcome === 'promoted') pass.promoted += 1;
    if (step.outcome === 'short') pass.short += 1;
  }
  return pass;
}

type Step = { readonly order: DueOrder; readonly outcome: 'promoted' | 'short' | 'failed' };

async function promoteNext(ctx: PromotionContext, after: typeof FIRST_POSITION): Promise<Step | undefined> {
  const now = ctx.clock.now();
  let due: DueOrder | undefined;
  try {
    return await ctx.database.transaction(async (tx) => {
      due = await lockNextDue(tx, { now, after });
      if (due === undefined) return undefined;
      const order = await lockForOps(tx, due.id);
      const oversold = await promote(tx, ctx.config, order, WHY, now);
      if (oversold.length === 0) return { order: due, outcome: 'promoted' };
      const skus = oversold.map((entry) => entry.variant_sku);
      await recordShortage(tx, { accountId: order.account_id, orderId: order.id }, skus, now);
      return { order: due, outcome: 'short' };
    });
  } catch (error) {
    if (due === undefined) throw error;
    ctx.log.warn({ order: due.id, error: messageOf(error) }, 'an order could not be promoted');
    return { order: due, outcome: 'failed' };
  }
}

/**
 * Starts automatic promotion in this process (operating, `AUTO_PROMOTE`).
 * A stop waits for the current order.
 */
export function startAutoPromotion(ctx: PromotionContext): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'orders could not be promoted',
    run: async ({ stopping }) => {
      const { promoted, short } = await promoteDueOrders(ctx, stopping);
      if (promoted + short > 0) ctx.log.info({ promoted, short }, 'orders were promoted');
    },
  });
}
