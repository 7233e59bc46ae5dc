import { type Db, type SqlValue, statement } from '../lib/db.ts';
import { FIRST_ID, type Uuid } from '../lib/ids.ts';

/** A delivery that this worker may attempt now, with everything that the attempt needs. */
export type ClaimedDelivery = {
  id: Uuid;
  account_id: Uuid;
  subscription_id: Uuid;
  kind: 'event' | 'redelivery' | 'replay';
  attempts: number;
  due_at: Date;
  url: string;
  secret_sealed: Buffer;
  secret_sealed_with: string | null;
  /** The secret that is replacing it, and from when on that signs alone. */
  next_sealed: Buffer | null;
  next_sealed_with: string | null;
  next_alone_from: Date | null;
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
  /** Below zero for a subscription that may have more than the most. */
  inFlight: ReadonlyMap<Uuid, number>;
  /** The same for one account, over all its subscriptions. */
  accountInFlightMax: number;
  accountInFlight: ReadonlyMap<Uuid, number>;
  /** A subscription with this many consecutive failures or more is paced. */
  pacedFrom: number;
};

/** No claim takes more rows than this of an account, and of a lane. */
const CLAIM_MAX = 1_000;
const LANE_CLAIM_MAX = 16;
/** A claim looks this far into what is due, in the order of time. */
const HEAD_ROWS = 256;
/** Where more is due, it looks for due rows of so many further accounts. */
const ACCOUNTS_MAX = 100;

// Each in the order of its index: asked whether there is any row, the planner counts on one among the first of the
// table and reads it from its beginning.
const LOOK = statement<{ due: boolean; in_lanes: boolean }>(
  'webhooks_look',
  `select
     exists (
       select from (
         select from webhook_delivery
         where state in ('pending', 'retrying') and not lined_up and due_at <= $1 order by due_at limit 1
       ) as d
     ) as due,
     exists (
       select from (
         select from webhook_delivery where lined_up order by subscription_id, generation, due_at limit 1
       ) as l
     ) as in_lanes`,
);

/**
 * Says whether deliveries are due, and whether some wait in lanes.
 * It costs a tenth of a claim that finds none.
 */
export async function lookForDeliveries(db: Db, now: Date): Promise<{ due: boolean; inLanes: boolean }> {
  const found = await db.one(LOOK, [now]);
  return { due: found?.due === true, inLanes: found?.in_lanes === true };
}

type DueRow =
  | ({ fate: 'send' | 'line_up' | 'cancel' } & ClaimedDelivery)
  /** The last account that was looked at, when there are accounts behind it. */
  | { fate: 'scanned'; account_id: Uuid };

