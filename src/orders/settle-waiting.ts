import { chargePostings, postingsJson } from '../billing/ledger.ts';
import { newId, publicId, type Uuid } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import type { EventData } from '../webhooks/events.ts';
import { firstAttemptAt } from '../webhooks/publish.ts';
import type { OrdersContext } from './context.ts';
import { findWaitingOrders, settleFromBalance, type WaitingRow } from './sql.ts';

/** An account with more waiting orders than this is settled in several passes of the same size. */
const BATCH = 100;

/**
 * Pays the account's waiting orders from its balance, oldest first, each in a transaction of its own, and emits
 * `order.created` for each (domain, "Waiting orders"). One that the balance does not cover is passed over, so that a large one
 * does not hold up the small. Orders placed before `AUTO_SETTLE_HOURS` are left: a forgotten one must not ship next month.
 * Returns how many were settled.
 */
export async function settleWaitingOrders(
  ctx: Pick<OrdersContext, 'database' | 'clock' | 'config' | 'wakeDeliveries'>,
  accountId: Uuid,
): Promise<number> {
  const placedSince = new Date(ctx.clock.now().getTime() - ctx.config.autoSettleHours * 3_600_000);
  let settled = 0;
  let after: Uuid | null = null;
  for (;;) {
    const waiting: WaitingRow[] = await findWaitingOrders(ctx.database, accountId, {
      placedSince,
      after,
      limit: BATCH,
    });
    for (const order of waiting) {
      if ((await settle(ctx, accountId, order)) === 'settled') settled += 1;
    }
    const last = waiting.at(-1);
    if (last === undefined) return settled;
    after = last.id;
  }
}

async function settle(
  ctx: Pick<OrdersContext, 'database' | 'clock' | 'config' | 'wakeDeliveries'>,
  accountId: Uuid,
  order: WaitingRow,
): Promise<'settled' | 'not_covered' | 'no_longer_waiting'> {
  const now = ctx.clock.now();
  const data: EventData['order.created'] = {
    order_id: publicId('ord', order.id),
    reference: order.reference,
    external_reference: order.external_reference ?? '',
    status: 'confirmed',
    total: toPounds(pence(order.total_pence)),
    currency: 'GBP',
    item_count: order.item_count,
  };
  const postings = chargePostings({
    subtotalPence: pence(order.subtotal_pence),
    setupPence: pence(order.setup_pence),
    shippingPence: pence(order.shipping_pence),
    vatPence: pence(order.vat_pence),
    dutyPence: pence(order.duty_pence),
  });
  const outcome = await settleFromBalance(ctx.database, {
    accountId,
    orderId: order.id,
    totalPence: order.total_pence,
    postings: postingsJson(postings, order.reference),
    now,
    historyId: newId(now.getTime()),
    eventId: newId(now.getTime()),
    createdData: JSON.stringify(data),
    firstAttemptAt: firstAttemptAt(ctx.config, now),
  });
  if (outcome === 'settled') ctx.wakeDeliveries();
  return outcome;
}
