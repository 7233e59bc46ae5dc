import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { ShopOrder } from '../shop-order.ts';

// Which orders of a shop are here already, and how much of them.

const HAS_OF_SHOP = statement<{ id: Uuid }>(
  'channels_has_order_of_shop',
  'select id from channel_order where account_id = $1 and channel_id = $2 and shop_order_id = $3',
);

/** Whether an order that a shop knows by an id has ever come. */
export async function hasOrderOfShop(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  shopOrderId: string,
): Promise<boolean> {
  return (await db.one(HAS_OF_SHOP, [of.accountId, of.channelId, shopOrderId])) !== undefined;
}

const PLACED_AS = statement<{ order_id: Uuid }>(
  'channels_placed_as',
  'select order_id from order_reference where external_reference = $2 and account_id = $1',
);

/** The order of an account that has an external reference. */
export async function findPlacedAs(db: Db, accountId: Uuid, reference: string): Promise<Uuid | undefined> {
  return (await db.one(PLACED_AS, [accountId, reference]))?.order_id;
}

// An account has few channels. An address is the same with and without `www.`.
const bare = (of: string): string => `regexp_replace(rtrim(${of}.address, '/'), '^https?://(www[.])?', '')`;

const PLACED_BEFORE = statement<PlacedBefore>(
  'channels_placed_before',
  `select o.id, o.reference from channel now
     join channel was on was.account_id = now.account_id and was.id <> now.id and ${bare('was')} = ${bare('now')}
       and was.platform = now.platform
     join channel_order s on s.account_id = was.account_id and s.channel_id = was.id and s.shop_order_id = $3
       and s.ordered_at = $4
     join orders o on o.account_id = s.account_id and o.id = s.order_id and o.state <> 'cancelled'
   where now.account_id = $1 and now.id = $2 limit 1`,
);

/** An order that goes on, of an order of a shop as it was connected before. */
export type PlacedBefore = { id: Uuid; reference: string };

/**
 * The order that goes on, of the same order of the shop as it was connected before.
 * A shop that was set up anew at its address counts its orders from one again: the same was ordered at the same time.
 */
export async function findPlacedBefore(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  { id, ordered_at: orderedAt }: Pick<ShopOrder, 'id' | 'ordered_at'>,
): Promise<PlacedBefore | undefined> {
  return db.one(PLACED_BEFORE, [of.accountId, of.channelId, id, new Date(orderedAt)]);
}

const WEIGH_OPEN = statement<{ weight: number }>(
  'channels_weigh_open',
  `select coalesce(sum(weight), 0)::integer as weight from (
     select weight from channel_order where account_id = $1 and channel_id = $2 and ended_at is null limit $3
   ) as o`,
);

/** How much the orders of a channel weigh that have not ended; of `max` of them. */
export async function weighOpen(tx: Db, accountId: Uuid, channelId: Uuid, max: number): Promise<number> {
  return (await tx.one(WEIGH_OPEN, [accountId, channelId, max]))?.weight ?? 0;
}