// Due deliveries in turn by account; of an account, the oldest first.
// Usually all that is due is in the head of the index by time, and its accounts share the places. Where more is due
// than the head holds, one account may fill it: accounts are then also found by steps in the index by account,
// beginning after the last one served. So a backlog of a million rows costs another account no more than one of three
// hundred.
// A delivery that cannot go now moves into its subscription's own lane, so that it is seen here once and not at every
// claim: one dead or slow receiver with 100,000 due rows costs the others one pass over them. So does one of an account
// that has all its places in use.
// If its subscription has a lane already, a delivery goes to the lane's end, or it would overtake the older ones there.
// `skip locked` throughout: a claim waits for no lock, so it can have no part in a deadlock. A claimed row is due again
// when its lease runs out.
// Much here is for the planner, which takes an unknown limit for a tenth of the table and then reads all of it (60 ms a
// claim with 100,000 due). Hence the inner limits. Subscription and event are looked up for each row, not joined, and
// each fate has its own update: few rows are then expected. `= any` keeps the order by time to the index that begins
// with the account; in the other one the rows of all accounts lie between those of one. Asked whether a lane has any
// row, the planner counts on one among the first of the table, hence the order of that row.
const CLAIM_DUE = statement<DueRow>(
  'webhooks_claim_due',
  `with recursive head as materialized (
     select account_id from webhook_delivery
     where state in ('pending', 'retrying') and not lined_up and due_at <= $1
     order by due_at limit ${HEAD_ROWS}
   ),
   behind(account_id, place) as (
     select * from (
       select account_id, 1 from webhook_delivery
       where state in ('pending', 'retrying') and not lined_up and account_id > $9
         and (select count(*) from head) = ${HEAD_ROWS}
       order by account_id limit 1
     ) as first
     union all
     select (
       select d.account_id from webhook_delivery d
       where d.state in ('pending', 'retrying') and not d.lined_up and d.account_id > behind.account_id
       order by d.account_id limit 1
     ), behind.place + 1
     from behind where behind.account_id is not null and behind.place < ${ACCOUNTS_MAX}
   ),
   asking as materialized (
     select a.account_id, count(*) over () as accounts
     from (select account_id from head union select account_id from behind where account_id is not null) as a
     where exists (
       select from webhook_delivery d
       where d.account_id = a.account_id and d.state in ('pending', 'retrying') and not d.lined_up and d.due_at <= $1
     )
     order by a.account_id <= $9, a.account_id limit $4
   ),
   due as materialized (
     select d.* from asking a cross join lateral (
       select * from (
         select id, subscription_id, generation, account_id, event_id, kind, attempts, due_at from webhook_delivery
         where state in ('pending', 'retrying') and not lined_up
           and account_id = any(array[a.account_id]) and due_at <= $1
         order by account_id, due_at limit ${CLAIM_MAX}
         for update skip locked
       ) as oldest
       limit greatest(1, $4 / a.accounts)
     ) as d
   ),
   judged as materialized (
     select d.id, d.account_id, d.subscription_id, d.kind, d.attempts, d.due_at, s.url, s.secret_sealed, s.secret_sealed_with,
       n.secret_sealed as next_sealed, n.secret_sealed_with as next_sealed_with, n.alone_from as next_alone_from,
       e.id as event_id, e.event, e.sequence, e.data::text as data, e.created_at,
       case
         when e.id is null or s.id is null or not s.active or s.generation <> d.generation then 'cancel'
         when s.failure_count >= $8 then 'line_up'
         when coalesce(f.attempts, 0) + row_number() over (partition by d.subscription_id order by d.due_at, d.id) > $7
           then 'line_up'
         when coalesce(o.attempts, 0) + row_number() over (partition by d.account_id order by d.due_at, d.id) > $12
           then 'line_up'
         when (
           select l.lined_up from webhook_delivery l where l.lined_up and l.subscription_id = d.subscription_id
           order by l.generation, l.due_at limit 1
         ) then 'line_up'
         else 'send'
       end as fate
     from due d
     left join lateral (
       select * from webhook_subscription where account_id = d.account_id and id = d.subscription_id limit 1
     ) as s on true
     left join lateral (
       select * from webhook_next_secret where account_id = d.account_id and subscription_id = d.subscription_id limit 1
     ) as n on true
     left join lateral (select * from event where account_id = d.account_id and id = d.event_id limit 1) as e on true
     left join unnest($5::uuid[], $6::integer[]) as f(subscription_id, attempts) on f.subscription_id = d.subscription_id
     left join unnest($10::uuid[], $11::integer[]) as o(account_id, attempts) on o.account_id = d.account_id
   ),
   leased as (
     update webhook_delivery d set lease_token = $3, due_at = $2
     from judged j where j.fate = 'send' and d.account_id = j.account_id and d.id = j.id
   ),
   lined_up as (
     update webhook_delivery d set lined_up = true, lease_token = null
     from judged j where j.fate = 'line_up' and d.account_id = j.account_id and d.id = j.id
   ),
   cancelled as (
     update webhook_delivery d set state = 'cancelled', lease_token = null
     from judged j where j.fate = 'cancel' and d.account_id = j.account_id and d.id = j.id
   )
   select id, account_id, subscription_id, kind, attempts, due_at, url, secret_sealed, secret_sealed_with,
     next_sealed, next_sealed_with, next_alone_from, event_id, event, sequence, data, created_at, fate
   from judged
   union all
   select null, account_id, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, 'scanned'
   from behind where place = ${ACCOUNTS_MAX} and account_id is not null`,
);

