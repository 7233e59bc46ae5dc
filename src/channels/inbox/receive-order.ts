import { isoTime } from '../../lib/clock.ts';
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
} from './inbox-sql.ts';
import { weighOpen } from './known-sql.ts';
import { byPresentKey, orderParts } from './parts.ts';
import { isForGood } from './reasons.ts';
import { keptItems } from './request-of.ts';
import { sentSince } from './sent-since.ts';
import { isStillApproved } from './still-approved.ts';
import { lockSupplements } from './supplement-sql.ts';
import { type LaterOrder, type SentPieces, toBeMade } from './to-be-made.ts';

/** The kind of job that takes an order of a shop further. */
export const SHOP_ORDER_JOB = 'shop_order';

/** Orders of a channel that wait or have failed. Beyond these the shop must try again later. */
const OPEN_MAX = 10_000;
/** For an unpaid one: those who try cards in a shop by the thousand hold up no paid order. */
const OPEN_MAX_FOR_UNPAID = OPEN_MAX / 2;
/** An order counts as one for each so many bytes that the shop sent: a few large ones fill no disk. */
const BYTES_OF_ONE = 16_384;
/** By how much a shop's clock may be ahead and its times still tell which of two states is the later. */
const AHEAD_MAX_MS = 300_000;

/**
 * Takes an order that a shop has sent.
 * The same again changes nothing, nor does what a shop sends that is older than what came before; what is read in a
 * shop is what it has now, whatever its clock says. An order that was left to others, and is sent once more, is looked
 * at anew. What is newer takes the place of what is not placed yet; of a placed order it is done by its look, as far as
 * that is possible. Row and job are one transaction, so what is acknowledged is looked at. Locks the channel, then the
 * order.
 */
export async function receiveOrder(
  ctx: Pick<ChannelsContext, 'database' | 'clock' | 'secrets' | 'wake'>,
  { accountId, channelId }: { readonly accountId: Uuid; readonly channelId: Uuid },
  sentOrder: ShopOrder,
): Promise<InboxRow> {
  const id = await ctx.database.transaction(async (tx) => {
    const channel = await lockChannel(tx, accountId, channelId);
    if (channel === undefined || channel.state === 'disconnected') throw notFound();
    const now = ctx.clock.now();
    await noteOrder(tx, accountId, channelId, now);
    const row = await lockOrderOfShop(tx, accountId, channelId, sentOrder.id);
    const { order, sent } = toBeMade(sentOrder, row?.state === 'placed' ? (row.parts?.sent ?? {}) : undefined);
    const received = receivedOf(ctx, order, now, sent);
    if (row !== undefined) {
      const isSigned = channel.platform === 'signed';
      if (isSigned && isOvertaken(row, received)) return row.id;
      const later = row.state === 'placed' ? await ofPlaced(ctx, tx, row, sentOrder, received) : received;
      await takeLater(tx, row, later, isSigned);
      if (order.cancelled === true && row.state === 'placed') await cancelSupplements(ctx, tx, row, { order, now });
      return row.id;
    }
    const max = order.unpaid === true ? OPEN_MAX_FOR_UNPAID : OPEN_MAX;
    if ((await weighOpen(tx, accountId, channelId, max)) >= max) throw tooManyOpen();
    const newRowId = newId(now.getTime());
    await insertInboxRow(tx, { ...received, accountId, id: newRowId, channelId });
    await enqueueLook(tx, { account_id: accountId, channel_id: channelId, id: newRowId, revision: 1 }, now);
    return newRowId;
  });
  ctx.wake(SHOP_ORDER_JOB);
  const row = await findInboxRow(ctx.database, accountId, id);
  if (row === undefined) throw new Error('an order of a shop that was written is gone');
  return row;
}

/**
 * Takes it that a shop has deleted an order.
 * What waits is cancelled there, and a cancel of what is placed is asked for.
 * Of the time of its last change, so that what the shop restores is later. One that never came, is ignored or was
 * sent is none.
 */
