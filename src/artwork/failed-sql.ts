import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { TIERS } from '../lib/queue/job.ts';
import { COUNTED_MAX } from '../lib/queue.ts';
import { NORMALISE_JOB } from './sql.ts';

// Print files that were given up, and the orders that wait for them. A file is of one account, and so are its orders.
// Writers here have locked the print file, and no order unless it was locked before.

const MARK_FAILED = statement<{ account_id: Uuid }>(
  'artwork_mark_failed',
  `update print_file set state = 'failed', failure = $2 where key = decode($1, 'hex') and state = 'pending' returning account_id`,
);

/**
 * Records that a print file cannot be made, and locks it.
 * Returns its account; undefined when no order waits for it any more.
 */
export async function markPrintFileFailed(tx: Db, key: string, failure: string): Promise<Uuid | undefined> {
  return (await tx.one(MARK_FAILED, [key, failure]))?.account_id;
}

export type WaitingOrder = { order_id: Uuid; reference: string; areas: string[] };

// Read once the file is locked, and so in a statement of its own: placing an order with the file locks it first.
const WAITING = statement<WaitingOrder>(
  'artwork_waiting_orders',
  `select o.id as order_id, o.reference, array_agg(distinct j.print_area order by j.print_area) as areas
   from orders o
   join print_job j on j.account_id = o.account_id and j.order_id = o.id and j.print_file_key = decode($2, 'hex')
   join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
     and l.quantity > l.quantity_cancelled + l.quantity_shipped
   where o.account_id = $1 and o.state in ('awaiting_payment', 'placed', 'on_hold', 'released', 'in_production')
     and not exists (select from artwork_failure a where a.account_id = o.account_id and a.order_id = o.id and a.print_file_key = decode($2, 'hex'))
   group by o.id, o.reference order by o.id`,
);

/**
 * The orders of an account that need a failed print file and have no task about it yet.
 * Only orders with pieces left to make.
 */
export async function findOrdersNeeding(tx: Db, accountId: Uuid, key: string): Promise<WaitingOrder[]> {
  return tx.all(WAITING, [accountId, key]);
}

const RECORD = statement<never>(
  'artwork_record_failure',
  `insert into artwork_failure (order_id, print_file_key, account_id, task_id, created_at)
   select f.order_id, decode($1, 'hex'), $2, f.task_id, $3 from unnest($4::uuid[], $5::uuid[]) as f(order_id, task_id)`,
);

/** Records that orders wait for a failed, locked print file, and the task about each, by its place. */
export async function recordFailures(
  tx: Db,
  failure: { key: string; accountId: Uuid; orderIds: readonly Uuid[]; taskIds: readonly Uuid[]; now: Date },
): Promise<void> {
  await tx.all(RECORD, [failure.key, failure.accountId, failure.now, failure.orderIds, failure.taskIds]);
}

const FORGET = statement<{ task_id: Uuid }>(
  'artwork_forget_failures',
  `delete from artwork_failure where print_file_key = decode($1, 'hex') returning task_id`,
);

/** Removes all records of orders that wait for a failed print file; returns their tasks. */
export async function forgetFailures(tx: Db, key: string): Promise<Uuid[]> {
  return (await tx.all(FORGET, [key])).map((row) => row.task_id);
}

const FORGET_ORDER = statement<{ task_id: Uuid }>(
  'artwork_forget_failures_of_order',
  'delete from artwork_failure where order_id = $1 and account_id = $2 returning task_id',
);

/** Removes the failure records of a locked order, because it is cancelled; returns their tasks. */
export async function forgetFailuresOf(tx: Db, of: { orderId: Uuid; accountId: Uuid }): Promise<Uuid[]> {
  return (await tx.all(FORGET_ORDER, [of.orderId, of.accountId])).map((row) => row.task_id);
}

