import { type Db, type SqlValue, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { COUNTED_MAX } from '../lib/queue.ts';

/** A delivery that this worker may attempt now, with everything that the attempt needs. */
export type ClaimedDelivery = {
  id: Uuid;
  account_id: Uuid;
  subscription_id: Uuid;
  attempts: number;
  due_at: Date;
  url: string;
  secret_sealed: Buffer;
  secret_sealed_with: string | null;
  event_id: Uuid;
  event: string;
  sequence: number;
  /** JSON text, exactly as it was recorded. */
  data: string;
  created_at: Date;
};

export type ClaimTerms = {
  now: Date;
  leaseUntil: Date;
  leaseToken: Uuid;
  /** How many rows to look at, and thus the most that are claimed. */
  limit: number;
  /** The most attempts of one subscription at a time in this process, including those in `inFlight`. */
  inFlightMax: number;
  inFlight: ReadonlyMap<Uuid, number>;
  /** A subscription with this many consecutive failures or more is paced. */
  pacedFrom: number;
};

/** No claim looks at more due rows than this. */
const CLAIM_MAX = 1_000;

type DueRow = { fate: 'send' | 'line_up' | 'cancel' } & ClaimedDelivery;

// Due deliveries of all subscriptions, oldest first.
// A delivery that cannot go now moves into its subscription's own lane, so that it is seen here once and not at every
// claim: one dead or slow receiver with 100,000 due rows costs the others one pass over them.
// If its subscription has a lane already, a delivery goes to the lane's end, or it would overtake the older ones there.
// `skip locked` throughout: a claim waits for no lock, so it can have no part in a deadlock. A claimed row is due again
// when its lease runs out.
// The inner limit is there for the planner, which takes an unknown limit for a tenth of the table and then reads all of
// it: 58 ms in place of 6 with 200,000 due rows.
const CLAIM_DUE = statement<DueRow>(
  'webhooks_claim_due',
  `with due as materialized (
     select * from (
       select id, subscription_id, generation, account_id, event_id, attempts, due_at from webhook_delivery
       where state in ('pending', 'retrying') and not lined_up and due_at <= $1
       order by due_at limit ${CLAIM_MAX}
       for update skip locked
     ) as oldest
     limit $4
   ),
   judged as materialized (
     select d.id, d.account_id, d.subscription_id, d.attempts, d.due_at, s.url, s.secret_sealed, s.secret_sealed_with, e.id as event_id, e.event, e.sequence,
       e.data::text as data, e.created_at,
       case
         when e.id is null or s.id is null or not s.active or s.generation <> d.generation then 'cancel'
         when s.failure_count >= $8 then 'line_up'
         when coalesce(f.attempts, 0) + row_number() over (partition by d.subscription_id order by d.due_at, d.id) > $7
           then 'line_up'
         when exists (select from webhook_delivery l where l.lined_up and l.subscription_id = d.subscription_id)
           then 'line_up'
         else 'send'
       end as fate
     from due d
     left join webhook_subscription s on s.account_id = d.account_id and s.id = d.subscription_id
     left join event e on e.account_id = d.account_id and e.id = d.event_id
     left join unnest($5::uuid[], $6::integer[]) as f(subscription_id, attempts) on f.subscription_id = d.subscription_id
   ),
   marked as (
     update webhook_delivery d set
       state = case when j.fate = 'cancel' then 'cancelled' else d.state end,
       lined_up = j.fate = 'line_up',
       lease_token = case when j.fate = 'send' then $3::uuid end,
       due_at = case when j.fate = 'send' then $2::timestamptz else d.due_at end
     from judged j where d.account_id = j.account_id and d.id = j.id
   )
   select * from judged`,
);

/**
 * Leases due deliveries.
 * `lookAgain` says that more may be due right behind them: the limit was reached, or some went into a lane. Cancels the
 * deliveries of a paused or removed subscription that it comes across.
 */
export async function claimDue(
  db: Db,
  terms: ClaimTerms,
): Promise<{ deliveries: ClaimedDelivery[]; lookAgain: boolean }> {
  const rows = await db.all(CLAIM_DUE, claimValues(terms));
  const deliveries = rows.filter((row) => row.fate === 'send');
  return {
    deliveries,
    lookAgain: rows.length === Math.min(terms.limit, CLAIM_MAX) || rows.some((row) => row.fate === 'line_up'),
  };
}

/**
 * A claim serves at most this many lanes.
 * It cancels at most this many rows of a lane.
 */
const LANES_MAX = 100;
const LANE_CANCEL_MAX = 100;

type LaneRow = { line_id: Uuid } & (({ fate: 'send' } & ClaimedDelivery) | { fate: 'cancel' | 'none' });

// The lanes after a given one, each found by one step in the index, however long they are.
// A paced lane gives one row, and not before its time, which is moved on under the subscription's lock: one attempt
// over all workers. Another lane gives as many as its subscription has places free.
// Rows of an earlier generation are taken first, and cancelled.
const CLAIM_LANES = statement<LaneRow>(
  'webhooks_claim_lines',
  `with recursive line(id, place) as (
     select * from (
       select subscription_id, 1 from webhook_delivery
       where lined_up and subscription_id > $9 order by subscription_id limit 1
     ) as first
     union all
     select (
       select d.subscription_id from webhook_delivery d
       where d.lined_up and d.subscription_id > line.id order by d.subscription_id limit 1
     ), line.place + 1
     from line where line.id is not null and line.place < ${LANES_MAX}
   ),
   owner as materialized (
     select line.id, case when s.active then s.generation end as generation, s.url, s.secret_sealed, s.secret_sealed_with,
       coalesce(s.failure_count >= $8, false) as paced,
       s.next_attempt_at is null or s.next_attempt_at <= $1 as open,
       $7 - coalesce(f.attempts, 0) as free
     from line
     left join webhook_subscription s on s.id = line.id
     left join unnest($5::uuid[], $6::integer[]) as f(subscription_id, attempts) on f.subscription_id = line.id
     where line.id is not null
   ),
   turn as materialized (
     select s.id from webhook_subscription s
     where s.id in (select id from owner where paced and open and free > 0) and s.active and s.failure_count >= $8
       and (s.next_attempt_at is null or s.next_attempt_at <= $1)
     for no key update skip locked
   ),
   stale as materialized (
     select d.id, d.account_id, o.id as line_id from owner o cross join lateral (
       select id, account_id from webhook_delivery
       where lined_up and subscription_id = o.id and generation < coalesce(o.generation, 2147483647)
       order by generation, due_at limit ${LANE_CANCEL_MAX}
       for update skip locked
     ) as d
   ),
   next as materialized (
     select d.id, o.id as line_id, o.paced, d.account_id, d.event_id, d.attempts, d.due_at, o.url, o.secret_sealed, o.secret_sealed_with
     from owner o cross join lateral (
       select id, account_id, event_id, attempts, due_at from webhook_delivery
       where lined_up and subscription_id = o.id and generation = o.generation
       order by due_at limit case when o.paced then 1 else greatest(o.free, 0) end
       for update skip locked
     ) as d
     where not o.paced or o.id in (select id from turn)
     order by o.id limit $4
   ),
   taken as (
     update webhook_subscription s set next_attempt_at = $2 from next where next.paced and s.account_id = next.account_id and s.id = next.line_id
   ),
   leased as (
     update webhook_delivery d set lined_up = false, lease_token = $3, due_at = $2 from next
     where d.account_id = next.account_id and d.id = next.id
   ),
   cancelled as (
     update webhook_delivery d set lined_up = false, state = 'cancelled' from stale
     where d.account_id = stale.account_id and d.id = stale.id
   )
   select n.line_id, 'send' as fate, n.id, n.account_id, n.line_id as subscription_id, n.attempts, n.due_at, n.url, n.secret_sealed,
     n.secret_sealed_with, e.id as event_id, e.event, e.sequence, e.data::text as data, e.created_at
   from next n join event e on e.account_id = n.account_id and e.id = n.event_id
   union all
   select line_id, 'cancel', id, account_id, null, null, null, null, null, null, null, null, null, null, null from stale
   union all
   select id, 'none', null, null, null, null, null, null, null, null, null, null, null, null, null from owner`,
);

/** Sorts before the id of every subscription. A claim returns it when it has reached the last lane. */
export const FIRST_SUBSCRIPTION_ID = '00000000-0000-0000-0000-000000000000' as Uuid;

/**
 * Leases deliveries that wait in the lanes of their subscriptions, beginning after the lane `after`.
 * `next` is where to continue. `hasLanes` says that deliveries wait in lanes. `lookAgain` says that this pass was not
 * the last: there are lanes that it did not reach, or rows of an earlier generation.
 */
export async function claimFromLanes(
  db: Db,
  terms: ClaimTerms,
  after: Uuid,
): Promise<{ deliveries: ClaimedDelivery[]; next: Uuid; hasLanes: boolean; lookAgain: boolean }> {
  const rows = await db.all(CLAIM_LANES, [...claimValues(terms), after]);
  const deliveries = rows.flatMap((row) => (row.fate === 'send' ? [row] : []));
  const wasCut = deliveries.length === terms.limit;
  const seen = rows.filter((row) => (wasCut ? row.fate === 'send' : row.fate === 'none')).map((row) => row.line_id);
  const mayHaveMore = wasCut || seen.length === LANES_MAX;
  const next = (mayHaveMore ? seen.toSorted().at(-1) : undefined) ?? FIRST_SUBSCRIPTION_ID;
  const lookAgain = mayHaveMore || rows.some((row) => row.fate === 'cancel');
  return { deliveries, next, hasLanes: rows.length > 0, lookAgain };
}

function claimValues(terms: ClaimTerms): SqlValue[] {
  const { now, leaseUntil, leaseToken, limit, inFlight, inFlightMax, pacedFrom } = terms;
  return [now, leaseUntil, leaseToken, limit, [...inFlight.keys()], [...inFlight.values()], inFlightMax, pacedFrom];
}

// Recording attempts -----------------------------------------------------------------------------------------------

/** The outcome of an attempt, as its worker saw it. */
export type Outcome = {
  readonly account: Uuid;
  readonly delivery: Uuid;
  readonly subscription: Uuid;
  readonly leaseToken: Uuid;
  readonly succeeded: boolean;
  readonly attemptedAt: Date;
  readonly responseCode: number | null;
  readonly error: string | null;
  /** Null after a success and after the last attempt. */
  readonly retryAt: Date | null;
};

export type FailureRules = {
  pacedFrom: number;
  disabledFrom: number;
  disabledReason: string;
  paceSeconds: number;
};

// One guarded statement: an attempt counts only while its lease token is valid, so that a worker that was paused past
// its lease counts nothing twice.
// Subscriptions are locked first and in the order of their ids, and only those whose count may change.
// A failure of an earlier generation ends its delivery and is not counted.
// Within a batch, failures before the first success add to the count, and those after the last success are the new
// count.
const RECORD = statement<{ id: Uuid; active: boolean }>(
  'webhooks_record',
  `with outcome as materialized (
     select * from json_to_recordset($1::json) as o(place integer, account uuid, delivery uuid, subscription uuid, lease_token uuid,
       succeeded boolean, attempted_at timestamptz, response_code integer, error text, retry_at timestamptz)
   ),
   subscriber as materialized (
     select s.id, s.active, s.generation, s.failure_count from webhook_subscription s
     where s.id in (select subscription from outcome)
       and (s.failure_count > 0 or s.id in (select subscription from outcome where not succeeded))
     order by s.id for no key update
   ),
   recorded as (
     update webhook_delivery d set
       attempts = d.attempts + 1, attempted_at = o.attempted_at, lease_token = null,
       response_code = o.response_code, error = o.error, due_at = coalesce(o.retry_at, d.due_at),
       state = case
         when o.succeeded then 'succeeded'
         when s.id is null or not s.active or s.generation <> d.generation then 'cancelled'
         when o.retry_at is null then 'abandoned'
         else 'retrying'
       end
     from outcome o left join subscriber s on s.id = o.subscription
     where d.account_id = o.account and d.id = o.delivery and d.lease_token = o.lease_token
     returning d.subscription_id, d.generation, o.place, o.succeeded, o.attempted_at
   ),
   counted as (
     select r.*, min(place) filter (where succeeded) over same as first_success,
       max(place) filter (where succeeded) over same as last_success
     from recorded r
     window same as (partition by subscription_id, generation)
   ),
   tally as materialized (
     select subscription_id, generation, bool_or(succeeded) as has_success, max(attempted_at) as attempted_at,
       count(*) filter (where not succeeded and place < coalesce(first_success, 2147483647)) as leading,
       count(*) filter (where not succeeded and place > last_success) as trailing
     from counted group by subscription_id, generation
   ),
   verdict as materialized (
     select s.id, t.attempted_at,
       case when t.has_success and s.failure_count + t.leading < $3 then t.trailing else s.failure_count + t.leading end
         as failure_count
     from tally t join subscriber s on s.id = t.subscription_id and s.generation = t.generation
     where s.active
   )
   update webhook_subscription s set
     failure_count = v.failure_count,
     next_attempt_at = case when v.failure_count >= $2 then v.attempted_at + make_interval(secs => $5) end,
     active = v.failure_count < $3,
     generation = s.generation + case when v.failure_count < $3 then 0 else 1 end,
     disabled_reason = case when v.failure_count < $3 then null else $4 end,
     updated_at = case when v.failure_count < $3 then s.updated_at else v.attempted_at end
   from verdict v where s.id = v.id
   returning s.id, s.active`,
);

/**
 * Writes outcomes of attempts, in the order in which they ended.
 * Returns the subscriptions that this has disabled.
 */
export async function recordOutcomes(db: Db, outcomes: readonly Outcome[], rules: FailureRules): Promise<Uuid[]> {
  const rows = outcomes.map((outcome, place) => ({
    place,
    account: outcome.account,
    delivery: outcome.delivery,
    subscription: outcome.subscription,
    lease_token: outcome.leaseToken,
    succeeded: outcome.succeeded,
    attempted_at: outcome.attemptedAt,
    response_code: outcome.responseCode,
    error: outcome.error,
    retry_at: outcome.retryAt,
  }));
  const { pacedFrom, disabledFrom, disabledReason, paceSeconds } = rules;
  const values = [JSON.stringify(rows), pacedFrom, disabledFrom, disabledReason, paceSeconds];
  return (await db.all(RECORD, values)).filter((row) => !row.active).map((row) => row.id);
}

const RELEASE = statement<never>(
  'webhooks_release_first_attempts',
  `update webhook_delivery set due_at = $1
   where state = 'pending' and not lined_up and lease_token is null and due_at > $1`,
);

/** Makes the scheduled first attempts due at `now`. */
export async function releaseFirstAttempts(db: Db, now: Date): Promise<void> {
  await db.all(RELEASE, [now]);
}

export type OutboxDepth = { readonly open: number; readonly in_lanes: number; readonly oldest_due_at: Date | null };

// In the orders of their indexes, which hold only what is still to be sent.
const DEPTH = statement<OutboxDepth>(
  'webhooks_depth',
  `select
     (select count(*) from (
       select from webhook_delivery where state in ('pending', 'retrying') and not lined_up
       order by due_at limit ${COUNTED_MAX}
     ) as unsent) as open,
     (select count(*) from (
       select from webhook_delivery where lined_up order by subscription_id, generation, due_at limit ${COUNTED_MAX}
     ) as lined_up) as in_lanes,
     (select due_at from webhook_delivery where state in ('pending', 'retrying') and not lined_up and due_at <= $1
      order by due_at limit 1) as oldest_due_at`,
);

/**
 * Counts the deliveries still to be sent, up to `COUNTED_MAX` in the open and in the lanes.
 * Those in the lanes wait for their receivers, so the age is of the others.
 */
export async function readOutboxDepth(db: Db, now: Date): Promise<OutboxDepth> {
  return (await db.one(DEPTH, [now])) ?? { open: 0, in_lanes: 0, oldest_due_at: null };
}