export async function receiveGone(
  ctx: Parameters<typeof receiveOrder>[0],
  of: { readonly accountId: Uuid; readonly channelId: Uuid },
  shopOrderId: string,
): Promise<void> {
  const row = await ctx.database.transaction(async (tx) =>
    lockOrderOfShop(tx, of.accountId, of.channelId, shopOrderId),
  );
  if (row === undefined || row.state === 'ignored') return;
  // It is put away there.
  if (row.order_state === 'dispatched' || row.order_state === 'delivered') return;
  const known: ShopOrder = row.content ?? {
    ...{ id: row.shop_order_id, number: row.shop_number, ordered_at: isoTime(row.ordered_at), shipping_address: {} },
    updated_at: isoTime(row.changed_at),
    items: row.items.map(({ id, title, quantity }) => ({ id, title, quantity })),
  };
  await receiveOrder(ctx, of, { ...known, updated_at: isoTime(row.changed_at), cancelled: true });
}

/** The latest time that a change counts as made at: a clock that is ahead is put right one day. */
function aheadOf(now: Date): Date {
  return new Date(now.getTime() + AHEAD_MAX_MS);
}

/** What is kept of an order as a shop sent it. */
export function receivedOf(
  ctx: Pick<ChannelsContext, 'secrets'>,
  order: ShopOrder,
  now: Date,
  sent: SentPieces = {},
): Received {
  const { digest, everyDigest } = ctx.secrets;
  const by = (keyed: typeof digest) => ({ digest: digestBy(keyed, order), parts: orderParts(keyed, order) });
  const { parts, ...present } = by(digest);
  return {
    content: order,
    ...present,
    parts: Object.keys(sent).length === 0 ? parts : { ...parts, sent },
    earlier: everyDigest.map(by),
    items: keptItems(order.items),
    changedAt: new Date(Math.min(Date.parse(order.updated_at), aheadOf(now).getTime())),
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
function digestBy(digest: (text: string) => Buffer, order: ShopOrder): Buffer {
  const { scheduled_for: _day, ...rest } = order;
  const items = order.items.map(({ scheduled_for: _of, ...item }) => item);
  return digest(JSON.stringify({ ...rest, items, updated_at: '' }));
}

/** The days that an order and its items wait for, as a text. */
function daysOf({ scheduled_for: day, items }: ShopOrder): string {
  return JSON.stringify([day, ...items.map(({ scheduled_for: of }) => of)]);
}

/**
 * What is kept of a placed order as its shop has it now.
 * It was not fulfilled: that the shop calls it so is what we have reported it. Pieces that it has sent itself are news.
 */
async function ofPlaced(
  ctx: Pick<ChannelsContext, 'secrets'>,
  tx: Db,
  row: InboxRow,
  sentOrder: ShopOrder,
  received: Received,
): Promise<Received> {
  const since = await sentSince(tx, row, sentOrder);
  const news: Pick<LaterOrder, 'sent_since'> = Object.keys(since).length === 0 ? {} : { sent_since: since };
  const content: LaterOrder = { ...received.content, ...news };
  const { fulfilled: _told, ...rest } = content;
  const { digest, everyDigest } = ctx.secrets;
  const earlier = everyDigest.map((keyed) => ({ digest: digestBy(keyed, rest), parts: orderParts(keyed, rest) }));
  return { ...received, content, digest: digestBy(digest, rest), earlier };
}

/** Has an order looked at, when it is its shop's turn; of each revision once. */
export async function enqueueLook(
  tx: Db,
  row: Pick<InboxRow, 'account_id' | 'channel_id' | 'id' | 'revision'>,
  now: Date,
): Promise<void> {
  const key = `${publicId('sho', row.id)} ${row.revision}`;
  const payload = { id: row.id, revision: row.revision };
  const { account_id: accountId, channel_id: line } = row;
  await enqueue(tx, { kind: SHOP_ORDER_JOB, key, payload, runAt: now, accountId, line });
}

function tooManyOpen(): ApiError {
  return new ApiError(
    'rate_limited',
    `So many orders of this shop wait that no more are taken. Answer them in the portal, then send this one again.`,
    { headers: { 'retry-after': '3600' } },
  );
}

/**
 * Whether something later of an order has come before.
 * What was kept with a time of a clock that was wrong is followed by whatever comes.
 */
function isOvertaken(row: InboxRow, { changedAt, now }: Received): boolean {
  return changedAt < row.changed_at && row.changed_at <= aheadOf(now);
}

/**
 * Whether a shop sends an order once more that was left to others.
 * Its people may have said since what its items are. A list that begins where it ended has the same order again.
 */
function isSentAnew(row: InboxRow, { changedAt }: Received, isSigned: boolean): boolean {
  const isLeft = row.state === 'ignored' && row.reason === 'nothing_ours';
  return isLeft && (isSigned || changedAt > row.changed_at);
}

/** A kept order, with its digests by the present key as far as what is received has the same. Pure. */
export function keptByPresentKey(row: InboxRow, received: Received): InboxRow {
  const { digest, parts, earlier } = received;
  const isSame = earlier.some((one) => one.digest.equals(row.digest));
  const kept =
    row.parts === null
      ? null
      : byPresentKey(
          row.parts,
          parts,
          earlier.map((one) => one.parts),
        );
  return { ...row, digest: isSame ? digest : row.digest, parts: kept };
}

async function takeLater(tx: Db, before: InboxRow, received: Received, isSigned = false): Promise<void> {
  const row = keptByPresentKey(before, received);
  const { content, digest, changedAt, now } = received;
  const isSameDay = row.content === null || daysOf(row.content) === daysOf(content);
  if (digest.equals(row.digest) && isSameDay && !isSentAnew(row, received, isSigned)) {
    await noteLater(tx, row, changedAt);
    return;
  }
  if (isForGood(row)) return;
  if (row.state !== 'placed') {
    await renewKept(tx, row, received);
    return;
  }
  const takesBack: Partial<LaterOrder> = row.reason === 'asked_to_cancel' ? { takes_back_cancel: true } : {};
  const later: LaterOrder = { ...content, ...takesBack };
  const change = content.cancelled === true ? CANCEL : { reason: 'change_asked' as const, later };
  const revision = await noteChange(tx, row, { digest, changedAt, ...change });
  await enqueueLook(tx, { ...row, revision }, now);
}

/** Whether an order is kept from being placed in its shop, for any length of time. */
function isKept({ unpaid, on_hold: isHeld, cancelled, items }: ShopOrder): boolean {
  if (unpaid === true || isHeld === true || cancelled === true) return true;
  return items.some((item) => item.on_hold === true && item.made_by_others !== true);
}

const CANCEL = { reason: 'cancel_asked', later: null } as const;

/**
 * Takes what a shop sent later in place of what came before, and has it looked at.
 * An address that a person has put right stays while the shop has it as it was, and an approval while it covers it.
 */
export async function renewKept(tx: Db, row: InboxRow, received: Received): Promise<void> {
  const isCorrected = row.is_corrected && row.content !== null && row.parts?.address === received.parts.address;
  const address = isCorrected ? row.content?.shipping_address : undefined;
  const content = address === undefined ? received.content : { ...received.content, shipping_address: address };
  const isCovered = isStillApproved(row, received);
  // What was ignored is set going by its shop.
  const wasKept = row.content === null || row.reason === 'unreadable' || isKept(row.content);
  const isFreed = wasKept && !isKept(received.content);
  const freeAt = isFreed ? isoTime(received.now) : row.parts?.free_at;
  const parts = freeAt === undefined ? received.parts : { ...received.parts, free_at: freeAt };
  const revision = await renewInboxRow(tx, row, { ...received, content, parts }, { isCorrected, isCovered });
  await enqueueLook(tx, { ...row, revision }, received.now);
}
