import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { SaidOfItem } from './file-items.ts';

const SAID = statement<SaidOfItem & { key: string }>(
  'checkout_said_items',
  'select key, product_id, variant_sku from order_file_item where account_id = $1 and key = any($2::text[])',
);

/** What people of an account have said of items, by their keys. */
export async function findSaidItems(
  db: Db,
  accountId: Uuid,
  keys: readonly string[],
): Promise<ReadonlyMap<string, SaidOfItem>> {
  const rows = await db.all(SAID, [accountId, keys]);
  return new Map(rows.map(({ key, ...said }) => [key, said]));
}

/** Items of an account that something is said of. */
export const SAID_ITEMS_MAX = 20_000;

const COUNT = statement<{ items: number }>(
  'checkout_count_said_items',
  'select count(*)::integer as items from (select from order_file_item where account_id = $1 limit $2) as i',
);

/** Counts the items of an account that something is said of, up to the most that there may be. */
export async function countSaidItems(tx: Db, accountId: Uuid): Promise<number> {
  return (await tx.one(COUNT, [accountId, SAID_ITEMS_MAX]))?.items ?? 0;
}

const SAY = statement<never>(
  'checkout_say_item',
  `insert into order_file_item (account_id, key, title, product_id, variant_sku, set_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, key) do update set title = excluded.title, product_id = excluded.product_id,
     variant_sku = excluded.variant_sku, set_at = excluded.set_at`,
);

/** Notes what an item is; the last word counts. */
export async function sayItem(
  tx: Db,
  item: SaidOfItem & { readonly accountId: Uuid; readonly key: string; readonly title: string; readonly now: Date },
): Promise<void> {
  const { accountId, key, title, product_id: productId, variant_sku: sku, now } = item;
  await tx.all(SAY, [accountId, key, title, productId, sku, now]);
}

const FORGET = statement<{ key: string }>(
  'checkout_forget_item',
  'delete from order_file_item where account_id = $1 and key = $2 returning key',
);

/** Forgets what is said of an item; false if nothing was. */
export async function forgetItem(tx: Db, accountId: Uuid, key: string): Promise<boolean> {
  return (await tx.one(FORGET, [accountId, key])) !== undefined;
}

const CLEAR_PLACES = statement<never>(
  'checkout_clear_order_file_places',
  'delete from order_file_order where account_id = $1 and file_id = $2 and place = any($3::integer[])',
);
const REREAD = statement<never>(
  'checkout_reread_order_file',
  `update order_file set state = 'checking', plan = plan + 1, updated_at = $3, turn_at = $3, lease_token = null, leased_until = null
   where account_id = $1 and id = $2`,
);

/**
 * Has some orders of a locked file read anew, those in some places of it.
 * They go, and what a worker has of the file is not written any more.
 */
export async function clearPlaces(
  tx: Db,
  of: { readonly accountId: Uuid; readonly id: Uuid },
  places: readonly number[],
  now: Date,
): Promise<void> {
  await tx.all(CLEAR_PLACES, [of.accountId, of.id, places]);
  await tx.all(REREAD, [of.accountId, of.id, now]);
}
