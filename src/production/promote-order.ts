import { actOnce, isKeyUsed } from '../accounts/act-once.ts';
import { outOfStock } from '../catalogue/oversold.ts';
import type { ErrorCode } from '../lib/error-catalogue.ts';
import { ApiError } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { lockForOps, type OrderInput, operateOn } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf } from '../orders/read-ops-order.ts';
import { promote } from './promotion.ts';
import type { PromoteResult, PromoteResults } from './schema.ts';
import { recordShortage } from './sql.ts';

/**
 * Promotes an order to production.
 * 409 `conflict` unless it is paid, not held and not promoted yet. 409 `out_of_stock` with what is short; then nothing
 * has changed but the record of the shortage. Inside the cancellation window it is allowed, and the reply warns of it.
 * Locks the order, then its stock rows by SKU.
 */
export async function promoteOrder(ctx: OrdersContext, operator: Operator, input: OrderInput): Promise<OpsOrder> {
  let short: Short | undefined;
  try {
    return await operateOn(ctx, operator, input, { action: 'promote', detail: {} }, async (tx, order, now) => {
      const oversold = await promote(tx, ctx.config, order, { actor: actorOf(operator), reason: '' }, now);
      if (oversold.length === 0) return;
      short = { orderId: order.id, skus: oversold.map((entry) => entry.variant_sku) };
      throw outOfStock(oversold);
    });
  } catch (error) {
    if (short !== undefined) await noteShortage(ctx, short);
    throw error;
  }
}

type Short = { readonly orderId: Uuid; readonly skus: readonly string[] };

/**
 * Records what an order was found short of, so that it is listed until there is enough.
 * Has a transaction of its own, since the refusal rolled the first one back.
 */
async function noteShortage(ctx: OrdersContext, { orderId, skus }: Short): Promise<void> {
  await ctx.database.transaction(async (tx) => {
    const order = await lockForOps(tx, orderId);
    if (order.state !== 'placed') return;
    await recordShortage(tx, { accountId: order.account_id, orderId }, skus, ctx.clock.now());
  });
}

/**
 * Promotes many orders, in the order of the list, with a result for each.
 * Each has a transaction of its own, so that one that cannot be promoted blocks none of the others. A repeat with the
 * same Idempotency-Key skips what was promoted and tries the rest again.
 */
export async function promoteOrders(
  ctx: OrdersContext,
  operator: Operator,
  input: { readonly ids: readonly string[]; readonly once: Once },
): Promise<PromoteResults> {
  const { ids, once } = input;
  const act = { action: 'promote_many', orderId: null, subjectId: null, detail: { ids }, once };
  await actOnce(ctx, operator, act, async () => {});
  const results: PromoteResult[] = [];
  for (const id of ids) results.push(await promoteOneOf(ctx, operator, id, once));
  return { results };
}

async function promoteOneOf(ctx: OrdersContext, operator: Operator, id: string, once: Once): Promise<PromoteResult> {
  try {
    const orderId = await opsOrderIdOf(ctx, id);
    const own = onceFor(once, orderId);
    const isRepeat = await isKeyUsed(ctx, operator, own);
    const order = await promoteOrder(ctx, operator, { id, once: own });
    const promoted = { id, ok: true, state: 'released', warnings: order.warnings.map(({ code }) => code) };
    return isRepeat ? { ...promoted, repeated: true, state_now: order.state } : promoted;
  } catch (error) {
    // A refusal of one order is its own result; a database that cannot be reached fails the whole request.
    if (!(error instanceof ApiError) || !OF_THE_ORDER.includes(error.code)) throw error;
    const { oversold } = error.extras;
    return { id, ok: false, code: error.code, detail: error.message, ...(oversold === undefined ? {} : { oversold }) };
  }
}

const OF_THE_ORDER: readonly ErrorCode[] = ['not_found', 'conflict', 'out_of_stock'];

/** A key of its own for each order of a request. A caller's key has no space in it, so none collides. */
function onceFor({ key, requestHash }: Once, orderId: Uuid): Once {
  return { key: key === undefined ? undefined : `${key} ${orderId}`, requestHash };
}
