import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { COUNTED_MAX } from '../lib/queue.ts';

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
  /** The beginning of an answer that is a failure; null where it was empty. */
  readonly answer: string | null;
  /** Null after a success and after the last attempt. */
  readonly retryAt: Date | null;
};

export type FailureRules = {
  pacedFrom: number;
  disabledFrom: number;
  disabledReason: string;
  paceSeconds: number;
};

/** A subscription whose run of failures has changed. */
export type CountedSubscription = {
  id: Uuid;
  account_id: Uuid;
  url: string;
  description: string;
  active: boolean;
  generation: number;
  failure_count: number;
  /** How many failures the run had before; a success begins another. */
  was: number;
};

// One guarded statement: an attempt counts only while its lease token is valid, so that a worker that was paused past
// its lease counts nothing twice.
// Subscriptions are locked first and in the order of their ids, and only those whose count may change.
// A failure of an earlier generation ends its delivery and is not counted; one that was cancelled during its attempt
// stays so.
// What was not made by an event does not count as a failure: a caller who replays or redelivers tries a receiver out.
// Within a batch, failures before the first success add to the count, and those after the last success are the new
// count.
const RECORD = statement<CountedSubscription>(
  'webhooks_record',
  `with outcome as materialized (
     select * from json_to_recordset($1::json) as o(place integer, account uuid, delivery uuid, subscription uuid, lease_token uuid,
       succeeded boolean, attempted_at timestamptz, response_code integer, error text, answer text, retry_at timestamptz)
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
       response_code = o.response_code, error = o.error, answer = o.answer, due_at = coalesce(o.retry_at, d.due_at),
       state = case
         when o.succeeded then 'succeeded'
         when d.state = 'cancelled' then 'cancelled'
         when s.id is null or not s.active or s.generation <> d.generation then 'cancelled'
         when o.retry_at is null then 'abandoned'
         else 'retrying'
       end
     from outcome o left join subscriber s on s.id = o.subscription
     where d.account_id = o.account and d.id = o.delivery and d.lease_token = o.lease_token
     returning d.subscription_id, d.generation, o.place, o.succeeded, o.attempted_at, o.succeeded or d.kind = 'event' as counts
   ),
   counted as (
     select r.*, min(place) filter (where succeeded) over same as first_success,
       max(place) filter (where succeeded) over same as last_success
     from recorded r where counts
     window same as (partition by subscription_id, generation)
   ),
   tally as materialized (
     select subscription_id, generation, bool_or(succeeded) as has_success, max(attempted_at) as attempted_at,
       count(*) filter (where not succeeded and place < coalesce(first_success, 2147483647)) as leading,
       count(*) filter (where not succeeded and place > last_success) as trailing
     from counted group by subscription_id, generation
   ),
   verdict as materialized (
     select s.id, t.attempted_at, case when t.has_success and s.failure_count + t.leading < $3 then 0 else s.failure_count end as was,
       case when t.has_success and s.failure_count + t.leading < $3 then t.trailing else s.failure_count + t.leading end
         as failure_count
     from tally t join subscriber s on s.id = t.subscription_id and s.generation = t.generation
     where s.active
   )
   update webhook_subscription s set
     failure_count = v.failure_count,
     failing_since = case when v.failure_count = 0 then null when v.was = 0 then v.attempted_at
       else coalesce(s.failing_since, v.attempted_at) end,
     next_attempt_at = case when v.failure_count >= $2 then v.attempted_at + make_interval(secs => $5) end,
     active = v.failure_count < $3,
     generation = s.generation + case when v.failure_count < $3 then 0 else 1 end,
     disabled_reason = case when v.failure_count < $3 then null else $4 end,
     updated_at = case when v.failure_count < $3 then s.updated_at else v.attempted_at end
   from verdict v where s.id = v.id
   returning s.id, s.account_id, s.url, s.description, s.active, s.generation, s.failure_count, v.was`,
);

/**
 * Writes outcomes of attempts, in the order in which they ended.
 * Returns the subscriptions whose run of failures has changed; one that is not active was disabled by it.
 */
export async function recordOutcomes(
  db: Db,
  outcomes: readonly Outcome[],
  rules: FailureRules,
): Promise<CountedSubscription[]> {
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
    answer: outcome.answer,
    retry_at: outcome.retryAt,
  }));
  const { pacedFrom, disabledFrom, disabledReason, paceSeconds } = rules;
  const values = [JSON.stringify(rows), pacedFrom, disabledFrom, disabledReason, paceSeconds];
  return db.all(RECORD, values);
}

/** A delivery that could not be attempted, or not to an end, by a failure of ours. */
export type PutBack = {
  readonly account: Uuid;
  readonly delivery: Uuid;
  readonly leaseToken: Uuid;
  readonly dueAt: Date;
};

// Guarded as a recorded attempt is, and nothing else changes: not the attempts, and no subscription.
const PUT_BACK = statement<never>(
  'webhooks_put_back',
  `update webhook_delivery d set lease_token = null, due_at = p.due_at
   from json_to_recordset($1::json) as p(account uuid, delivery uuid, lease_token uuid, due_at timestamptz)
   where d.account_id = p.account and d.id = p.delivery and d.lease_token = p.lease_token`,
);

/** Makes claimed deliveries due again, as if they had not been claimed. */
export async function putBackDeliveries(db: Db, putBacks: readonly PutBack[]): Promise<void> {
  const rows = putBacks.map(({ account, delivery, leaseToken, dueAt }) => ({
    account,
    delivery,
    lease_token: leaseToken,
    due_at: dueAt,
  }));
  await db.all(PUT_BACK, [JSON.stringify(rows)]);
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
