import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { ErasureScope } from '../ledger/entry.ts';

// Erasures, and what each has still to do. Nothing here is personal: ids, keyed hashes and counts.

export type ErasureState = 'listing' | 'erasing' | 'done';

export type ErasureRow = {
  account_id: Uuid;
  id: Uuid;
  scope: ErasureScope;
  state: ErasureState;
  listed_through: Uuid | null;
  orders_erased: number;
  files_removed: number;
  requested_at: Date;
  done_at: Date | null;
};

const COLUMNS = `account_id, id, scope, state, listed_through, orders_erased, files_removed, requested_at, done_at`;

const INSERT = statement<{ id: Uuid }>(
  'privacy_insert_erasure',
  `insert into erasure (account_id, id, scope, subject, state, listed_through, requested_at)
   values ($1, $2, $3, decode($4, 'hex'), $5, $6, $7) on conflict (account_id, id) do nothing returning id`,
);

/** Writes an erasure unless it is there. */
export async function insertErasure(
  db: Db,
  erasure: {
    readonly accountId: Uuid;
    readonly id: Uuid;
    readonly scope: ErasureScope;
    readonly subject: string;
    readonly state: ErasureState;
    readonly requestedAt: Date;
  },
): Promise<void> {
  const { accountId, id, scope, subject, state, requestedAt } = erasure;
  const listedThrough = scope === 'account' ? '00000000-0000-0000-0000-000000000000' : null;
  await db.all(INSERT, [accountId, id, scope, subject, state, listedThrough, requestedAt]);
}

const FIND = statement<ErasureRow>(
  'privacy_find_erasure',
  `select ${COLUMNS} from erasure where account_id = $1 and id = $2`,
);

/** An erasure of an account. */
export async function findErasure(db: Db, accountId: Uuid, id: Uuid): Promise<ErasureRow | undefined> {
  return db.one(FIND, [accountId, id]);
}

const FIND_LATEST = statement<ErasureRow>(
  'privacy_find_latest_erasure',
  `select ${COLUMNS} from erasure where subject = decode($1, 'hex') and state <> 'listing' order by id desc limit 1`,
);

/** The latest erasure of the same subject (hex) that the ledger has. */
export async function findLatestErasure(db: Db, subject: string): Promise<ErasureRow | undefined> {
  return db.one(FIND_LATEST, [subject]);
}

const LOCK = statement<ErasureRow>(
  'privacy_lock_erasure',
  `select ${COLUMNS} from erasure where account_id = $1 and id = $2 for update`,
);

/** Locks an erasure. */
export async function lockErasure(tx: Db, accountId: Uuid, id: Uuid): Promise<ErasureRow | undefined> {
  return tx.one(LOCK, [accountId, id]);
}

const BEGIN = statement<{ id: Uuid }>(
  'privacy_begin_erasure',
  `update erasure set state = 'erasing' where id = any($1::uuid[]) and state = 'listing' returning id`,
);

/** Notes that the ledger has some erasures. */
export async function beginErasures(tx: Db, ids: readonly Uuid[]): Promise<void> {
  await tx.all(BEGIN, [ids]);
}

const OPEN = statement<ErasureRow>(
  'privacy_open_erasures',
  `select ${COLUMNS} from erasure where state = 'erasing' and id > $1 order by id limit $2`,
);

/** Erasures of all accounts that are not done, the oldest first. */
export async function listOpenErasures(db: Db, after: Uuid, limit: number): Promise<ErasureRow[]> {
  return db.all(OPEN, [after, limit]);
}

const FORGET_LISTING = statement<never>(
  'privacy_forget_listing',
  `with old as (
     select account_id, id from erasure where state = 'listing' and requested_at < $1 order by id limit 10
   ),
   part as (
     select o.order_id, o.erasure_id, o.account_id from erasure_order o join old on old.id = o.erasure_id limit 10000
   ),
   gone as (
     delete from erasure_order o using part s
     where o.order_id = s.order_id and o.erasure_id = s.erasure_id and o.account_id = s.account_id
   )
   delete from erasure e using old where e.account_id = old.account_id and e.id = old.id
     and not exists (select from erasure_order o where o.erasure_id = old.id)`,
);

/**
 * Removes what is left of requests that were killed before they were acknowledged;
 * an erasure goes with its last order.
 */
export async function forgetListing(db: Db, before: Date): Promise<void> {
  await db.all(FORGET_LISTING, [before]);
}

