import { postToOrder } from '../../billing/ledger.ts';
import { chargeUndonePostings } from '../../billing/postings.ts';
import type { Db } from '../../lib/db.ts';
import { unavailable } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import { type Pence, pence, poundsText, ZERO_PENCE } from '../../lib/money.ts';
import { moveOrder } from '../../orders/move-order.ts';
import { type LockedOrder, lockOrder } from '../../orders/move-sql.ts';
import type { StoredSetup } from '../../orders/order-columns.ts';
import { setupKey } from '../../pricing/price-lines.ts';
import type { PaymentsContext } from '../context.ts';
import {
  areHeldUnpaid,
  claimFreeRights,
  dropUnpaidRights,
  findSharingOrders,
  lockRights,
  type OrderSetupRow,
  readHeld,
  readOrderSetups,
  releaseRights,
  relyOn,
  type SetupKey,
  takeSetupsOff,
} from './setup-sql.ts';
import { withoutSetups } from './without-setups.ts';

type ClaimContext = Pick<PaymentsContext, 'config'>;

/** What a claim leaves of an order, and of the money for it. */
export type Claim = {
  /** The order with its present amounts. */
  readonly order: LockedOrder;
  /** What is too much of the payment that is coming: it is owed to the customer. */
  readonly unwantedPence: Pence;
};

/** A right may come and go between a claim and its lock. */
const TRIES_MAX = 3;

/**
 * Claims the setups of a locked order that is about to be paid (domain, "Setup").
 * A right that no paid order holds becomes the order's own. A setup that another order has paid since this one was
 * placed comes off its price: fee and VAT on it. What the order has paid too much then goes back to the balance at
 * once; beyond that, the payment that is coming (`incomingPence`, by card or direct debit) has `unwantedPence` too
 * much. The caller ends with `keepClaim` if the order was paid, else with `giveUpClaim`. Locks the rights, and the
 * balance if something goes back.
 */
export async function claimSetups(
  tx: Db,
  ctx: ClaimContext,
  order: LockedOrder,
  by: { readonly incomingPence: Pence; readonly now: Date },
): Promise<Claim> {
  const of = { accountId: order.account_id, orderId: order.id };
  const rows = await readOrderSetups(tx, of);
  if (rows.length === 0) return { order, unwantedPence: ZERO_PENCE };
  const setups = rows.map(({ setup }) => setup);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    await claimFreeRights(tx, of, setups, by.now);
    await lockRights(tx, of.accountId, setups);
    await dropUnpaidRights(tx, of, setups);
    const held = new Map((await readHeld(tx, of, setups)).map((right) => [keyOf(right), right.is_own]));
    if (setups.some((setup) => !held.has(keyOf(setup)))) continue;
    const shared = rows.filter(({ setup }) => setup.amount_pence > 0 && held.get(keyOf(setup)) === false);
    return shared.length === 0
      ? { order, unwantedPence: ZERO_PENCE }
      : takeOff(tx, ctx, order, { rows, shared, ...by });
  }
  throw unavailable('The setups of this order change hands faster than they can be counted. Try again.');
}

/** Records that a paid order relies on its setups, its own and those that others have paid. */
export async function keepClaim(tx: Db, of: { accountId: Uuid; orderId: Uuid }): Promise<void> {
  const rows = await readOrderSetups(tx, of);
  if (rows.length > 0) {
    await relyOn(
      tx,
      of,
      rows.map(({ setup }) => setup),
    );
  }
}

/** Gives up the rights that an order claimed, since it was not paid: an unpaid order gives no right. */
export async function giveUpClaim(tx: Db, of: { accountId: Uuid; orderId: Uuid }): Promise<void> {
  const rows = await readOrderSetups(tx, of);
  if (rows.length > 0) {
    await releaseRights(
      tx,
      of,
      rows.map(({ setup }) => setup),
    );
  }
}

const BATCH = 100;

/**
 * Takes off the waiting orders of an account the setups that others have paid since.
 * Each in a transaction of its own. So what they wait for is what they will be charged, before it is compared with the
 * balance. An order that is being charged is left alone.
 */
export async function shareSetups(
  ctx: Pick<PaymentsContext, 'database' | 'clock' | 'config'>,
  accountId: Uuid,
  placedSince: Date,
): Promise<void> {
  let after: Uuid | null = null;
  for (;;) {
    const ids: Uuid[] = await findSharingOrders(ctx.database, accountId, { placedSince, after, limit: BATCH });
    for (const orderId of ids) {
      await ctx.database.transaction(async (tx) => {
        const order = await lockOrder(tx, accountId, orderId);
        if (order?.state !== 'awaiting_payment' || order.attempt_id !== null) return;
        await claimSetups(tx, ctx, order, { incomingPence: ZERO_PENCE, now: ctx.clock.now() });
        await giveUpClaim(tx, { accountId, orderId });
      });
    }
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/**
 * Frees the rights to some setups that orders hold without having been paid.
 * An earlier version gave a right to an order that waited. It still stands in the way of an order that pays.
 */
export async function freeUnpaidRights(
  ctx: Pick<PaymentsContext, 'database'>,
  accountId: Uuid,
  keys: readonly SetupKey[],
): Promise<void> {
  if (keys.length === 0 || !(await areHeldUnpaid(ctx.database, accountId, keys))) return;
  await ctx.database.transaction(async (tx) => {
    await lockRights(tx, accountId, keys);
    await dropUnpaidRights(tx, { accountId, orderId: null }, keys);
  });
}

async function takeOff(
  tx: Db,
  ctx: ClaimContext,
  order: LockedOrder,
  off: {
    readonly rows: readonly OrderSetupRow[];
    readonly shared: readonly OrderSetupRow[];
    readonly incomingPence: Pence;
    readonly now: Date;
  },
): Promise<Claim> {
  const of = { accountId: order.account_id, orderId: order.id };
  const amounts = withoutSetups(order, off.shared);
  const offPence = order.total_pence - amounts.total_pence;
  const paidPence = order.balance_paid_pence + order.method_paid_pence + off.incomingPence;
  const surplusPence = Math.max(0, paidPence - amounts.total_pence);
  const returnedPence = pence(Math.min(surplusPence, order.balance_paid_pence));
  const taken = new Set(off.shared.map(({ setup }) => keyOf(setup)));
  const setups = off.rows.map(
    ({ setup }): StoredSetup => (taken.has(keyOf(setup)) ? { ...setup, amount_pence: 0, already_paid: true } : setup),
  );
  await takeSetupsOff(tx, of, {
    setups,
    setupPence: amounts.setup_pence,
    vatPence: amounts.vat_pence,
    vatBreakdown: amounts.vat_breakdown,
    totalPence: amounts.total_pence,
    returnedPence,
  });
  await relyOn(
    tx,
    of,
    off.shared.map(({ setup }) => setup),
  );
  const reason = `£${poundsText(pence(offPence))} less: another order has paid its setup`;
  const move = { to: order.state, action: 'share_setup', actor: 'system', reason, events: [] };
  const moved = await moveOrder(tx, ctx.config, order, move, off.now);
  const postings = chargeUndonePostings(returnedPence);
  if (postings.length > 0) await postToOrder(tx, { ...of, postings, reference: order.reference, now: off.now });
  return {
    order: { ...moved, ...amounts, balance_paid_pence: order.balance_paid_pence - returnedPence },
    unwantedPence: pence(surplusPence - returnedPence),
  };
}

function keyOf(setup: SetupKey): string {
  return setupKey(setup.design_hash, setup.method);
}