/**
 * Leases due deliveries, in turn by account, beginning after the account `after`.
 * `next` is where to continue. `lookAgain` says that more may be due right behind them: an account had as much as its
 * share, there are accounts that this pass did not reach, or some deliveries went into a lane. Cancels the deliveries
 * of a paused or removed subscription that it comes across.
 */
export async function claimDue(
  db: Db,
  terms: ClaimTerms,
  after: Uuid,
): Promise<{ deliveries: ClaimedDelivery[]; next: Uuid; lookAgain: boolean }> {
  const found = await db.all(CLAIM_DUE, claimValues(terms, after));
  const rows = found.flatMap((row) => (row.fate === 'scanned' ? [] : [row]));
  const counts = new Map<Uuid, number>();
  for (const { account_id: account } of rows) counts.set(account, (counts.get(account) ?? 0) + 1);
  const wasCut = counts.size === terms.limit;
  const scanned = found.find((row) => row.fate === 'scanned')?.account_id;
  const share = Math.max(1, Math.floor(terms.limit / Math.max(1, counts.size)));
  const hasMore = wasCut || scanned !== undefined || [...counts.values()].some((count) => count >= share);
  return {
    deliveries: rows.flatMap((row) => (row.fate === 'send' ? [row] : [])),
    next: (wasCut ? lastInTurn([...counts.keys()], after) : scanned) ?? FIRST_TURN_ID,
    lookAgain: hasMore || rows.some((row) => row.fate === 'line_up'),
  };
}

/** The last of some ids when the order begins after a given one and goes round. */
function lastInTurn(ids: readonly Uuid[], after: Uuid): Uuid | undefined {
  const inOrder = ids.toSorted();
  return inOrder.findLast((id) => id <= after) ?? inOrder.at(-1);
}

/**
 * A claim serves at most this many lanes.
 * It cancels at most this many rows of a lane.
 */
const LANES_MAX = 100;
const LANE_CANCEL_MAX = 100;

type LaneRow = { line_id: Uuid } & (
  | ({ fate: 'send' } & ClaimedDelivery)
  /** `unserved` is a lane that could have been served, had there been more places. */
  | { fate: 'cancel' | 'none' | 'unserved' }
);

