import { postingsJson } from '../billing/ledger.ts';
import { chargePostings } from '../billing/postings.ts';
import type { Db } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { pence } from '../lib/money.ts';
import { firstAttemptAt } from '../webhooks/publish.ts';
import { markBalanceTried } from './attempt-sql.ts';
import { chargedAmounts } from './charged-amounts.ts';
import type { PaymentsContext } from './context.ts';
import { orderCreatedEvent } from './events.ts';
import {
  findCoveredOrder,
  findWaitingOrders,
  type SettleOutcome,
  settleFromBalance,
  type WaitingRow,
} from './settle-sql.ts';

/** Orders per pass; an account with more waiting orders is settled in several passes. */
const BATCH = 100;

/**
 * Pays an account's waiting orders from its balance (domain, "Waiting orders").
 * Oldest first, each in a transaction of its own; `order.created` is published for each. An order that the balance
 * does not cover is passed over, so that a large one does not hold up the small. Orders placed before
 * `AUTO_SETTLE_HOURS` are left: a forgotten one must not ship a month later. Returns how many were paid. `actor` is
 * recorded in their history.
 */
export async function settleWaitingOrders(
  ctx: Pick<PaymentsContext, 'database' | 'clock' | 'config' | 'wakeDeliveries'>,
  accountId: Uuid,
  actor = 'system',
): Promise<number> {
  const placedSince = autoSettleSince(ctx);
  let settled = 0;
  let after: Uuid | null = null;
  for (;;) {
    const waiting: WaitingRow[] = await findWaitingOrders(ctx.database, accountId, {
      placedSince,
      after,
      limit: BATCH,
      coveredOnly: true,
    });
    for (const order of waiting) {
      const by = { accountId, order, attemptId: null, actor };
      if ((await payWaitingOrder(ctx, ctx.database, by)) === 'settled') settled += 1;
    }
    const last = waiting.at(-1);
    if (last === undefined) return settled;
    after = last.id;
  }
}

/**
 * Tries the balance for an order whose charge failed.
 * A top-up that arrived during the charge passed the order over. As by a top-up, an order older than
 * `AUTO_SETTLE_HOURS` is left. Returns whether the balance paid it.
 */
export async function settleAfterFailure(
  ctx: Pick<PaymentsContext, 'database' | 'clock' | 'config' | 'wakeDeliveries'>,
  attempt: { readonly id: Uuid; readonly account_id: Uuid; readonly order_id: Uuid },
): Promise<boolean> {
  const { account_id: accountId, order_id: id } = attempt;
  const order = await findCoveredOrder(ctx.database, accountId, { id, placedSince: autoSettleSince(ctx) });
  const by = { accountId, attemptId: null, actor: 'system' };
  const isPaid = order !== undefined && (await payWaitingOrder(ctx, ctx.database, { ...by, order })) === 'settled';
  await markBalanceTried(ctx.database, accountId, attempt.id);
  return isPaid;
}

/** Orders placed before this time are settled by hand only. */
function autoSettleSince(ctx: Pick<PaymentsContext, 'clock' | 'config'>): Date {
  return new Date(ctx.clock.now().getTime() - ctx.config.autoSettleHours * 3_600_000);
}

/**
 * Pays the remainder of one waiting order from the balance if it covers it.
 * Publishes `order.created` if that pays the order. With an `attemptId` and a method on file, what the balance does
 * not cover becomes a new attempt on that method, which the caller must charge after the commit. An order that is
 * paid, cancelled or being charged meanwhile is left alone.
 */
export async function payWaitingOrder(
  ctx: Pick<PaymentsContext, 'clock' | 'config' | 'wakeDeliveries'>,
  db: Db,
  by: { accountId: Uuid; order: WaitingRow; attemptId: Uuid | null; actor: string },
): Promise<SettleOutcome> {
  const { accountId, order, attemptId, actor } = by;
  const now = ctx.clock.now();
  const outcome = await settleFromBalance(db, {
    accountId,
    orderId: order.id,
    totalPence: order.total_pence,
    duePence: order.due_pence,
    postings: postingsJson(chargePostings(chargedAmounts(order), pence(order.due_pence)), order.reference),
    now,
    historyId: newId(now.getTime()),
    eventId: newId(now.getTime()),
    createdData: JSON.stringify(orderCreatedEvent(order).data),
    firstAttemptAt: firstAttemptAt(ctx.config, now),
    attemptId,
    actor,
  });
  if (outcome === 'settled') ctx.wakeDeliveries();
  return outcome;
}
