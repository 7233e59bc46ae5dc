import { postingsJson } from '../billing/ledger.ts';
import { chargePostings } from '../billing/postings.ts';
import type { Db } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { pence, ZERO_PENCE } from '../lib/money.ts';
import { autoSettleSince } from '../orders/blocked/auto-settle.ts';
import { lockOrder } from '../orders/move-sql.ts';
import { firstAttemptAt } from '../webhooks/publish.ts';
import { markBalanceTried } from './attempt-sql.ts';
import { chargedAmounts } from './charged-amounts.ts';
import type { PaymentsContext } from './context.ts';
import { orderCreatedEvent } from './events.ts';
import {
  findCoveredOrder,
  findWaitingOrder,
  findWaitingOrders,
  type SettleOutcome,
  settleFromBalance,
  type WaitingRow,
} from './settle-sql.ts';
import { claimSetups, giveUpClaim, keepClaim, shareSetups } from './setups/claim-setups.ts';

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
  for (;;) {
    await shareSetups(ctx, accountId, placedSince);
    const round = await settleCovered(ctx, accountId, placedSince, actor);
    settled += round.settled;
    // What one of them bought is off the price of the others now, and the balance may cover them after all.
    if (!round.bought) return settled;
  }
}

/** Pays the waiting orders that the balance covers; `bought`: one of them has bought setups. */
async function settleCovered(
  ctx: Pick<PaymentsContext, 'database' | 'clock' | 'config' | 'wakeDeliveries'>,
  accountId: Uuid,
  placedSince: Date,
  actor: string,
): Promise<{ settled: number; bought: boolean }> {
  let settled = 0;
  let bought = false;
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
      if ((await payWaitingOrder(ctx, by)) !== 'settled') continue;
      settled += 1;
      bought ||= order.has_setups;
    }
    const last = waiting.at(-1);
    if (last === undefined) return { settled, bought };
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
  await shareSetups(ctx, accountId, autoSettleSince(ctx));
  const order = await findCoveredOrder(ctx.database, accountId, { id, placedSince: autoSettleSince(ctx) });
  const by = { accountId, attemptId: null, actor: 'system' };
  const isPaid = order !== undefined && (await payWaitingOrder(ctx, { ...by, order })) === 'settled';
  await markBalanceTried(ctx.database, accountId, attempt.id);
  return isPaid;
}

/**
 * Pays the remainder of one waiting order from the balance if it covers it.
 * Publishes `order.created` if that pays the order. With an `attemptId` and a method on file, what the balance does
 * not cover becomes a new attempt on that method, which the caller must charge after the commit. An order that is
 * paid, cancelled or being charged meanwhile is left alone. Setups are claimed with the payment, and what another
 * order has paid of them since comes off the price.
 */
export async function payWaitingOrder(
  ctx: Pick<PaymentsContext, 'database' | 'clock' | 'config' | 'wakeDeliveries'>,
  by: WaitingPayment,
): Promise<SettleOutcome> {
  if (!by.order.has_setups) return payFromBalance(ctx, ctx.database, by);
  return ctx.database.transaction((tx) => payWithSetups(ctx, tx, by));
}

/** As `payWaitingOrder`, in the caller's transaction. */
export async function payWaitingOrderWithin(ctx: PayContext, tx: Db, by: WaitingPayment): Promise<SettleOutcome> {
  return by.order.has_setups ? payWithSetups(ctx, tx, by) : payFromBalance(ctx, tx, by);
}

type PayContext = Pick<PaymentsContext, 'clock' | 'config' | 'wakeDeliveries'>;

type WaitingPayment = {
  readonly accountId: Uuid;
  readonly order: WaitingRow;
  readonly attemptId: Uuid | null;
  readonly actor: string;
};

async function payWithSetups(ctx: PayContext, tx: Db, by: WaitingPayment): Promise<SettleOutcome> {
  const { accountId } = by;
  const of = { accountId, orderId: by.order.id };
  const locked = await lockOrder(tx, accountId, by.order.id);
  if (locked?.state !== 'awaiting_payment' || locked.attempt_id !== null) return 'no_longer_waiting';
  await claimSetups(tx, ctx, locked, { incomingPence: ZERO_PENCE, now: ctx.clock.now() });
  const order = await findWaitingOrder(tx, accountId, by.order.id);
  if (order === undefined) return 'no_longer_waiting';
  const outcome = await payFromBalance(ctx, tx, { ...by, order });
  await (outcome === 'settled' ? keepClaim(tx, of) : giveUpClaim(tx, of));
  return outcome;
}

async function payFromBalance(ctx: PayContext, db: Db, by: WaitingPayment): Promise<SettleOutcome> {
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
