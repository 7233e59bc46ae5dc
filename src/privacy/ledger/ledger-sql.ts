import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import type { LedgerEntry } from './entry.ts';

// The copy of the ledger in the database, and how far a restored database has carried it out.

export type ReplayRow = { up_to_position: number; orders_through: Uuid; accounts_through: Uuid };
export type LedgerLock = ReplayRow & { begun_anew_at: Date | null };

const LOCK = statement<LedgerLock>(
  'privacy_lock_ledger',
  'select up_to_position, orders_through, accounts_through, begun_anew_at from erasure_replay for update',
);

/**
 * Locks the ledger until the end of the transaction:
 * those who append or replay run one after the other.
 */
export async function lockLedger(tx: Db): Promise<LedgerLock> {
  const row = await tx.one(LOCK, []);
  if (row === undefined) throw new Error('erasure_replay has no row');
  return row;
}

export type LedgerHead = { position: number; mac: string; at: Date };

const HEAD = statement<LedgerHead>(
  'privacy_ledger_head',
  `select position, encode(mac, 'hex') as mac, at from erasure_ledger order by position desc limit 1`,
);

/** The last entry that the database knows. */
export async function findLedgerHead(db: Db): Promise<LedgerHead | undefined> {
  return db.one(HEAD, []);
}

const INSERT = statement<never>(
  'privacy_insert_ledger',
  `insert into erasure_ledger (position, at, scope, erasure_id, hash, mac, is_replayed)
   select position, at, scope, erasure_id, decode(hash, 'hex'), decode(mac, 'hex'), $2
   from json_to_recordset($1::json) as e(position bigint, at timestamptz, scope text, erasure_id uuid, hash text, mac text)`,
);

/** Writes entries of the file into the database; `isReplayed` when they are carried out there. */
export async function insertLedgerEntries(tx: Db, entries: readonly LedgerEntry[], isReplayed: boolean): Promise<void> {
  const rows = entries.map(({ erasureId, ...entry }) => ({ ...entry, erasure_id: erasureId }));
  await tx.all(INSERT, [JSON.stringify(rows), isReplayed]);
}

const LAST_TO_REPLAY = statement<{ position: number }>(
  'privacy_last_to_replay',
  'select position from erasure_ledger where not is_replayed order by position desc limit 1',
);

/** The last entry that is still to be carried out in this database; undefined when there is none. */
export async function findLastToReplay(db: Db): Promise<number | undefined> {
  return (await db.one(LAST_TO_REPLAY, []))?.position;
}

export type MatchedEntry = { hash: string; scope: LedgerEntry['scope']; erasure_id: Uuid; at: Date };

const MATCHING = statement<MatchedEntry>(
  'privacy_match_ledger',
  `select encode(l.hash, 'hex') as hash, l.scope, l.erasure_id, l.at
   from unnest($1::text[]) as wanted(hash) join erasure_ledger l on l.hash = decode(wanted.hash, 'hex')
   where not l.is_replayed and l.position <= $2`,
);

/** The entries to carry out, up to a position, that have one of these hashes (hex). */
export async function matchLedger(db: Db, hashes: readonly string[], upTo: number): Promise<MatchedEntry[]> {
  return db.all(MATCHING, [hashes, upTo]);
}

const SET_REPLAY = statement<never>(
  'privacy_set_replay',
  'update erasure_replay set up_to_position = $1, orders_through = $2, accounts_through = $3',
);

/** Notes how far the entries up to a position are looked for. */
export async function setReplay(tx: Db, row: ReplayRow): Promise<void> {
  await tx.all(SET_REPLAY, [row.up_to_position, row.orders_through, row.accounts_through]);
}

/** Entries that one statement marks or removes. */
const MARKED = 5_000;

const MARK_REPLAYED = statement<{ rows: number }>(
  'privacy_mark_replayed',
  `with part as materialized (
     select position from erasure_ledger where not is_replayed and position <= $1 order by position limit ${MARKED}
   ), marked as (
     update erasure_ledger set is_replayed = true where position = any(array(select position from part))
   )
   select count(*)::integer as rows from part`,
);

/** Notes that the next entries up to a position are carried out; returns whether there may be more. */
export async function markReplayed(tx: Db, upTo: number): Promise<boolean> {
  return (await tx.one(MARK_REPLAYED, [upTo]))?.rows === MARKED;
}

const ANEW = statement<{ begun_anew_at: Date | null }>(
  'privacy_ledger_anew',
  'select begun_anew_at from erasure_replay',
);

/** Since when the ledger is being begun anew; null when it is not. */
export async function readAnew(db: Db): Promise<Date | null> {
  return (await db.one(ANEW, []))?.begun_anew_at ?? null;
}

