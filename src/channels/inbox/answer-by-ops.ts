import { actOnce } from '../../accounts/act-once.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import type { Once, Operator } from '../../lib/operator.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { Address } from '../../orders/schema.ts';
import { anyChannel } from '../connected/ops-channels.ts';
import type { ChannelsContext } from '../context.ts';
import type { ListOpsShopOrdersQuery, OpsShopOrder, OpsShopOrderWithAddress } from '../inbox-schema.ts';
import { makeReportDue } from '../reports/report-sql.ts';
import { listAllInboxRows, listInboxRows } from './inbox-list-sql.ts';
import { findAnyInboxRow, type InboxRow, lockInboxRow, lookAnew, recordOutcome } from './inbox-sql.ts';
import { canIgnore, canPlace, shopOrderView } from './inbox-view.ts';
import { correctAndLook, refuseCountry } from './own-inbox.ts';
import { isNever } from './reasons.ts';
import { enqueueLook, SHOP_ORDER_JOB } from './receive-order.ts';
import { wholeShopOrder } from './whole-order.ts';

type InboxContext = Pick<ChannelsContext, 'database' | 'clock' | 'wake'>;

/**
 * A page of the orders of all shops, the newest first; those that failed unless asked for others.
 * Of one account or shop all of them. Throws 404 for a shop that there is not.
 */
export async function listOpsShopOrders(
  ctx: Pick<InboxContext, 'database'>,
  query: ListOpsShopOrdersQuery,
): Promise<Page<OpsShopOrder>> {
  const { limit, after } = readPage('sho', query);
  const rows = isNever(query) ? [] : await rowsOf(ctx, query, { before: after, limit: limit + 1 });
  return toPage(rows, limit, opsView, ({ id }) => id);
}

async function rowsOf(
  ctx: Pick<InboxContext, 'database'>,
  { state, reason, account, channel: channelId }: ListOpsShopOrdersQuery,
  page: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<InboxRow[]> {
  const channel = channelId === undefined ? undefined : await anyChannel(ctx, channelId);
  const named = account === undefined ? undefined : parseId('acct', account);
  const accountId = channel?.account_id ?? named;
  if (account !== undefined && accountId !== named) return [];
  if (accountId !== undefined) {
    return listInboxRows(ctx.database, accountId, { ...page, channelId: channel?.id, state, reason });
  }
  if (account !== undefined) return [];
  return listAllInboxRows(ctx.database, {
    ...page,
    ...(reason === undefined ? { state: state ?? 'failed' } : { reason }),
  });
}

/** An order of a shop of any account. Throws 404. */
export async function getOpsShopOrder(
  ctx: Pick<InboxContext, 'database'>,
  id: string,
): Promise<OpsShopOrderWithAddress> {
  return wholeOpsOrder(ctx, await findRow(ctx, id));
}

/**
 * Has an order of a shop looked at anew, as approved; for one that failed, once its cause is mended.
 * Throws 404, and 409 for one that cannot be placed by hand.
 */
export async function placeByOps(
  ctx: InboxContext,
  operator: Operator,
  { id, once }: { readonly id: string; readonly once: Once },
): Promise<OpsShopOrderWithAddress> {
  const row = await act(ctx, operator, { id, once, action: 'place_shop_order' }, async (tx, locked, now) => {
    if (!canPlace(locked)) throw new ApiError('conflict', NOT_BY_HAND);
    const revision = await lookAnew(tx, locked, true);
    await enqueueLook(tx, { ...locked, revision }, now);
  });
  ctx.wake(SHOP_ORDER_JOB);
  return row;
}

/**
 * Puts the address of an order of a shop right that is not placed, and has it looked at anew.
 * Throws 404, 422 for a country that there is not, and 409 for one that is placed, ignored or just being looked at.
 */
export async function correctByOps(
  ctx: InboxContext,
  operator: Operator,
  { id, address, once }: { readonly id: string; readonly address: Address; readonly once: Once },
): Promise<OpsShopOrderWithAddress> {
  refuseCountry(address);
  const row = await act(ctx, operator, { id, once, action: 'correct_shop_address' }, (tx, locked, now) =>
    correctAndLook(tx, locked, address, now),
  );
  ctx.wake(SHOP_ORDER_JOB);
  return row;
}

/** Ignores an order of a shop for good. Throws 404, and 409 for one that does not wait. */
export async function ignoreByOps(
  ctx: InboxContext,
  operator: Operator,
  { id, once }: { readonly id: string; readonly once: Once },
): Promise<OpsShopOrderWithAddress> {
  return act(ctx, operator, { id, once, action: 'ignore_shop_order' }, async (tx, locked, now) => {
    if (!canIgnore(locked)) throw new ApiError('conflict', NOT_WAITING);
    await recordOutcome(tx, locked, { state: 'ignored', reason: 'by_person' }, now);
  });
}

/**
 * Reports an order again whose report its shop refused, once the cause is mended.
 * Throws 404, and 409 for one that is not reported.
 */
export async function reportByOps(
  ctx: InboxContext,
  operator: Operator,
  { id, once }: { readonly id: string; readonly once: Once },
): Promise<OpsShopOrderWithAddress> {
  return act(ctx, operator, { id, once, action: 'report_shop_order' }, async (tx, locked, now) => {
    if (locked.is_reported === null) throw new ApiError('conflict', NOT_REPORTED);
    await makeReportDue(tx, { accountId: locked.account_id, id: locked.id, channelId: locked.channel_id }, now);
  });
}

const NOT_REPORTED =
  'Nothing of this order is reported to its shop: it is not placed, or its shop sends its orders itself.';
const NOT_BY_HAND =
  'This order cannot be placed by hand: it is placed or ignored already, is just being looked at, or waits for the shop.';
const NOT_WAITING = 'This order is placed or ignored, or is just being looked at.';

async function act(
  ctx: InboxContext,
  operator: Operator,
  { id, once, action }: { readonly id: string; readonly once: Once; readonly action: string },
  work: (tx: Db, row: InboxRow, now: Date) => Promise<void>,
): Promise<OpsShopOrderWithAddress> {
  const found = await findRow(ctx, id);
  const detail = { shop_order_id: publicId('sho', found.id) };
  await actOnce(ctx, operator, { action, orderId: null, subjectId: found.id, detail, once }, async (tx, now) => {
    const row = await lockInboxRow(tx, found.account_id, found.id);
    if (row === undefined) throw noSuch('shop order');
    await work(tx, row, now);
  });
  return wholeOpsOrder(ctx, await findRow(ctx, id));
}

async function findRow({ database }: Pick<InboxContext, 'database'>, id: string): Promise<InboxRow> {
  const rowId: Uuid | undefined = parseId('sho', id);
  const row = rowId === undefined ? undefined : await findAnyInboxRow(database, rowId);
  if (row === undefined) throw noSuch('shop order');
  return row;
}

function opsView(row: InboxRow): OpsShopOrder {
  return { ...shopOrderView(row), account_id: publicId('acct', row.account_id) };
}

async function wholeOpsOrder(ctx: Pick<InboxContext, 'database'>, row: InboxRow): Promise<OpsShopOrderWithAddress> {
  return { ...(await wholeShopOrder(ctx, row)), account_id: publicId('acct', row.account_id) };
}