// The job starts over whether or not its worker has recorded its end yet: that record, without its lease, then
// changes nothing. It takes the place that the orders which need the file give it.
const restart = (files: string): string => `
   file as materialized (
     select f.key, f.account_id from print_file f
     where ${files} and f.state = 'failed' and f.dropped_at is null order by f.key for update
   ),
   again as (
     update print_file f set state = 'pending', failure = null from file where f.key = file.key and f.account_id = file.account_id
   )
   insert into job (id, kind, key, payload, run_at, created_at, account_id, tier, ranked_at)
   select uuid_v7($1::timestamptz), '${NORMALISE_JOB}', encode(f.key, 'hex'), '{}', $1, $1, f.account_id,
     coalesce(best.tier, ${TIERS.ordinary}), coalesce(best.ranked_at, $1)
   from file f left join lateral (
     select n.tier, n.ranked_at from print_file_need n
     where n.print_file_key = f.key and n.account_id = f.account_id order by n.tier, n.ranked_at limit 1
   ) as best on true
   on conflict (kind, key) do update set failed_at = null, attempts = 0, setbacks = 0, lease_token = null, parked = false,
     run_at = excluded.run_at, account_id = excluded.account_id, tier = excluded.tier, ranked_at = excluded.ranked_at
   returning key`;

const FORGET_AREA = statement<{ task_id: Uuid }>(
  'artwork_forget_failure_of_area',
  `delete from artwork_failure a
   where a.order_id = $1 and a.account_id = $2 and a.print_file_key = decode($3, 'hex') and not exists (
     select from print_job j where j.order_id = $1 and j.account_id = $2 and j.print_file_key = decode($3, 'hex'))
   returning a.task_id`,
);

/** Removes the record that a locked order waits for a file, if it prints it no more; returns its task. */
export async function forgetFailureIfUnused(
  tx: Db,
  of: { orderId: Uuid; accountId: Uuid },
  key: string,
): Promise<Uuid[]> {
  return (await tx.all(FORGET_AREA, [of.orderId, of.accountId, key])).map((row) => row.task_id);
}

const RETRY = statement<{ key: string }>(
  'artwork_retry',
  `with ${restart('f.account_id = $3 and f.key = any(array(select print_file_key from print_job where order_id = $2 and account_id = $3))')}`,
);

/**
 * Starts the failed print files of a locked order over.
 * Returns their keys (hex), none when none had failed.
 */
export async function retryFailedFiles(tx: Db, of: { orderId: Uuid; accountId: Uuid }, now: Date): Promise<string[]> {
  return (await tx.all(RETRY, [now, of.orderId, of.accountId])).map((row) => row.key);
}

const RETRY_ONE = statement<{ key: string }>(
  'artwork_retry_one',
  `with ${restart("f.account_id = $2 and f.key = decode($3, 'hex')")}`,
);

/** Starts a print file over if it has failed and some order needs it. */
export async function retryFailedFile(tx: Db, accountId: Uuid, key: string, now: Date): Promise<void> {
  await tx.all(RETRY_ONE, [now, accountId, key]);
}

// A file is in the list once for each order that waits for it; those that are made again already are passed over.
const RETRY_ALL = statement<{ key: string }>(
  'artwork_retry_all',
  `with stuck as materialized (
     select distinct a.print_file_key, a.account_id from artwork_failure a
     join print_file f on f.key = a.print_file_key and f.account_id = a.account_id
     where f.state = 'failed' and f.dropped_at is null order by a.print_file_key limit $2
   ),
   ${restart('(f.key, f.account_id) in (select print_file_key, account_id from stuck)')}`,
);

/**
 * Starts failed print files of all accounts over that an order waits for, at most so many.
 * Returns their number.
 */
export async function retryAnyFailedFiles(tx: Db, limit: number, now: Date): Promise<number> {
  return (await tx.all(RETRY_ALL, [now, limit])).length;
}

const STUCK = statement<{ files: number }>(
  'artwork_count_stuck',
  `select count(distinct print_file_key)::integer as files from (
     select a.print_file_key from artwork_failure a join print_file f on f.key = a.print_file_key and f.account_id = a.account_id
     where f.state = 'failed' order by a.print_file_key limit ${COUNTED_MAX}
   ) as stuck`,
);

/** Counts the failed print files that an order waits for, among the first `COUNTED_MAX` such orders. */
export async function countStuckFiles(db: Db): Promise<number> {
  return (await db.one(STUCK, []))?.files ?? 0;
}

const FAILURES = statement<{ failures: number }>(
  'artwork_count_failures',
  `select count(*) as failures from (
     select from artwork_failure order by order_id, print_file_key, account_id limit ${COUNTED_MAX}
   ) as waiting`,
);

/** Counts the print files that were given up and that an order waits for, up to `COUNTED_MAX`. */
export async function countFailures(db: Db): Promise<number> {
  return (await db.one(FAILURES, []))?.failures ?? 0;
}
