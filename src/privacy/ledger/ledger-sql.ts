import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { LedgerEntry } from './entry.ts';

// The copy of the ledger in the database, and how far a restored database has carried it out.

export type ReplayRow = { up_to_position: number; orders_through: Uuid; accounts_through: Uuid };

const LOCK = statement<ReplayRow>(
  'privacy_lock_ledger',
  'select up_to_position, orders_through, accounts_through from erasure_replay for update',
);

/**
 * Locks the ledger until the end of the transaction:
 * those who append or replay run one after the other.
 */
export async function lockLedger(tx: Db): Promise<ReplayRow> {
  const row = await tx.one(LOCK, []);
  if (row === undefined) throw new Error('erasure_replay has no row');
  return row;
}

export type LedgerHead = { position: number; mac: string };

const HEAD = statement<LedgerHead>(
  'privacy_ledger_head',
  `select position, encode(mac, 'hex') as mac from erasure_ledger order by position desc limit 1`,
);

/** The last entry that the database knows. */
export async function findLedgerHead(db: Db): Promise<LedgerHead | undefined> {
  return db.one(HEAD, []);
}

const INSERT = statement<never>(
  'privacy_insert_ledger',
  `insert into erasure_ledger (position, at, scope, erasure_id, hash, mac, is_replayed)
   values ($1, $2, $3, $4, decode($5, 'hex'), decode($6, 'hex'), $7)`,
);

/** Writes an entry of the file into the database; `isReplayed` when it is carried out there. */
export async function insertLedgerEntry(tx: Db, entry: LedgerEntry, isReplayed: boolean): Promise<void> {
  const { position, at, scope, erasureId, hash, mac } = entry;
  await tx.all(INSERT, [position, at, scope, erasureId, hash, mac, isReplayed]);
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

const MARK_REPLAYED = statement<never>(
  'privacy_mark_replayed',
  'update erasure_ledger set is_replayed = true where not is_replayed and position <= $1',
);

/** Notes that every entry up to a position is carried out. */
export async function markReplayed(tx: Db, upTo: number): Promise<void> {
  await tx.all(MARK_REPLAYED, [upTo]);
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
