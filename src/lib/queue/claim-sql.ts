import { type Db, statement } from '../db.ts';
import type { Uuid } from '../ids.ts';
import { type Job, TIERS, type Tier } from './job.ts';

/**
 * Lines that a claim looks at.
 * It passes over the accounts that have their share, of which there are fewer than jobs that run.
 */
const LINES_MAX = 100;
/** Lines of one account that a claim looks at; it passes over those that have their share. */
const LINES_OF_ACCOUNT_MAX = 100;
/** Jobs whose lease or wait has ended and that one claim puts back into their lines. */
const RETURN_MAX = 100;

// The index `job_in_line` has this condition, word for word. What runs, is parked or was given up stands in no line, so
// a claim never passes over it.
const IN_LINE = 'failed_at is null and lease_token is null and not parked';

// A dead worker's job comes back into its line when its lease has run out, as one that was parked does after its wait.
// It keeps its rank, so it is next again.
const RETURN = statement<never>(
  'queue_return',
  `update job set lease_token = null, parked = false where id = any(array(
     select id from job where kind = $1 and failed_at is null and (lease_token is not null or parked) and run_at <= $2
     order by run_at limit ${RETURN_MAX} for update skip locked
   ))`,
);

export type WaitingJobsRow = { tiers: (Tier | null)[]; running: { account_id: Uuid; line: Uuid; jobs: number }[] };

const oneOfTier = (tier: Tier): string =>
  `(select tier from job where kind = $1 and tier = ${tier} and ${IN_LINE} order by account_id limit 1)`;

const WAITING = statement<WaitingJobsRow>(
  'queue_waiting',
  `select json_build_array(${Object.values(TIERS).map(oneOfTier).join(', ')}) as tiers,
     coalesce((
       select json_agg(r) from (
         select account_id, line, count(*)::integer as jobs from job
         where kind = $1 and failed_at is null and lease_token is not null group by account_id, line
       ) as r
     ), '[]') as running`,
);

// The accounts that wait in a tier, those behind the cursor first and then the others, each found by one step in the
// index however long its line is.
const LINES = statement<{ account_id: Uuid }>(
  'queue_lines',
  `with recursive line(account_id, has_turned, place) as (
     select * from (
       select * from (
         select account_id, false as has_turned, 1 from job
         where kind = $1 and tier = $2 and account_id > $3 and ${IN_LINE} order by account_id limit 1
       ) as behind
       union all
       select * from (
         select account_id, true, 1 from job
         where kind = $1 and tier = $2 and account_id <= $3 and ${IN_LINE} order by account_id limit 1
       ) as before
       order by has_turned limit 1
     ) as first
     union all
     select next.* from line cross join lateral (
       select * from (
         select j.account_id, line.has_turned, line.place + 1 from job j
         where j.kind = $1 and j.tier = $2 and j.account_id > line.account_id and ${IN_LINE}
           and (not line.has_turned or j.account_id <= $3) order by j.account_id limit 1
       ) as behind
       union all
       select * from (
         select j.account_id, true, line.place + 1 from job j
         where not line.has_turned and j.kind = $1 and j.tier = $2 and j.account_id <= $3 and ${IN_LINE}
         order by j.account_id limit 1
       ) as before
       order by has_turned limit 1
     ) as next
     where line.place < ${LINES_MAX}
   )
   select account_id from line order by place`,
);

// The lines of one account in which jobs wait, each found by one step in the index, too.
const LINES_OF_ACCOUNT = statement<{ line: Uuid }>(
  'queue_lines_of_account',
  `with recursive line_of(line, place) as (
     select * from (
       select line, 1 from job where kind = $1 and tier = $2 and account_id = $3 and ${IN_LINE} order by line limit 1
     ) as first
     union all
     select next.* from line_of cross join lateral (
       select j.line, line_of.place + 1 from job j
       where j.kind = $1 and j.tier = $2 and j.account_id = $3 and j.line > line_of.line and ${IN_LINE}
       order by j.line limit 1
     ) as next
     where line_of.place < ${LINES_OF_ACCOUNT_MAX}
   )
   select line from line_of order by place`,
);

// The lease token fences the worker off once another has the job. `skip locked` lets any number of workers claim at
// once without waiting for one another.
const TAKE = statement<Job>(
  'queue_take',
  `update job set lease_token = $4, run_at = $5::timestamptz + make_interval(secs => $6)
   where id = (
     select id from job where kind = $1 and tier = $2 and account_id = $3 and line = $7 and ${IN_LINE} and run_at <= $5
     order by ranked_at, id limit 1 for update skip locked
   )
   returning id, kind, key, payload, attempts, account_id`,
);

/** What a claim of jobs is made with. */
export type QueueClaim = {
  readonly kind: string;
  readonly now: Date;
  readonly leaseSeconds: number;
  readonly leaseToken: Uuid;
};

/** Puts jobs back into their lines whose lease or wait has ended, a bounded number. */
export async function returnToLines(db: Db, kind: string, now: Date): Promise<void> {
  await db.all(RETURN, [kind, now]);
}

/** Reads which tiers have jobs waiting, and how many jobs of each account and line run. */
export async function readWaiting(db: Db, kind: string): Promise<WaitingJobsRow> {
  return (await db.one(WAITING, [kind])) ?? { tiers: [], running: [] };
}

/**
 * Lists accounts that wait in a tier, at most `LINES_MAX`.
 * The one behind `after` is the first, and `after` itself the last.
 */
export async function listLines(db: Db, kind: string, tier: Tier, after: Uuid): Promise<Uuid[]> {
  return (await db.all(LINES, [kind, tier, after])).map((row) => row.account_id);
}

/** Lists the lines of an account in which jobs of a tier wait, at most `LINES_OF_ACCOUNT_MAX`. */
export async function listLinesOfAccount(db: Db, kind: string, tier: Tier, accountId: Uuid): Promise<Uuid[]> {
  return (await db.all(LINES_OF_ACCOUNT, [kind, tier, accountId])).map((row) => row.line);
}

/** Where a job waits. */
export type Line = { readonly tier: Tier; readonly accountId: Uuid; readonly line: Uuid };

/** Leases the next due job of a line; undefined when other workers have them all. */
export async function takeJob(db: Db, claim: QueueClaim, { tier, accountId, line }: Line): Promise<Job | undefined> {
  const { kind, leaseToken, now, leaseSeconds } = claim;
  return db.one(TAKE, [kind, tier, accountId, leaseToken, now, leaseSeconds, line]);
}
