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
import { keptItems } from './request-of.ts';

/** The kind of job that takes an order of a shop further. */
export const SHOP_ORDER_JOB = 'shop_order';

/** Orders of a channel that wait or have failed. Beyond these the shop must try again later. */
const OPEN_MAX = 10_000;
/** An order counts as one for each so many bytes that the shop sent: a few large ones fill no disk. */
const BYTES_OF_ONE = 16_384;

/**
 * Takes an order that a shop has sent.
 * The same again, and what is older than what came before, change nothing. What is newer takes the place of what is
 * not placed yet. Of a placed order a cancel is passed on, and any other change is noted for a person. Row and job are
 * one transaction, so what is acknowledged is looked at. Locks the channel, then the order.
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
    const received: Received = {
      content: order,
      digest: digestOf(ctx, order),
      items: keptItems(order.items),
      changedAt: new Date(order.updated_at),
      orderedAt: new Date(order.ordered_at),
      weight: Math.ceil(Buffer.byteLength(JSON.stringify(order)) / BYTES_OF_ONE),
      now,
    };
    await noteOrder(tx, accountId, channelId, now);
    const row = await lockOrderOfShop(tx, accountId, channelId, order.id);
    if (row !== undefined) {
      await takeLater(tx, row, row.state === 'placed' ? { ...received, digest: digestOfPlaced(ctx, order) } : received);
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

/** What is said of a placed order of which the shop sent something else since. */
export const CHANGED_SINCE =
  'The shop has changed this order since it was placed. Nothing of that is done by itself: compare the two.';

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
    const revision = await renewInboxRow(tx, row, received);
    await enqueueLook(tx, { ...row, revision }, now);
    return;
  }
  if (content.cancelled === true) {
    const revision = row.revision + 1;
    await noteChange(tx, row, { digest, changedAt, reason: 'cancel_asked', problems: [], revision });
    await enqueueLook(tx, { ...row, revision }, now);
    return;
  }
  // Once it is cancelled, or that was refused, what comes later is no news.
  if (row.reason !== '' && row.reason !== 'changed_in_shop') return;
  await noteChange(tx, row, {
    digest,
    changedAt,
    reason: 'changed_in_shop',
    problems: [{ path: '', message: CHANGED_SINCE }],
    revision: row.revision,
  });
}
