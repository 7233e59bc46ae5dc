import { recordAct } from '../../accounts/access/record-act.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { isCountryCode, unknownCountry } from '../../lib/countries.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch, validationFailed } from '../../lib/errors.ts';
import { parseId, type Uuid } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { Address } from '../../orders/schema.ts';
import { ownChannel } from '../connected/channels.ts';
import type { ChannelsContext } from '../context.ts';
import type { ListShopOrdersQuery, ShopOrderView, ShopOrderWithAddress } from '../inbox-schema.ts';
import { makeReportDue } from '../reports/report-sql.ts';
import { listInboxRows } from './inbox-list-sql.ts';
import { correctAddress, findInboxRow, type InboxRow, lockInboxRow, lookAnew, recordOutcome } from './inbox-sql.ts';
import { canCorrect, canIgnore, canPlace, shopOrderView } from './inbox-view.ts';
import { isNever } from './reasons.ts';
import { enqueueLook, SHOP_ORDER_JOB } from './receive-order.ts';
import { wholeShopOrder } from './whole-order.ts';

type InboxContext = Pick<ChannelsContext, 'database' | 'clock' | 'wake'>;

/** A page of the orders of the account's shops, the newest first. Throws 404 for any other shop. */
export async function listShopOrders(
  ctx: InboxContext,
  { accountId }: SignedIn,
  query: ListShopOrdersQuery,
): Promise<Page<ShopOrderView>> {
  const { limit, after } = readPage('sho', query);
  const channelId = query.channel === undefined ? undefined : (await ownChannel(ctx, accountId, query.channel)).id;
  const { state, reason } = query;
  const page = { before: after, limit: limit + 1, channelId, state, reason };
  const rows = isNever(query) ? [] : await listInboxRows(ctx.database, accountId, page);
  return toPage(rows, limit, shopOrderView, ({ id }) => id);
}

/** An order of a shop of the account. Throws 404 for any other. */
export async function readShopOrder(
  ctx: InboxContext,
  { accountId }: SignedIn,
  id: string,
): Promise<ShopOrderWithAddress> {
  const rowId = idOf(id);
  const row = await findInboxRow(ctx.database, accountId, rowId);
  if (row === undefined) throw noSuch('shop order');
  return wholeShopOrder(ctx, row);
}

/**
 * Has an order placed, as a person has looked at it.
 * It is looked at anew, and waits for nothing but what cannot be decided here. Throws 404 for any other order, 409 for
 * one that a person cannot have placed now.
 */
export async function placeShopOrder(ctx: InboxContext, caller: SignedIn, id: string): Promise<ShopOrderWithAddress> {
  const { accountId } = caller;
  const rowId = idOf(id);
  await ctx.database.transaction(async (tx) => {
    const row = await lockInboxRow(tx, accountId, rowId);
    if (row === undefined) throw noSuch('shop order');
    // A second click, before the first was looked at.
    if (row.state === 'new' && row.is_approved) return;
    if (!canPlace(row)) throw new ApiError('conflict', PLACED_BY_ITSELF);
    const now = ctx.clock.now();
    const revision = await lookAnew(tx, row, true);
    await enqueueLook(tx, { ...row, revision }, now);
    await recordAct(tx, caller, { action: 'place_shop_order', subjectId: rowId, detail: { shop_order_id: id } }, now);
  });
  ctx.wake(SHOP_ORDER_JOB);
  return readShopOrder(ctx, caller, id);
}

const PLACED_BY_ITSELF =
  'This order cannot be placed by hand: it is placed or ignored already, is just being looked at, or waits for the shop.';

/**
 * Puts the address of an order right that is not placed, and has it looked at anew.
 * What the shop sends later with the address of before keeps this one. Throws 404 for any other order, 409 for one that
 * is placed, ignored or just being looked at.
 */
export async function correctShopAddress(
  ctx: InboxContext,
  caller: SignedIn,
  id: string,
  address: Address,
): Promise<ShopOrderWithAddress> {
  const { accountId } = caller;
  const rowId = idOf(id);
  refuseCountry(address);
  await ctx.database.transaction(async (tx) => {
    const row = await lockInboxRow(tx, accountId, rowId);
    if (row === undefined) throw noSuch('shop order');
    const now = ctx.clock.now();
    await correctAndLook(tx, row, address, now);
    const detail = { shop_order_id: id };
    await recordAct(tx, caller, { action: 'correct_shop_address', subjectId: rowId, detail }, now);
  });
  ctx.wake(SHOP_ORDER_JOB);
  return readShopOrder(ctx, caller, id);
}

/** Throws 422 for a country that there is not. */
export function refuseCountry({ country_code: code }: Address): void {
  if (!isCountryCode(code)) throw validationFailed([unknownCountry(code, 'country_code')]);
}

/**
 * Puts the address of an order right, and has it looked at.
 * Throws 409 for one that no address helps any more.
 */
export async function correctAndLook(tx: Db, row: InboxRow, address: Address, now: Date): Promise<void> {
  if (!canCorrect(row)) {
    const where = row.state === 'placed' ? ' Change the address of its order instead.' : '';
    throw new ApiError('conflict', `This order is placed, ignored, or just being looked at.${where}`);
  }
  const revision = await correctAddress(tx, row, address);
  await enqueueLook(tx, { ...row, revision }, now);
}

/**
 * Ignores an order for good: what the shop sends of it later changes nothing.
 * A look that is placing it at that moment cancels it again.
 * Throws 404 for any other order, 409 for one that does not wait.
 */
export async function ignoreShopOrder(ctx: InboxContext, caller: SignedIn, id: string): Promise<ShopOrderWithAddress> {
  const { accountId } = caller;
  const rowId = idOf(id);
  await ctx.database.transaction(async (tx) => {
    const row = await lockInboxRow(tx, accountId, rowId);
    if (row === undefined) throw noSuch('shop order');
    if (row.state === 'ignored') return;
    if (!canIgnore(row)) {
      throw new ApiError('conflict', 'This order is placed, or is just being looked at. Cancel its order instead.');
    }
    const now = ctx.clock.now();
    await recordOutcome(tx, row, { state: 'ignored', reason: 'by_person' }, now);
    await recordAct(tx, caller, { action: 'ignore_shop_order', subjectId: rowId, detail: { shop_order_id: id } }, now);
  });
  return readShopOrder(ctx, caller, id);
}

/**
 * Reports an order again to its shop, once what the shop refused it by is mended there.
 * Throws 404 for any other order, 409 for one of which its shop knows all, or that is not reported.
 */
export async function reportShopOrderAgain(
  ctx: InboxContext,
  caller: SignedIn,
  id: string,
): Promise<ShopOrderWithAddress> {
  const { accountId } = caller;
  const rowId = idOf(id);
  await ctx.database.transaction(async (tx) => {
    const row = await lockInboxRow(tx, accountId, rowId);
    if (row === undefined) throw noSuch('shop order');
    if (row.is_reported !== false) throw new ApiError('conflict', NOTHING_TO_REPORT);
    const now = ctx.clock.now();
    await makeReportDue(tx, { accountId, id: rowId, channelId: row.channel_id }, now);
    await recordAct(tx, caller, { action: 'report_shop_order', subjectId: rowId, detail: { shop_order_id: id } }, now);
  });
  return readShopOrder(ctx, caller, id);
}

const NOTHING_TO_REPORT = 'Its shop knows all of this order, or sends its orders itself, or it is not placed.';

function idOf(id: string): Uuid {
  const rowId = parseId('sho', id);
  if (rowId === undefined) throw noSuch('shop order');
  return rowId;
}
