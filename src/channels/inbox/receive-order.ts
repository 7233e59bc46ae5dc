import type { Db } from '../../lib/db.ts';
import { ApiError, notFound } from '../../lib/errors.ts';
import { newId, publicId, type Uuid } from '../../lib/ids.ts';
import { enqueue } from '../../lib/queue.ts';
import { lockChannel, noteOrder } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import type { ShopOrder } from '../shop-order.ts';
import {
  findInboxRow,
  type InboxRow,
  insertInboxRow,
  lockOrderOfShop,
  noteChange,
  noteLater,
  type Received,
  renewInboxRow,
  weighOpen,
} from './inbox-sql.ts';
import { orderParts } from './parts.ts';
import type { InboxReason } from './reasons.ts';
import { keptItems } from './request-of.ts';
import { lockSupplements } from './supplement-sql.ts';

/** The kind of job that takes an order of a shop further. */
export const SHOP_ORDER_JOB = 'shop_order';

/** Orders of a channel that wait or have failed. Beyond these the shop must try again later. */
const OPEN_MAX = 10_000;
/** An order counts as one for each so many bytes that the shop sent: a few large ones fill no disk. */
const BYTES_OF_ONE = 16_384;

/**
 * Takes an order that a shop has sent.
 * The same again, and what is older than what came before, change nothing. What is newer takes the place of what is
 * not placed yet; of a placed order it is done by its look, as far as that is possible. Row and job are one
 * transaction, so what is acknowledged is looked at. Locks the channel, then the order.
 */
export async function receiveOrder(
  ctx: Pick<ChannelsContext, 'database' | 'clock' | 'secrets' | 'wake'>,
  { accountId, channelId }: { readonly accountId: Uuid; readonly channelId: Uuid },
  order: ShopOrder,
): Promise<InboxRow> {
  const id = await ctx.database.transaction(async (tx) => {
    const channel = await lockChannel(tx, accountId, channelId);
    if (channel === undefined || channel.state === 'disconnected') throw notFound();
    const now = ctx.clock.now();
    const received = receivedOf(ctx, order, now);
    await noteOrder(tx, accountId, channelId, now);
    const row = await lockOrderOfShop(tx, accountId, channelId, order.id);
    if (row !== undefined) {
      await takeLater(tx, row, row.state === 'placed' ? { ...received, digest: digestOfPlaced(ctx, order) } : received);
      if (order.cancelled === true && row.state === 'placed') await cancelSupplements(ctx, tx, row, { order, now });
      return row.id;
    }
    if ((await weighOpen(tx, accountId, channelId, OPEN_MAX)) >= OPEN_MAX) throw tooManyOpen();
    const newRowId = newId(now.getTime());
    await insertInboxRow(tx, { ...received, accountId, id: newRowId, channelId });
    await enqueueLook(tx, { account_id: accountId, id: newRowId, revision: 1 }, now);
    return newRowId;
  });
  ctx.wake(SHOP_ORDER_JOB);
  const row = await findInboxRow(ctx.database, accountId, id);
  if (row === undefined) throw new Error('an order of a shop that was written is gone');
  return row;
}

/** What is kept of an order as a shop sent it. */
export function receivedOf(ctx: Pick<ChannelsContext, 'secrets'>, order: ShopOrder, now: Date): Received {
  return {
    content: order,
    digest: digestOf(ctx, order),
    parts: orderParts(ctx.secrets.digest, order),
    items: keptItems(order.items),
    changedAt: new Date(order.updated_at),
    orderedAt: new Date(order.ordered_at),
    weight: Math.ceil(Buffer.byteLength(JSON.stringify(order)) / BYTES_OF_ONE),
    now,
  };
}

/**
 * Has what was added to an order of a shop cancelled with it, or only what is not placed yet.
 * Under the lock of the order, which comes first.
 */
export async function cancelSupplements(
  ctx: Pick<ChannelsContext, 'secrets'>,
  tx: Db,
  row: InboxRow,
  by: { readonly order: ShopOrder; readonly now: Date; readonly isOpenOnly?: true },
): Promise<void> {
  for (const supplement of await lockSupplements(tx, row)) {
    const { state, items } = supplement;
    if (state === 'ignored' || (state === 'placed' && by.isOpenOnly === true)) continue;
    const own = items.map(({ id, title, quantity }) => ({ id, title, quantity }));
    const order = { ...by.order, id: supplement.shop_order_id, items: own, cancelled: true };
    await takeLater(tx, supplement, receivedOf(ctx, order, by.now));
  }
}

/**
 * Without the time: a shop that has only touched its order has changed nothing.
 * Without the day, too, which goes by itself once it has come.
 */
function digestOf({ secrets }: Pick<ChannelsContext, 'secrets'>, order: ShopOrder): Buffer {
  const { scheduled_for: _day, ...rest } = order;
  return secrets.digest(JSON.stringify({ ...rest, updated_at: '' }));
}

/** A placed order was not fulfilled: that the shop calls it so now is what we have reported it. */
function digestOfPlaced(ctx: Pick<ChannelsContext, 'secrets'>, order: ShopOrder): Buffer {
  const { fulfilled: _told, ...rest } = order;
  return digestOf(ctx, rest);
}

/** Has an order looked at; of each revision once. */
export async function enqueueLook(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'id' | 'revision'>,
  now: Date,
): Promise<void> {
  const key = `${publicId('sho', row.id)} ${row.revision}`;
  const payload = { id: row.id, revision: row.revision };
  await enqueue(tx, { kind: SHOP_ORDER_JOB, key, payload, runAt: now, accountId: row.account_id });
}

function tooManyOpen(): ApiError {
  return new ApiError(
    'rate_limited',
    `So many orders of this shop wait that no more are taken. Answer them in the portal, then send this one again.`,
    { headers: { 'retry-after': '3600' } },
  );
}

async function takeLater(tx: Db, row: InboxRow, received: Received): Promise<void> {
  const { content, digest, changedAt, now } = received;
  const isOlder = changedAt < row.changed_at;
  if (isOlder) return;
  const isSameDay = row.content === null || row.content.scheduled_for === content.scheduled_for;
  if (digest.equals(row.digest) && isSameDay) {
    await noteLater(tx, row, changedAt);
    return;
  }
  if (row.state === 'ignored' && (row.reason === 'by_person' || row.reason === 'disconnected')) return;
  if (row.state !== 'placed') {
    await renewKept(tx, row, received);
    return;
  }
  const isCancelled = content.cancelled === true;
  // Once it is cancelled, or that was refused, what comes later is no news.
  if (!isCancelled && !CHANGEABLE.includes(row.reason)) return;
  const reason = isCancelled ? 'cancel_asked' : 'change_asked';
  const revision = await noteChange(tx, row, { digest, changedAt, reason, later: isCancelled ? null : content });
  await enqueueLook(tx, { ...row, revision }, now);
}

/**
 * Takes what a shop sent later in place of what came before, and has it looked at.
 * An address that a person has put right stays while the shop has it as it was.
 */
export async function renewKept(tx: Db, row: InboxRow, received: Received): Promise<void> {
  const isCorrected = row.is_corrected && row.content !== null && row.parts?.address === received.parts.address;
  const address = isCorrected ? row.content?.shipping_address : undefined;
  const content = address === undefined ? received.content : { ...received.content, shipping_address: address };
  const revision = await renewInboxRow(tx, row, { ...received, content }, isCorrected);
  await enqueueLook(tx, { ...row, revision }, received.now);
}

/** The reasons of a placed order that its shop can change yet. */
const CHANGEABLE: readonly InboxReason[] = ['', 'change_asked', 'changed_in_shop'];