const SET_ANEW = statement<never>(
  'privacy_set_anew',
  `update erasure_replay set begun_anew_at = $1, up_to_position = 0, orders_through = $2, accounts_through = $2`,
);

/** Notes that the ledger is being begun anew, or with null that this has ended. */
export async function setAnew(tx: Db, at: Date | null): Promise<void> {
  await tx.all(SET_ANEW, [at, FIRST_ID]);
}

const SAY_ANEW = statement<never>('privacy_say_anew', `select set_config('platen.ledger_anew', 'on', true)`);
const FORGET = statement<{ rows: number }>(
  'privacy_forget_ledger',
  `with part as materialized (
     select position from erasure_ledger order by position limit ${MARKED}
   ), gone as (
     delete from erasure_ledger where position = any(array(select position from part))
   )
   select count(*)::integer as rows from part`,
);

/**
 * Removes the next entries of a ledger that is lost, the oldest first.
 * Returns whether there may be more. The last goes last, so a killed one can be begun again.
 */
export async function forgetLedger(tx: Db): Promise<boolean> {
  await tx.all(SAY_ANEW, []);
  return (await tx.one(FORGET, []))?.rows === MARKED;
}

const MACS = statement<{ position: number; mac: string }>(
  'privacy_ledger_macs',
  `select position, encode(mac, 'hex') as mac from erasure_ledger where position > $1 order by position limit ${MARKED}`,
);

/** The macs of a page of the entries that the database knows. */
export async function listMacs(db: Db, after: number): Promise<{ position: number; mac: string }[]> {
  return db.all(MACS, [after]);
}

const ERASED = statement<{ account_id: Uuid; id: Uuid; is_erased: boolean }>(
  'privacy_erased_orders',
  `select o.account_id, o.id, o.erased_at is not null
     or (select true from erasure_order w where w.order_id = o.id limit 1) is not null as is_erased
   from orders o where o.id > $1 order by o.id limit $2`,
);

/** A page of the orders of all accounts, and whether each is erased or waits for it. */
export async function listErasedOrders(
  db: Db,
  after: Uuid,
  limit: number,
): Promise<{ account_id: Uuid; id: Uuid; is_erased: boolean }[]> {
  return db.all(ERASED, [after, limit]);
}

type ErasureOf = { account_id: Uuid; id: Uuid; is_account: boolean };

const ERASED_ACCOUNTS = statement<ErasureOf>(
  'privacy_erased_accounts',
  `select account_id, id, scope = 'account' and state <> 'listing' as is_account
   from erasure where id > $1 order by id limit $2`,
);

/** A page of all erasures, and whether each is of a whole account. */
export async function listErasedAccounts(db: Db, after: Uuid, limit: number): Promise<ErasureOf[]> {
  return db.all(ERASED_ACCOUNTS, [after, limit]);
}

export type ReplayedOrderRow = {
  account_id: Uuid;
  id: Uuid;
  created_at: Date;
  addresses: { contact_name: string; postcode: string; phone?: string; email?: string }[];
};

const ORDERS = statement<ReplayedOrderRow>(
  'privacy_orders_to_replay',
  `select o.account_id, o.id, o.created_at, jsonb_build_array(o.shipping_address, o.billing_address) || coalesce((
     select jsonb_agg(s.shipping_address) from shipment s where s.account_id = o.account_id and s.order_id = o.id
   ), '[]') as addresses
   from orders o where o.id > $1 order by o.id limit $2`,
);

/** A page of the orders of all accounts, with every address that they have. */
export async function listOrdersToReplay(db: Db, after: Uuid, limit: number): Promise<ReplayedOrderRow[]> {
  return db.all(ORDERS, [after, limit]);
}

const ACCOUNTS = statement<{ id: Uuid; created_at: Date }>(
  'privacy_accounts_to_replay',
  'select id, created_at from account where id > $1 order by id limit $2',
);

/** A page of all accounts. */
export async function listAccountsToReplay(
  db: Db,
  after: Uuid,
  limit: number,
): Promise<{ id: Uuid; created_at: Date }[]> {
  return db.all(ACCOUNTS, [after, limit]);
}

const COUNT_ORDERS = statement<{ estimate: number }>(
  'privacy_orders_estimate',
  `select greatest(reltuples, 0)::bigint as estimate from pg_class where oid = 'orders'::regclass`,
);

/** About how many orders there are, as the planner knows. */
export async function estimateOrders(db: Db): Promise<number> {
  return (await db.one(COUNT_ORDERS, []))?.estimate ?? 0;
}
