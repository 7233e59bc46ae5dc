import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { TIERS } from '../../lib/queue/job.ts';
import { NORMALISE_JOB } from '../sql.ts';

// Which orders need a print file that is not made yet, and how soon (docs/decisions/0030). A file's job has the best
// tier and rank of the orders that need it. Writers lock print files in the order of their keys, then their jobs in the
// same order, after everything else that they lock.

/**
 * SQL of an `on conflict` clause by which a job that is there gets nearer.
 * `restarts` is true where it begins anew, whether or not a worker has it or is about to note that it gave it up: that
 * note, without its lease, then changes nothing. Work that may no longer wait counts as due from now on.
 */
const nearer = (restarts: string): string => `
  on conflict (kind, key) do update set
    tier = least(job.tier, excluded.tier),
    ranked_at = case when (excluded.tier, excluded.ranked_at) < (job.tier, job.ranked_at) then excluded.ranked_at else job.ranked_at end,
    run_at = case when ${restarts} or (job.tier = ${TIERS.spare} and excluded.tier < job.tier and job.lease_token is null and not job.parked)
      then excluded.run_at else job.run_at end,
    failed_at = case when ${restarts} then null else job.failed_at end,
    attempts = case when ${restarts} then 0 else job.attempts end,
    setbacks = case when ${restarts} then 0 else job.setbacks end,
    lease_token = case when ${restarts} then null else job.lease_token end,
    parked = job.parked and not ${restarts}
  where ${restarts} or (excluded.tier, excluded.ranked_at) < (job.tier, job.ranked_at)`;

/**
 * SQL of common table expressions that move the print files of an order up because it is paid.
 * They stand inside a larger statement. `paid` has a row if it is.
 */
export function paidFileCtes(sql: { paid: string; accountId: string; orderId: string; now: string }): string {
  return `
paid_need as (
  update print_file_need n set tier = ${TIERS.ordinary} from ${sql.paid}
  where n.account_id = ${sql.accountId}::uuid and n.order_id = ${sql.orderId}::uuid and n.tier > ${TIERS.ordinary}
  returning n.print_file_key, n.ranked_at
),
paid_job as (
  update job j set tier = ${TIERS.ordinary}, ranked_at = later.ranked_at,
    run_at = case when j.lease_token is null and not j.parked then ${sql.now}::timestamptz else j.run_at end
  from (
    select job.id, n.ranked_at from paid_need n join job on job.kind = '${NORMALISE_JOB}' and job.key = encode(n.print_file_key, 'hex')
    where job.tier > ${TIERS.ordinary} order by job.key for update of job
  ) as later
  where j.id = later.id
)`;
}

type OfOrder = { readonly accountId: Uuid; readonly orderId: Uuid };

// Locked, and so read as they are now: one that is made meanwhile is passed over.
const WANT = statement<never>(
  'artwork_want_files',
  `with wanted as materialized (
     select distinct j.print_file_key as key from print_job j
     join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
       and l.quantity > l.quantity_cancelled + l.quantity_shipped
     where j.order_id = $1 and j.account_id = $2
   ),
   file as materialized (
     select f.key, f.state, f.dropped_at is not null as is_dropped from print_file f
     where f.account_id = $2 and f.key = any(array(select key from wanted)) and f.state <> 'ready' order by f.key for update
   ),
   taken_up as (
     update print_file f set state = 'pending', failure = null, dropped_at = null
     from file where f.key = file.key and f.account_id = $2 and file.state = 'failed' and file.is_dropped
     returning f.key
   ),
   need as (
     insert into print_file_need (account_id, order_id, print_file_key, tier, ranked_at)
     select $2, $1, key, $3::smallint, $4::timestamptz from file
     on conflict (account_id, order_id, print_file_key) do update set tier = excluded.tier, ranked_at = excluded.ranked_at
   )
   insert into job (id, kind, key, payload, run_at, created_at, account_id, tier, ranked_at)
   select uuid_v7($5::timestamptz), '${NORMALISE_JOB}', encode(key, 'hex'), '{}', $5, $5, $2, $3::smallint, $4::timestamptz
   from file where state = 'pending' or is_dropped order by key
   ${nearer("exists (select from taken_up t where t.key = decode(excluded.key, 'hex'))")}`,
);

