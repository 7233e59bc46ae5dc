import { isoTime } from '../../lib/clock.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { ChannelsContext } from '../context.ts';
import { keepUnreadable } from '../inbox/keep-unreadable.ts';
import { hasOrderOfShop } from '../inbox/known-sql.ts';
import { receiveGone, receiveOrder } from '../inbox/receive-order.ts';
import type { ReadOrder } from '../platforms/port.ts';
import { ShopFault } from '../platforms/shop-call.ts';
import type { ShopOrder } from '../shop-order.ts';
import { HINTS_MAX, noteHint } from './hint-sql.ts';
import { noteUnreadable } from './sync-sql.ts';
import { writableOrder } from './writable-order.ts';

type Of = { readonly accountId: Uuid; readonly channelId: Uuid };

/**
 * Writes orders to the inbox, those that could not be read as well.
 * One that the shop has withheld is hinted at, to be asked for by itself. Returns the ids of those that are not kept: a
 * paid order finds no room while so many wait.
 */
export async function keepOrders(
  ctx: ChannelsContext,
  of: Of,
  since: Date,
  orders: readonly ReadOrder[],
): Promise<string[]> {
  const outside: string[] = [];
  for (const read of orders) {
    if (read.kind === 'order') {
      if (!(await receive(ctx, of, since, writableOrder(read.order)))) outside.push(read.order.id);
    } else if (read.kind === 'nothing') {
      // Of a known one all was taken out that it had; any other is none of ours.
      if (await hasOrderOfShop(ctx.database, of, read.id)) await receiveGone(ctx, of, read.id);
    } else if (read.kind === 'withheld') {
      await askAgain(ctx, of, read.id);
    } else {
      await noteUnread(ctx, of, read);
    }
  }
  return outside;
}

/** Counts an order that cannot be read, and has it stand in the inbox with what is wrong. */
export async function noteUnread(
  ctx: ChannelsContext,
  of: Of,
  { id, message }: { readonly id: string; readonly message: string },
): Promise<void> {
  await noteUnreadable(ctx.database, of, 1, `Order ${id || 'without an id'}: ${message}`);
  if (id !== '') await keepUnreadable(ctx, of, { id, message });
}

async function askAgain({ database, clock }: ChannelsContext, of: Of, shopOrderId: string): Promise<void> {
  const isNoted = await noteHint(database, { ...of, shopOrderId, now: clock.now(), isNews: false }, HINTS_MAX);
  // Without it the list may not go on beyond this order.
  if (!isNoted) throw new ShopFault('broken', 'The shop does not give out its orders.');
}

/** Whether an order is kept, or is none of ours. An unpaid one comes again once it is paid. */
async function receive(ctx: ChannelsContext, of: Of, since: Date, order: ShopOrder): Promise<boolean> {
  // What was over before the shop was connected is none of ours.
  const isOver = order.cancelled === true || order.fulfilled === true;
  const isEarlier = isOver && new Date(order.ordered_at) < since;
  if (isEarlier && !(await hasOrderOfShop(ctx.database, of, order.id))) return true;
  try {
    await receiveOrder(ctx, of, { ...order, updated_at: notAhead(order.updated_at, ctx.clock.now()) });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error;
    return order.unpaid === true;
  }
}

/**
 * When an order was changed, by the shop's clock as far as that is not ahead of ours.
 * What is read is what the shop has now, and is later than what was read before, whatever its clock said then.
 */
function notAhead(changedAt: string, now: Date): string {
  return Date.parse(changedAt) > now.getTime() ? isoTime(now) : changedAt;
}
