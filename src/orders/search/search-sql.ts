import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { StoredAddress } from '../order-columns.ts';
import type { SearchTerm } from './search-terms.ts';

// What orders are found by, written after they are committed. Operators alone read it.

export type SearchedRow = {
  account_id: Uuid;
  id: Uuid;
  external_reference: string | null;
  shipping_address: StoredAddress;
  /** The address for billing, and those that its parcels left for. */
  other_addresses: StoredAddress[];
  total_pence: number;
};

const SEARCHED_COLUMNS = `o.account_id, o.id, o.external_reference, o.shipping_address, o.total_pence,
   jsonb_build_array(o.billing_address) || coalesce((
     select jsonb_agg(p.shipping_address) from shipment p where p.account_id = o.account_id and p.order_id = o.id
   ), '[]') as other_addresses`;

// The lock keeps a change of the address waiting until the terms of the address before it are written, so that the
// change finds them and removes them.
const unsearched = `select ${SEARCHED_COLUMNS} from orders o
   where o.id > $1 and o.id < $2
     and not exists (select from order_search s where s.account_id = o.account_id and s.order_id = o.id)
   order by o.id limit $3 for key share of o`;
const UNSEARCHED = statement<SearchedRow>('orders_unsearched', unsearched);
const UNSEARCHED_UNLOCKED = statement<SearchedRow>('orders_unsearched_unlocked', `${unsearched} skip locked`);

type Range = { readonly after: Uuid; readonly before: Uuid; readonly limit: number };

/** Reads and locks the orders between two ids that cannot be found yet, the oldest first. */
export async function lockUnsearched(tx: Db, { after, before, limit }: Range): Promise<SearchedRow[]> {
  return tx.all(UNSEARCHED, [after, before, limit]);
}

/** As `lockUnsearched`, but passes over orders that are locked, so that these delay no other. */
export async function lockUnsearchedUnlocked(tx: Db, { after, before, limit }: Range): Promise<SearchedRow[]> {
  return tx.all(UNSEARCHED_UNLOCKED, [after, before, limit]);
}

/** A term of more orders than this is common: how many more does not matter. */
const COMMON_FROM = 500;

const BY_RARITY = statement<{ place: number }>(
  'orders_search_terms_by_rarity',
  `select t.place::integer as place from (
     select wanted.place, (
       select count(*) from (
         select from order_search where kind = wanted.kind and term = wanted.term order by order_id limit ${COMMON_FROM}
       ) as found
     ) as orders
     from unnest($1::text[], $2::text[]) with ordinality as wanted(kind, term, place)
   ) as t order by t.orders, t.place`,
);

/**
 * The terms that an order must have, those of the fewest orders first.
 * As they came where they are as common.
 */
export async function rarestFirst(db: Db, terms: readonly SearchTerm[]): Promise<SearchTerm[]> {
  if (terms.length < 2) return [...terms];
  const rows = await db.all(BY_RARITY, [terms.map(({ kind }) => kind), terms.map(({ term }) => term)]);
  return rows.flatMap(({ place }) => terms[place - 1] ?? []);
}

const LACKING_CONTACTS = statement<SearchedRow>(
  'orders_lacking_contacts',
  `select ${SEARCHED_COLUMNS} from orders o where o.id > $1 and o.id < $2 order by o.id limit $3 for key share of o`,
);

/** Reads and locks the orders between two ids, the oldest first, whether or not they can be found. */
export async function lockSearched(tx: Db, { after, before, limit }: Range): Promise<SearchedRow[]> {
  return tx.all(LACKING_CONTACTS, [after, before, limit]);
}

const CONTACTS = statement<{ contacts_through: Uuid; contacts_until: Uuid }>(
  'orders_search_contacts',
  'select contacts_through, contacts_until from order_search_progress',
);

/**
 * Up to which id orders can be found by phone and e-mail that were placed before they could;
 * and the last of these.
 */
export async function readContactsProgress(db: Db): Promise<{ contacts_through: Uuid; contacts_until: Uuid }> {
  const row = await db.one(CONTACTS, []);
  if (row === undefined) throw new Error('order_search_progress has no row');
  return row;
}

const ADVANCE_CONTACTS = statement<never>(
  'orders_advance_contacts',
  'update order_search_progress set contacts_through = $1 where contacts_through < $1',
);

/** Notes that every order up to an id can be found by phone and e-mail. */
export async function advanceContacts(tx: Db, through: Uuid): Promise<void> {
  await tx.all(ADVANCE_CONTACTS, [through]);
}

const SEARCHED = statement<SearchedRow>(
  'orders_searched',
  `select ${SEARCHED_COLUMNS} from orders o where o.account_id = $1 and o.id = $2`,
);

/** Reads what a locked order is found by. */
export async function readSearched(tx: Db, accountId: Uuid, orderId: Uuid): Promise<SearchedRow[]> {
  return tx.all(SEARCHED, [accountId, orderId]);
}

const WRITE = statement<never>(
  'orders_write_search',
  `insert into order_search (account_id, order_id, kind, term)
   select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) on conflict do nothing`,
);

/** Writes the terms by which orders are found. */
export async function writeSearchTerms(
  tx: Db,
  rows: readonly (SearchTerm & { readonly accountId: Uuid; readonly orderId: Uuid })[],
): Promise<void> {
  await tx.all(WRITE, [
    rows.map(({ accountId }) => accountId),
    rows.map(({ orderId }) => orderId),
    rows.map(({ kind }) => kind),
    rows.map(({ term }) => term),
  ]);
}

const FORGET = statement<never>(
  'orders_forget_search',
  `delete from order_search where account_id = $1 and order_id = $2`,
);

/** Removes the terms of a locked order. */
export async function forgetSearchTerms(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(FORGET, [accountId, orderId]);
}

const PROGRESS = statement<{ filled_through: Uuid }>(
  'orders_search_progress',
  'select filled_through from order_search_progress',
);

/** The id up to which every order can be found. */
export async function readSearchProgress(db: Db): Promise<Uuid> {
  const row = await db.one(PROGRESS, []);
  if (row === undefined) throw new Error('order_search_progress has no row');
  return row.filled_through;
}

const ADVANCE = statement<never>(
  'orders_advance_search',
  'update order_search_progress set filled_through = $1 where filled_through < $1',
);

/** Notes that every order up to an id can be found. */
export async function advanceSearch(tx: Db, through: Uuid): Promise<void> {
  await tx.all(ADVANCE, [through]);
}