// The lanes after a given one, each found by one step in the index, however long they are.
// A paced lane gives one row, and not before its time, which is moved on under the subscription's lock: one attempt
// over all workers. Another lane gives as many as its subscription has places free.
// The places go round by account: the first of each account, then the second of each, up to what the account has free.
// Within an account the lane comes first whose next delivery is the oldest.
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
   known as materialized (
     select line.id, s.account_id, case when s.active then s.generation end as generation, s.url, s.secret_sealed, s.secret_sealed_with,
       coalesce(s.failure_count >= $8, false) as paced,
       s.next_attempt_at is null or s.next_attempt_at <= $1 as open,
       $7 - coalesce(f.attempts, 0) as free
     from line
     left join webhook_subscription s on s.id = line.id
     left join unnest($5::uuid[], $6::integer[]) as f(subscription_id, attempts) on f.subscription_id = line.id
     where line.id is not null
   ),
   owner as materialized (
     select *, case when generation is null then 0 when paced then (open and free > 0)::integer else free end as places
     from known
   ),
   place as (
     select o.id, o.account_id, row_number() over (partition by o.account_id order by nth, h.due_at, o.id) as turn
     from owner o cross join lateral (
       select due_at from webhook_delivery
       where lined_up and subscription_id = o.id and generation = o.generation order by due_at limit 1
     ) as h
     cross join lateral generate_series(1, o.places) as nth
   ),
   share as materialized (
     select id, count(*) filter (where place <= $4) as places from (
       select p.id, row_number() over (order by p.turn, p.id) as place
       from place p left join unnest($10::uuid[], $11::integer[]) as a(account_id, attempts) on a.account_id = p.account_id
       where p.turn + coalesce(a.attempts, 0) <= $12
     ) as in_turn
     group by id
   ),
   turn as materialized (
     select s.id from webhook_subscription s
     where s.id in (select o.id from owner o join share h on h.id = o.id where o.paced and h.places > 0)
       and s.active and s.failure_count >= $8
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
     select d.id, o.id as line_id, o.paced, d.account_id, d.event_id, d.kind, d.attempts, d.due_at, o.url, o.secret_sealed, o.secret_sealed_with
     from owner o join share h on h.id = o.id cross join lateral (
       select * from (
         select id, account_id, event_id, kind, attempts, due_at from webhook_delivery
         where lined_up and subscription_id = o.id and generation = o.generation
         order by due_at limit ${LANE_CLAIM_MAX}
         for update skip locked
       ) as oldest
       limit h.places
     ) as d
     where not o.paced or o.id in (select id from turn)
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
   select n.line_id, 'send' as fate, n.id, n.account_id, n.line_id as subscription_id, n.kind, n.attempts, n.due_at, n.url, n.secret_sealed,
     n.secret_sealed_with, x.secret_sealed as next_sealed, x.secret_sealed_with as next_sealed_with, x.alone_from as next_alone_from,
     e.id as event_id, e.event, e.sequence, e.data::text as data, e.created_at
   from next n cross join lateral (select * from event where account_id = n.account_id and id = n.event_id limit 1) as e
   left join lateral (
     select * from webhook_next_secret where account_id = n.account_id and subscription_id = n.line_id limit 1
   ) as x on true
   union all
   select line_id, 'cancel', id, account_id, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null from stale
   union all
   select o.id, case when h.places = 0 then 'unserved' else 'none' end,
     null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null
   from owner o left join share h on h.id = o.id`,
);

/** Sorts before every id of an account or a subscription. A claim returns it when it has come round. */
export const FIRST_TURN_ID = FIRST_ID as Uuid;

/**
 * Leases deliveries that wait in the lanes of their subscriptions, beginning after the lane `after`.
 * `next` is where to continue. `lookAgain` says that this pass was not the last: there are lanes that it did not reach
 * or had no place for, or rows of an earlier generation.
 */
export async function claimFromLanes(
  db: Db,
  terms: ClaimTerms,
  after: Uuid,
): Promise<{ deliveries: ClaimedDelivery[]; next: Uuid; lookAgain: boolean }> {
  const rows = await db.all(CLAIM_LANES, claimValues(terms, after));
  const deliveries = rows.flatMap((row) => (row.fate === 'send' ? [row] : []));
  const lanes = rows.filter(({ fate }) => fate === 'none' || fate === 'unserved').toSorted(byLine);
  const firstUnserved = lanes.findIndex(({ fate }) => fate === 'unserved');
  const reached = firstUnserved === -1 ? lanes : lanes.slice(0, firstUnserved);
  const mayHaveMore = firstUnserved !== -1 || lanes.length === LANES_MAX;
  const next = (mayHaveMore ? (reached.at(-1)?.line_id ?? after) : undefined) ?? FIRST_TURN_ID;
  const lookAgain = mayHaveMore || rows.some((row) => row.fate === 'cancel');
  return { deliveries, next, lookAgain };
}

function byLine(one: LaneRow, other: LaneRow): number {
  return one.line_id < other.line_id ? -1 : 1;
}

function claimValues(terms: ClaimTerms, after: Uuid): SqlValue[] {
  const { now, leaseUntil, leaseToken, limit, inFlight, inFlightMax, pacedFrom } = terms;
  const { accountInFlight, accountInFlightMax } = terms;
  return [
    ...[now, leaseUntil, leaseToken, limit, [...inFlight.keys()], [...inFlight.values()], inFlightMax, pacedFrom],
    ...[after, [...accountInFlight.keys()], [...accountInFlight.values()], accountInFlightMax],
  ];
}