/**
 * Moves up the print files of the pieces that a locked order still needs.
 * Only those that are not made; one that was dropped is made after all, and one that was given up stays so.
 */
export async function wantFiles(tx: Db, of: OfOrder, near: { tier: number; rankedAt: Date; now: Date }): Promise<void> {
  await tx.all(WANT, [of.orderId, of.accountId, near.tier, near.rankedAt, near.now]);
}

const LOCK_UNNEEDED = statement<{ key: string }>(
  'artwork_lock_unneeded',
  `select encode(f.key, 'hex') as key from print_file f
   where f.account_id = $2 and f.key = any(array(
     select n.print_file_key from print_file_need n
     where n.account_id = $2 and n.order_id = $1 and not exists (
       select from print_job j join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
       where j.account_id = $2 and j.order_id = $1 and j.print_file_key = n.print_file_key
         and l.quantity > l.quantity_cancelled + l.quantity_shipped)
   ))
   order by f.key for update`,
);

/**
 * Locks the print files that a locked order waited for and has no piece left for.
 * Returns their keys (hex).
 */
export async function lockUnneeded(tx: Db, of: OfOrder): Promise<string[]> {
  return (await tx.all(LOCK_UNNEEDED, [of.orderId, of.accountId])).map(({ key }) => key);
}

// A statement of its own after the lock, so that it sees every order that has come to need one of them before. Of a
// file that an older version recorded it is not known which orders need it: it stays, as the last of all.
const LET_GO = statement<never>(
  'artwork_let_go',
  `with file as materialized (
     select f.key, encode(f.key, 'hex') as key_hex, f.tracks_needs, best.tier, best.ranked_at
     from unnest($3::text[]) as k join print_file f on f.key = decode(k, 'hex') and f.account_id = $2
     left join lateral (
       select n.tier, n.ranked_at from print_file_need n
       where n.print_file_key = f.key and n.account_id = $2 and n.order_id <> $1 order by n.tier, n.ranked_at limit 1
     ) as best on true
   ),
   no_need as (
     delete from print_file_need n using file where n.account_id = $2 and n.order_id = $1 and n.print_file_key = file.key
   ),
   dropped as (
     update print_file f set state = 'failed', failure = $4, dropped_at = $5
     from file where file.tier is null and file.tracks_needs and f.key = file.key and f.account_id = $2 and f.state = 'pending'
   ),
   no_job as (
     delete from job j using file where file.tier is null and file.tracks_needs
       and j.kind = '${NORMALISE_JOB}' and j.key = file.key_hex and j.failed_at is null and j.lease_token is null
   )
   update job j set tier = coalesce(file.tier, ${TIERS.spare}), ranked_at = coalesce(file.ranked_at, j.ranked_at)
   from file where (file.tier is not null or not file.tracks_needs) and j.kind = '${NORMALISE_JOB}' and j.key = file.key_hex`,
);

/**
 * Ends the need of an order for some locked print files.
 * They go back to where the other orders that need them are. Those that none needs are dropped, with the reason: they
 * lose their job, but one that is being made may finish.
 */
export async function letGo(
  tx: Db,
  of: OfOrder,
  files: { keys: readonly string[]; reason: string; now: Date },
): Promise<void> {
  await tx.all(LET_GO, [of.orderId, of.accountId, files.keys, files.reason, files.now]);
}

/** Rows that one statement deletes. */
const FORGET_MAX = 1_000;

const FORGET = statement<{ order_id: Uuid }>(
  'artwork_forget_needs',
  `delete from print_file_need n using (
     select account_id, order_id from print_file_need where print_file_key = decode($1, 'hex') limit ${FORGET_MAX}
   ) as page
   where n.account_id = page.account_id and n.order_id = page.order_id and n.print_file_key = decode($1, 'hex')
   returning n.order_id`,
);

/** Forgets which orders waited for a print file that is made, a bounded number at a time. */
export async function forgetNeeds(db: Db, key: string): Promise<void> {
  while ((await db.all(FORGET, [key])).length === FORGET_MAX);
}
