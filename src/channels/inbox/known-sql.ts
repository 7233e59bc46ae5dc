import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// Whether an order of a shop is here already.

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

const PLACED_BEFORE = statement<{ reference: string }>(
  'channels_placed_before',
  `select o.reference from channel now
     join channel was on was.account_id = now.account_id and was.id <> now.id and ${bare('was')} = ${bare('now')}
       and was.platform = now.platform
     join channel_order s on s.account_id = was.account_id and s.channel_id = was.id and s.shop_order_id = $3
     join orders o on o.account_id = s.account_id and o.id = s.order_id and o.state <> 'cancelled'
   where now.account_id = $1 and now.id = $2 limit 1`,
);

/** The reference of an order that goes on, of the same order of the shop as it was connected before. */
export async function findPlacedBefore(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid },
  shopOrderId: string,
): Promise<string | undefined> {
  return (await db.one(PLACED_BEFORE, [of.accountId, of.channelId, shopOrderId]))?.reference;
}
