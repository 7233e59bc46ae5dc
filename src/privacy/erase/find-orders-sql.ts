import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// Which orders of an account belong to a person: by the terms of the operators' search, and where these are not written
// yet by the orders themselves.

const ADDRESSES = `jsonb_build_array(o.shipping_address, o.billing_address) || coalesce((
     select jsonb_agg(s.shipping_address) from shipment s where s.account_id = o.account_id and s.order_id = o.id
   ), '[]') as addresses`;

/** An order with every address that it has. */
export type AddressedOrder = {
  id: Uuid;
  addresses: { contact_name: string; postcode: string; phone?: string; email?: string }[];
};

/** Terms of all accounts that one page passes over. */
const TERMS_PASSED = 5_000;

const BY_TERM = statement<{ next: Uuid | null; is_full: boolean; orders: AddressedOrder[] }>(
  'privacy_orders_by_term',
  `with page as materialized (
     select account_id, order_id from order_search where kind = $2 and term = $3 and order_id > $4
     order by order_id limit ${TERMS_PASSED}
   )
   select (select order_id from page order by order_id desc limit 1) as next,
     (select count(*) from page) = ${TERMS_PASSED} as is_full,
     coalesce((
       select json_agg(json_build_object('id', found.id, 'addresses', found.addresses) order by found.id) from (
         select o.id, ${ADDRESSES} from page p join orders o on o.account_id = p.account_id and o.id = p.order_id
         where p.account_id = $1
       ) as found
     ), '[]') as orders`,
);

/**
 * A page of the orders of an account with a term, and where the next page begins;
 * undefined at the end.
 */
export async function listOrdersByTerm(
  db: Db,
  accountId: Uuid,
  term: { readonly kind: string; readonly term: string },
  after: Uuid,
): Promise<{ orders: AddressedOrder[]; next: Uuid | undefined }> {
  const row = await db.one(BY_TERM, [accountId, term.kind, term.term, after]);
  if (row === undefined) throw new Error('a page without a row');
  return { orders: row.orders, next: row.is_full ? (row.next ?? undefined) : undefined };
}

const OF_ACCOUNT = statement<AddressedOrder>(
  'privacy_orders_of_account',
  `select o.id, ${ADDRESSES} from orders o where o.account_id = $1 and o.id > $2 order by o.id limit $3`,
);

/** A page of the orders of an account, the oldest first, with their addresses. */
export async function listAddressedOrders(
  db: Db,
  accountId: Uuid,
  after: Uuid,
  limit: number,
): Promise<AddressedOrder[]> {
  return db.all(OF_ACCOUNT, [accountId, after, limit]);
}

const IDS_OF_ACCOUNT = statement<{ id: Uuid }>(
  'privacy_order_ids_of_account',
  'select id from orders where account_id = $1 and id > $2 order by id limit $3',
);

/** A page of the ids of an account's orders, the oldest first. */
export async function listOrderIds(db: Db, accountId: Uuid, after: Uuid, limit: number): Promise<Uuid[]> {
  return (await db.all(IDS_OF_ACCOUNT, [accountId, after, limit])).map(({ id }) => id);
}

const UNERASED_IDS = statement<{ id: Uuid }>(
  'privacy_unerased_order_ids',
  'select id from orders where account_id = $1 and id > $2 and erased_at is null order by id limit $3',
);

/** As `listOrderIds`, of the orders that are not erased. */
export async function listUnerasedIds(db: Db, accountId: Uuid, after: Uuid, limit: number): Promise<Uuid[]> {
  return (await db.all(UNERASED_IDS, [accountId, after, limit])).map(({ id }) => id);
}

const UNERASED_OF = statement<{ id: Uuid }>(
  'privacy_unerased_of',
  'select id from orders where account_id = $1 and id = any($2::uuid[]) and erased_at is null',
);

/** Those of some orders that are not erased. */
export async function listUnerasedOf(db: Db, accountId: Uuid, ids: readonly Uuid[]): Promise<Uuid[]> {
  return (await db.all(UNERASED_OF, [accountId, ids])).map(({ id }) => id);
}

const SEARCHED = statement<{ filled_through: Uuid; contacts_through: Uuid; contacts_until: Uuid }>(
  'privacy_search_progress',
  'select filled_through, contacts_through, contacts_until from order_search_progress',
);

/** The id from which on orders may lack terms of the search. */
export async function readSearchedThrough(db: Db): Promise<Uuid> {
  const row = await db.one(SEARCHED, []);
  if (row === undefined) throw new Error('order_search_progress has no row');
  const { filled_through: filled, contacts_through: contacts, contacts_until: until } = row;
  return contacts < until && contacts < filled ? contacts : filled;
}

const FAMILY = statement<{ id: Uuid }>(
  'privacy_order_family',
  `with recursive up as (
     select id, replaces, 0 as depth from orders where account_id = $1 and id = $2
     union all
     select o.id, o.replaces, u.depth + 1 from up u join orders o on o.account_id = $1 and o.id = u.replaces
     where u.depth < 100
   ),
   family as (
     select id, 0 as depth from up
     union
     select o.id, f.depth + 1 from family f join orders o on o.account_id = $1 and o.replaces = f.id where f.depth < 100
   )
   select distinct id from family order by id limit 10000`,
);

/** An order with those that it replaces and those that replace it: the same recipient gets all of them. */
export async function listOrderFamily(db: Db, accountId: Uuid, orderId: Uuid): Promise<Uuid[]> {
  return (await db.all(FAMILY, [accountId, orderId])).map(({ id }) => id);
}

const REPLACEMENTS = statement<{ id: Uuid }>(
  'privacy_replacements',
  'select id from orders where replaces = $2 and account_id = $1 and erased_at is null order by id limit 10000',
);

/** The orders that replace pieces of one and are not erased. */
export async function listReplacements(db: Db, accountId: Uuid, orderId: Uuid): Promise<Uuid[]> {
  return (await db.all(REPLACEMENTS, [accountId, orderId])).map(({ id }) => id);
}

const ACCOUNT = statement<{ id: Uuid; name: string }>('privacy_account', 'select id, name from account where id = $1');

/** An account by its id. */
export async function findAccountToErase(db: Db, accountId: Uuid): Promise<{ id: Uuid; name: string } | undefined> {
  return db.one(ACCOUNT, [accountId]);
}

const ORDER = statement<{ account_id: Uuid }>(
  'privacy_account_of_order',
  'select account_id from orders where id = $1',
);

/** The account of an order. */
export async function findAccountOfOrder(db: Db, orderId: Uuid): Promise<Uuid | undefined> {
  return (await db.one(ORDER, [orderId]))?.account_id;
}
