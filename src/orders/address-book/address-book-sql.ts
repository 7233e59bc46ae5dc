import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import type { StoredAddress } from '../order-columns.ts';

/** Addresses that an account may keep. It bounds what a search reads. */
export const SAVED_MAX = 1_000;

export type SavedAddressRow = { id: Uuid; label: string; address: Required<StoredAddress>; created_at: Date };

const COLUMNS = 'id, label, address, created_at';

// An id begins with the time at which it was drawn. The book is bounded, and so is what a search reads of it.
const FIND = statement<SavedAddressRow>(
  'orders_find_saved_addresses',
  `select ${COLUMNS} from saved_address
   where account_id = $1 and id < $3 and lower(label || ' ' || (select string_agg(value, ' ') from jsonb_each_text(address))) like all($2::text[])
   order by id desc limit least($4::integer, ${PAGE_ROWS_MAX})`,
);

/** A page of an account's addresses in which every word occurs, the newest first, from after `before`. */
export async function findSavedAddresses(
  db: Db,
  { accountId, words }: { readonly accountId: Uuid; readonly words: readonly string[] },
  page: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<SavedAddressRow[]> {
  const patterns = words.map((word) => `%${word.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`);
  return db.all(FIND, [accountId, patterns, page.before ?? LAST_ID, page.limit]);
}

const IS_FULL = statement<{ is_full: boolean }>(
  'orders_address_book_is_full',
  `select (select count(*) from (select from saved_address where account_id = $1 limit ${SAVED_MAX}) as kept) = ${SAVED_MAX}
     and (select true from saved_address where account_id = $1 and md5(address::text) = md5($2::jsonb::text) limit 1) is null as is_full`,
);

/** Whether a locked account may keep no address that it does not keep already. */
export async function isBookFull(tx: Db, accountId: Uuid, address: StoredAddress): Promise<boolean> {
  return (await tx.one(IS_FULL, [accountId, JSON.stringify(address)]))?.is_full === true;
}

// Of two that keep the same address at a moment, the second finds that of the first.
const SAVE = statement<SavedAddressRow>(
  'orders_save_address',
  `insert into saved_address (account_id, id, label, address, created_at) values ($1, $2, coalesce($3, $6), $4, $5)
   on conflict (account_id, md5(address::text)) do update set label = coalesce($3, saved_address.label)
   returning ${COLUMNS}`,
);

/** Keeps an address; one that is kept already gets the label, if one is given. */
export async function insertSavedAddress(
  tx: Db,
  accountId: Uuid,
  row: Omit<SavedAddressRow, 'label'> & { readonly label: string | null },
): Promise<SavedAddressRow | undefined> {
  const { id, label, address, created_at: at } = row;
  return tx.one(SAVE, [accountId, id, label, JSON.stringify(address), at, address.contact_name]);
}

const REMOVE = statement<{ id: Uuid }>(
  'orders_remove_saved_address',
  'delete from saved_address where account_id = $1 and id = $2 returning id',
);

/** Removes a saved address; false when the account has none of the id. */
export async function removeSavedAddress(db: Db, accountId: Uuid, id: Uuid): Promise<boolean> {
  return (await db.one(REMOVE, [accountId, id])) !== undefined;
}
