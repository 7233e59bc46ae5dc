import { messageOf } from '../../lib/error-message.ts';
import { ApiError } from '../../lib/errors.ts';
import { FIRST_ID, firstIdAt, type Uuid } from '../../lib/ids.ts';
import type { PrivacyContext } from '../context.ts';
import { eraseAccountParts, eraseBrands, listUnsettled } from './erase-account.ts';
import { clearBrand, eraseAccountRow, nameLinesBySku } from './erase-account-sql.ts';
import { eraseOrder } from './erase-order.ts';
import {
  addErasureOrders,
  countWaitingOrders,
  type ErasureRow,
  findErasure,
  finishErasure,
  listReadyOrders,
  lockErasure,
  noteOrderErased,
  setListedThrough,
} from './erasure-sql.ts';
import { listOrderIds, listReplacements, listUnerasedIds } from './find-orders-sql.ts';
import { removeFiles } from './order-files.ts';

/** Orders of an account that are listed in one transaction. */
const LISTED = 1_000;
/** Longer than an order is being placed. */
const LATE_MS = 600_000;
/** Orders that are looked up at once; each is erased in a transaction of its own. */
const BATCH = 100;

/**
 * Does all of an erasure that can be done now, in steps that may be killed and done again.
 * Lists the orders of an account; erases those that have ended; removes their files; erases the account itself once
 * none of its orders waits. What is left waits for orders that are being made. `until` ends it early, between two
 * steps.
 */
export async function carryOut(
  ctx: PrivacyContext,
  erasure: Pick<ErasureRow, 'account_id' | 'id' | 'scope'>,
  until: () => boolean = () => false,
): Promise<void> {
  const { account_id: accountId, id, scope } = erasure;
  if (scope === 'account') {
    await listAccountOrders(ctx, accountId, id, until);
    await listLateOrders(ctx, accountId, id);
    await eraseAccountParts(ctx, accountId, id);
  }
  await eraseReadyOrders(ctx, erasure, until);
  if (scope === 'account' && !until()) await eraseBrands(ctx, accountId, id);
  await removeFiles(ctx, { accountId, erasureId: id });
  if (until()) return;
  await ctx.database.transaction(async (tx) => {
    const row = await lockErasure(tx, accountId, id);
    if (row?.state !== 'erasing') return;
    const isWhole = row.listed_through === null && (await countWaitingOrders(tx, id)) === 0;
    if (scope === 'account' && isWhole) {
      // An order that was still being made may have been refunded since: its money needs a name to go to.
      if ((await listUnsettled(tx, accountId)).length > 0) return;
      await eraseAccountRow(tx, accountId, ctx.clock.now());
    }
    await finishErasure(tx, accountId, id, ctx.clock.now());
  });
}

async function listAccountOrders(
  ctx: Pick<PrivacyContext, 'database'>,
  accountId: Uuid,
  id: Uuid,
  until: () => boolean,
): Promise<void> {
  while (!until()) {
    const isListed = await ctx.database.transaction(async (tx) => {
      const row = await lockErasure(tx, accountId, id);
      if (row === undefined || row.listed_through === null) return true;
      const orderIds = await listOrderIds(tx, accountId, row.listed_through, LISTED);
      await addErasureOrders(tx, accountId, id, orderIds);
      const isEnd = orderIds.length < LISTED;
      await setListedThrough(tx, accountId, id, isEnd ? null : (orderIds.at(-1) ?? null));
      return isEnd;
    });
    if (isListed) return;
  }
}

/** An order that was being placed when the account was suspended. */
async function listLateOrders(ctx: Pick<PrivacyContext, 'database'>, accountId: Uuid, id: Uuid): Promise<void> {
  const { requested_at: requestedAt } = await readErasure(ctx, accountId, id);
  const since = firstIdAt(new Date(requestedAt.getTime() - LATE_MS));
  const late = await listUnerasedIds(ctx.database, accountId, since, LISTED);
  await addErasureOrders(ctx.database, accountId, id, late);
}

async function eraseReadyOrders(
  ctx: PrivacyContext,
  { account_id: accountId, id, scope }: Pick<ErasureRow, 'account_id' | 'id' | 'scope'>,
  until: () => boolean,
): Promise<void> {
  for (let after = FIRST_ID as Uuid; !until(); ) {
    const orderIds = await listReadyOrders(ctx.database, id, after, BATCH);
    for (const orderId of orderIds) {
      if (until()) return;
      await eraseOne(ctx, { accountId, orderId }, id, scope === 'account');
    }
    const last = orderIds.at(-1);
    if (last === undefined || orderIds.length < BATCH) return;
    after = last;
  }
}

async function eraseOne(
  ctx: PrivacyContext,
  order: { readonly accountId: Uuid; readonly orderId: Uuid },
  erasureId: Uuid,
  isOfAccount: boolean,
): Promise<void> {
  try {
    await eraseOrder(ctx, order, erasureId, async (tx) => {
      // Made since the request: under the order's lock none is added any more.
      const replacements = await listReplacements(tx, order.accountId, order.orderId);
      await addErasureOrders(tx, order.accountId, erasureId, replacements);
      if (isOfAccount) {
        await nameLinesBySku(tx, order.accountId, order.orderId);
        await clearBrand(tx, order.accountId, order.orderId);
      }
      await noteOrderErased(tx, order.accountId, erasureId, order.orderId);
    });
  } catch (error) {
    // Its invoice waits for the number of the seller: a later round erases it, and the others go on.
    if (!(error instanceof ApiError)) throw error;
    ctx.log.warn({ order: order.orderId, error: messageOf(error) }, 'an order could not be erased yet');
  }
}

/** Reads an erasure anew. */
export async function readErasure(
  ctx: Pick<PrivacyContext, 'database'>,
  accountId: Uuid,
  id: Uuid,
): Promise<ErasureRow> {
  const row = await findErasure(ctx.database, accountId, id);
  if (row === undefined) throw new Error('an erasure is gone');
  return row;
}
