import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

/** An item of a shop: the variant that it is, or null for what others make. */
export type ItemRow = {
  key: string;
  title: string;
  product_id: Uuid | null;
  variant_sku: string | null;
  /** What buyers enter for it does not matter. */
  ignores_entries: boolean;
  set_at: Date;
};

const KNOWN = statement<ItemRow>(
  'channels_known_items',
  `select key, title, product_id, variant_sku, ignores_entries, set_at from channel_item
   where account_id = $1 and channel_id = $2 and key = any($3::text[])`,
);

/** What is known of items by their keys. */
export async function findItems(db: Db, accountId: Uuid, channelId: Uuid, keys: readonly string[]): Promise<ItemRow[]> {
  return db.all(KNOWN, [accountId, channelId, keys]);
}

/** Items of a channel that are known. */
export const ITEMS_MAX = 20_000;

/** Items of a channel in a page. */
export const ITEMS_PAGE = 100;

const LIST = statement<ItemRow>(
  'channels_items',
  `select key, title, product_id, variant_sku, ignores_entries, set_at from channel_item
   where account_id = $1 and channel_id = $2 and key > $3 order by key limit ${ITEMS_PAGE + 1}`,
);

/** The items of a channel that are mapped or marked, by their keys, from after one. */
export async function listItems(db: Db, accountId: Uuid, channelId: Uuid, after: string): Promise<ItemRow[]> {
  return db.all(LIST, [accountId, channelId, after]);
}

const MISSING = statement<{ key: string; title: string; orders: number }>(
  'channels_missing_items',
  `select m.key, min(m.title) as title, count(*)::integer as orders from (
     select k.key, coalesce((select i->>'title' from jsonb_array_elements(s.items) as i where i->>'key' = k.key limit 1), k.key) as title
     from (
       select items, missing from channel_order
       where account_id = $1 and channel_id = $2 and reason = 'needs_mapping' and state = 'waiting' order by id limit $3
     ) as s cross join lateral unnest(s.missing) as k(key)
   ) as m group by m.key order by orders desc, m.key limit $4`,
);

/** The items that orders wait for, of the first `ordersMax` such orders; those of most orders first. */
export async function listMissing(
  db: Db,
  of: { accountId: Uuid; channelId: Uuid; ordersMax: number; itemsMax: number },
): Promise<{ key: string; title: string; orders: number }[]> {
  return db.all(MISSING, [of.accountId, of.channelId, of.ordersMax, of.itemsMax]);
}

const COUNT = statement<{ items: number }>(
  'channels_count_items',
  `select count(*)::integer as items from (
     select from channel_item where account_id = $1 and channel_id = $2 limit $3) as i`,
);

/** How many items of a channel are known, up to `max`. */
export async function countItems(tx: Db, accountId: Uuid, channelId: Uuid, max: number): Promise<number> {
  return (await tx.one(COUNT, [accountId, channelId, max]))?.items ?? 0;
}

const SET = statement<never>(
  'channels_set_item',
  `insert into channel_item (account_id, channel_id, key, title, product_id, variant_sku, set_at, ignores_entries)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (account_id, channel_id, key) do update set title = excluded.title, product_id = excluded.product_id,
     variant_sku = excluded.variant_sku, set_at = excluded.set_at, ignores_entries = excluded.ignores_entries`,
);

/** Maps an item to a variant, or marks it as others'. */
export async function setItem(
  tx: Db,
  item: { accountId: Uuid; channelId: Uuid; now: Date } & Omit<ItemRow, 'set_at'>,
): Promise<void> {
  const { accountId, channelId, key, title, product_id: productId, variant_sku: sku, now } = item;
  await tx.all(SET, [accountId, channelId, key, title, productId, sku, now, item.ignores_entries]);
}

const MAP_NEW = statement<never>(
  'channels_map_new_items',
  `insert into channel_item (account_id, channel_id, key, title, product_id, variant_sku, set_at)
   select $1, $2, i.key, i.title, $3, i.variant_sku, $5
   from json_to_recordset($4::json) as i(key text, title text, variant_sku text)
   on conflict (account_id, channel_id, key) do nothing`,
);

/** Maps items to variants of a product, but none that a person has said something of. */
export async function mapNewItems(
  tx: Db,
  of: {
    accountId: Uuid;
    channelId: Uuid;
    productId: Uuid;
    items: readonly { key: string; title: string; variant_sku: string }[];
    now: Date;
  },
): Promise<void> {
  const { accountId, channelId, productId, items, now } = of;
  await tx.all(MAP_NEW, [accountId, channelId, productId, JSON.stringify(items), now]);
}

const DELETE = statement<{ key: string }>(
  'channels_forget_item',
  'delete from channel_item where account_id = $1 and channel_id = $2 and key = $3 returning key',
);

/** Forgets what is known of an item; false if nothing was. */
export async function deleteItem(tx: Db, accountId: Uuid, channelId: Uuid, key: string): Promise<boolean> {
  return (await tx.one(DELETE, [accountId, channelId, key])) !== undefined;
}