const ADD_ORDERS = statement<{ order_id: Uuid }>(
  'privacy_add_erasure_orders',
  `insert into erasure_order (account_id, erasure_id, order_id)
   select $1, $2, wanted.id from unnest($3::uuid[]) as wanted(id)
   where not exists (
     select from erasure_order w join erasure e on e.account_id = w.account_id and e.id = w.erasure_id
     where w.order_id = wanted.id and w.account_id = $1 and e.state = 'erasing' and e.id <> $2)
   on conflict do nothing returning order_id`,
);

/** Adds orders to an erasure, but for those that another one waits for; returns how many are new. */
export async function addErasureOrders(tx: Db, accountId: Uuid, id: Uuid, orderIds: readonly Uuid[]): Promise<number> {
  return (await tx.all(ADD_ORDERS, [accountId, id, orderIds])).length;
}

const READY = statement<{ order_id: Uuid }>(
  'privacy_erasure_orders_ready',
  `select e.order_id from erasure_order e join orders o on o.account_id = e.account_id and o.id = e.order_id
   where e.erasure_id = $1 and e.order_id > $2
     and (o.state in ('dispatched', 'delivered', 'cancelled') or o.erased_at is not null)
   order by e.order_id limit $3`,
);

/** Orders of an erasure that have ended and are still to be erased, after one of them. */
export async function listReadyOrders(db: Db, id: Uuid, after: Uuid, limit: number): Promise<Uuid[]> {
  return (await db.all(READY, [id, after, limit])).map(({ order_id: orderId }) => orderId);
}

const WAITING = statement<{ orders: number }>(
  'privacy_erasure_orders_waiting',
  'select count(*)::integer as orders from (select from erasure_order where erasure_id = $1 limit 100000) as part',
);

/** How many orders an erasure has still to erase; it counts to 100,000. */
export async function countWaitingOrders(db: Db, id: Uuid): Promise<number> {
  return (await db.one(WAITING, [id]))?.orders ?? 0;
}

const WAITING_IDS = statement<{ reference: string }>(
  'privacy_erasure_waiting_references',
  `select o.reference from erasure_order e join orders o on o.account_id = e.account_id and o.id = e.order_id
   where e.erasure_id = $1 order by e.order_id limit $2`,
);

/** The references of the first orders that an erasure waits for. */
export async function listWaitingReferences(db: Db, id: Uuid, limit: number): Promise<string[]> {
  return (await db.all(WAITING_IDS, [id, limit])).map(({ reference }) => reference);
}

const ORDER_DONE = statement<never>(
  'privacy_erasure_order_done',
  `with gone as (
     delete from erasure_order where order_id = $3 and erasure_id = $2 and account_id = $1 returning order_id
   )
   update erasure set orders_erased = orders_erased + 1
   where account_id = $1 and id = $2 and exists (select from gone)`,
);

/** Notes that an order of an erasure is erased. */
export async function noteOrderErased(tx: Db, accountId: Uuid, id: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(ORDER_DONE, [accountId, id, orderId]);
}

const SET_LISTED = statement<never>(
  'privacy_set_listed',
  'update erasure set listed_through = $3 where account_id = $1 and id = $2',
);

/** Notes how far the orders of an account are listed; null when all are. */
export async function setListedThrough(tx: Db, accountId: Uuid, id: Uuid, through: Uuid | null): Promise<void> {
  await tx.all(SET_LISTED, [accountId, id, through]);
}

const FINISH = statement<never>(
  'privacy_finish_erasure',
  `update erasure set state = 'done', done_at = $3 where account_id = $1 and id = $2 and state = 'erasing'
     and listed_through is null
     and not exists (select from erasure_order where erasure_id = $2)
     and not exists (select from erasure_file where erasure_id = $2)`,
);

/** Notes that an erasure is done, once nothing of it is left to do. */
export async function finishErasure(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(FINISH, [accountId, id, now]);
}

const LIST = statement<ErasureRow>(
  'privacy_list_erasures',
  `select ${COLUMNS} from erasure where state <> 'listing' and id < $1 order by id desc limit $2`,
);

/** A page of the erasures of all accounts, newest first. */
export async function listErasureRows(db: Db, before: Uuid, limit: number): Promise<ErasureRow[]> {
  return db.all(LIST, [before, limit]);
}

const FIND_ANY = statement<ErasureRow>(
  'privacy_find_any_erasure',
  `select ${COLUMNS} from erasure where id = $1 and state <> 'listing'`,
);

/** An erasure of any account, by its id alone. */
export async function findAnyErasure(db: Db, id: Uuid): Promise<ErasureRow | undefined> {
  return db.one(FIND_ANY, [id]);
}
