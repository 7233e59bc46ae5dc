import type { Uuid } from '../../lib/ids.ts';
import type { ChannelsContext } from '../context.ts';
import { hasOrderOfShop } from '../inbox/known-sql.ts';
import { receiveGone } from '../inbox/receive-order.ts';
import type { Platform, Shop } from '../platforms/port.ts';
import { type ShopFault, WAITS_FOR_SHOP } from '../platforms/shop-call.ts';
import type { Apart } from './apart.ts';
import { dropHint, HINTS_MAX, type Hint, listHints, noteHint, putOffHint } from './hint-sql.ts';
import { keepOrders, noteUnread } from './keep-orders.ts';
import type { ShopLink } from './link-sql.ts';

const HINTS_AT_ONCE = 20;
/** Until an order is asked for again that the shop did not give out; longer each time. */
const READ_AGAIN_MS = 15_000;
const READ_AGAIN_MS_MAX = 3_600_000;
const READ_TRIES_COUNTED = 4;
const READ_TRIES_MAX = 80;
/** Until an order is asked for again for which there was no room. */
const FULL_AGAIN_MS = 600_000;

/** A shop under its sync. */
export type Sync = {
  readonly ctx: ChannelsContext;
  readonly of: { readonly accountId: Uuid; readonly channelId: Uuid };
  readonly link: ShopLink;
  readonly platform: Platform;
  readonly shop: Shop;
  readonly apart: Apart;
  /** Whether the time of this sync is over. */
  readonly isOver: () => boolean;
  /** Whether an order was read for which there is no room: no other new one is asked for. */
  readonly isFull: boolean;
};

/** What a step of a sync has left to do, what it has learnt, and whether orders find no room. */
export type SyncStep = {
  readonly isMore: boolean;
  readonly facts?: Shop['facts'];
  readonly isFull?: boolean;
  /** It would ask the shop the same in the next round of this sync. */
  readonly isEnded?: boolean;
};

/**
 * Reads orders that a shop has said have changed, a bounded number.
 * Where there is no room for new ones, those that are known are read still.
 */
export async function readHinted(syncing: Sync): Promise<SyncStep> {
  const { ctx, of, apart, isOver } = syncing;
  const hints = await listHints(ctx.database, of, ctx.clock.now(), HINTS_AT_ONCE);
  let { isFull } = syncing;
  let isMore = hints.length === HINTS_AT_ONCE;
  for (const hint of hints) {
    if (isOver()) return { isMore: true, isFull };
    if (!isOfOrder(syncing, hint)) {
      const name = async (): Promise<void> => {
        await nameOrder(syncing, hint);
        isMore = true;
      };
      await apart.one(name, (fault, isItsOwn) => putOffRead(syncing, hint, fault, isItsOwn));
      continue;
    }
    const isOutside = isFull && !(await hasOrderOfShop(ctx.database, of, hint.shop_order_id));
    const read = async (): Promise<void> => {
      if (!isOutside && (await readOne(syncing, hint.shop_order_id))) {
        await dropHint(ctx.database, of.accountId, of.channelId, hint);
        return;
      }
      isFull = true;
      await putOffHint(ctx.database, of, hint, { again: later(ctx, FULL_AGAIN_MS), tries: hint.tries });
    };
    await apart.one(read, (fault, isItsOwn) => putOffRead(syncing, hint, fault, isItsOwn));
  }
  return { isMore, isFull };
}

/** Whether a hint names its order itself. */
function isOfOrder({ platform }: Pick<Sync, 'platform'>, { shop_order_id: hinted }: Hint): boolean {
  return platform.hints === undefined || platform.hints.areOfOrder(hinted);
}

/** Has the order hinted at that a hint names by something of it; one that names none is dropped. */
async function nameOrder({ ctx, of, platform, shop }: Sync, hint: Hint): Promise<void> {
  const shopOrderId = await platform.hints?.orderOf(shop, hint.shop_order_id);
  await ctx.database.transaction(async (tx) => {
    await dropHint(tx, of.accountId, of.channelId, hint);
    if (shopOrderId !== undefined) await noteHint(tx, { ...of, shopOrderId, now: ctx.clock.now() }, HINTS_MAX);
  });
}

/**
 * An order that its shop does not give out is asked for again for days, and soon counts as unreadable.
 * One that the shop gives out in a moment does not count.
 */
async function putOffRead(syncing: Sync, hint: Hint, fault: ShopFault, isItsOwn: boolean): Promise<void> {
  if (!isItsOwn) return;
  const { ctx, of } = syncing;
  if (fault.code === WAITS_FOR_SHOP) {
    await putOffHint(ctx.database, of, hint, { again: later(ctx, READ_AGAIN_MS), tries: hint.tries });
    return;
  }
  const tries = hint.tries + 1;
  // What names no order would stand in the inbox as one for good.
  if (tries === READ_TRIES_COUNTED && isOfOrder(syncing, hint)) {
    await noteUnread(ctx, of, { id: hint.shop_order_id, message: fault.message });
  }
  if (tries === READ_TRIES_MAX) {
    await dropHint(ctx.database, of.accountId, of.channelId, hint);
    return;
  }
  const again = later(ctx, Math.min(READ_AGAIN_MS * 2 ** hint.tries, READ_AGAIN_MS_MAX));
  await putOffHint(ctx.database, of, hint, { again, tries });
}

function later({ clock }: Pick<ChannelsContext, 'clock'>, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}

/** Reads an order as its shop has it now; false where there is no room for it. */
export async function readOne({ ctx, of, platform, shop }: Sync, id: string): Promise<boolean> {
  const read = await platform.readOrder(shop, id);
  if (read !== 'gone') return read === undefined || (await keepOrders(ctx, of, shop.since, [read])).length === 0;
  await receiveGone(ctx, of, id);
  return true;
}
