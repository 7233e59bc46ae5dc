import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';

export type ReplayState = 'running' | 'paused' | 'completed' | 'cancelled';

export type EventReplayRow = {
  id: Uuid;
  state: ReplayState;
  paused_reason: string | null;
  since: Date;
  until: Date;
  events: number;
  sent: number;
  succeeded: number;
  failed: number;
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
};

const COLUMNS =
  'id, state, paused_reason, since, until, events, sent, succeeded, failed, created_at, updated_at, ended_at';

/** Which events of an account: with ids between two, created within a span, of these names or all. */
export type ReplayedSpan = {
  readonly floor: Uuid;
  readonly ceiling: Uuid;
  readonly since: Date;
  readonly until: Date;
  readonly names: readonly string[];
};

/** A replay of more is several: this bounds what a count reads. */
export const REPLAYED_MAX = 100_000;

const COUNT = statement<{ events: number; is_more: boolean }>(
  'webhooks_count_replayed',
  `select count(*) filter (where $6::text[] = '{}' or event = any($6))::integer as events, count(*) > ${REPLAYED_MAX} as is_more
   from (
     select event from event
     where account_id = $1 and id > $2 and id < $3 and created_at >= $4 and created_at < $5
     order by account_id, id limit ${REPLAYED_MAX + 1}
   ) as within`,
);

/** Counts the events of a span, and says whether more of any name lie in it than a replay may have. */
export async function countEvents(
  db: Db,
  accountId: Uuid,
  span: ReplayedSpan,
): Promise<{ events: number; isMore: boolean }> {
  const row = await db.one(COUNT, [accountId, span.floor, span.ceiling, span.since, span.until, span.names]);
  return { events: row?.events ?? 0, isMore: row?.is_more === true };
}

const INSERT = statement<EventReplayRow>(
  'webhooks_insert_replay',
  `insert into webhook_replay (account_id, id, subscription_id, state, since, until, names, events, place, ceiling, created_at, updated_at)
   values ($1, $2, $3, 'running', $4, $5, $6, $7, $8, $9, $10, $10)
   on conflict (account_id, subscription_id) where ended_at is null do nothing
   returning ${COLUMNS}`,
);

/** Records a replay that runs; undefined when another of the subscription has not ended. */
export async function insertReplay(
  tx: Db,
  replay: ReplayedSpan & {
    readonly accountId: Uuid;
    readonly id: Uuid;
    readonly subscriptionId: Uuid;
    readonly events: number;
    readonly now: Date;
  },
): Promise<EventReplayRow | undefined> {
  const { accountId, id, subscriptionId, since, until, names, events, floor, ceiling, now } = replay;
  return tx.one(INSERT, [accountId, id, subscriptionId, since, until, names, events, floor, ceiling, now]);
}

/** Names a replay of an account's subscription. */
export type ReplayOf = { readonly accountId: Uuid; readonly subscriptionId: Uuid; readonly id: Uuid };

const ONE = statement<EventReplayRow>(
  'webhooks_one_replay',
  `select ${COLUMNS} from webhook_replay where account_id = $1 and subscription_id = $2 and id = $3`,
);

/** A replay. */
export async function findReplay(
  db: Db,
  { accountId, subscriptionId, id }: ReplayOf,
): Promise<EventReplayRow | undefined> {
  return db.one(ONE, [accountId, subscriptionId, id]);
}

const LOCK = statement<EventReplayRow>(
  'webhooks_lock_replay',
  `select ${COLUMNS} from webhook_replay where account_id = $1 and subscription_id = $2 and id = $3 for update`,
);

/** As `findReplay`, and keeps every worker from it until the transaction ends. */
export async function lockReplay(
  tx: Db,
  { accountId, subscriptionId, id }: ReplayOf,
): Promise<EventReplayRow | undefined> {
  return tx.one(LOCK, [accountId, subscriptionId, id]);
}

const PAGE = statement<EventReplayRow>(
  'webhooks_page_of_replays',
  `select ${COLUMNS} from webhook_replay
   where account_id = $1 and subscription_id = $2 and id < coalesce($3::uuid, '${LAST_ID}') order by id desc limit $4`,
);

/** Replays of a subscription, newest first, from after `after`. */
export async function listReplayRows(
  db: Db,
  of: { readonly accountId: Uuid; readonly subscriptionId: Uuid },
  after: Uuid | undefined,
  limit: number,
): Promise<EventReplayRow[]> {
  return db.all(PAGE, [of.accountId, of.subscriptionId, after ?? null, limit]);
}

const CHANGE = statement<EventReplayRow>(
  'webhooks_change_replay',
  `update webhook_replay set state = $3::text, paused_reason = null, updated_at = $4,
     ended_at = case when $3::text = 'cancelled' then $4::timestamptz end
   where account_id = $1 and id = $2
   returning ${COLUMNS}`,
);

/** Moves a locked replay into a state. */
export async function changeReplayRow(
  tx: Db,
  { accountId, id }: ReplayOf,
  state: 'running' | 'paused' | 'cancelled',
  now: Date,
): Promise<EventReplayRow> {
  const row = await tx.one(CHANGE, [accountId, id, state, now]);
  if (row === undefined) throw new Error('a locked replay is not there');
  return row;
}

// An attempt that is under way at this moment cannot be called back, and its worker still records how it ended. Its
// delivery is cancelled all the same, so that nothing follows: neither a retry nor another worker after the lease. It
// stays on the list until it has ended, and is counted then.
const CANCEL_OPEN = statement<never>(
  'webhooks_cancel_replayed',
  `with cancelled as (
     update webhook_delivery d set state = 'cancelled', lined_up = false
     where d.account_id = $1 and d.id = any((select open_deliveries from webhook_replay where account_id = $1 and id = $2)::uuid[])
       and d.state in ('pending', 'retrying')
     returning d.id, d.lease_token
   )
   update webhook_replay r set
     failed = failed + (select count(*) from cancelled where lease_token is null)
       + (select count(*) from unnest(r.open_deliveries) as o(id) join webhook_delivery d on d.account_id = $1 and d.id = o.id
          where d.state in ('abandoned', 'cancelled')),
     succeeded = succeeded
       + (select count(*) from unnest(r.open_deliveries) as o(id) join webhook_delivery d on d.account_id = $1 and d.id = o.id
          where d.state = 'succeeded'),
     open_deliveries = array(select id from cancelled where lease_token is not null)
   where account_id = $1 and id = $2`,
);

/**
 * Cancels what a locked replay has not finished.
 * An attempt that is under way is the last of its delivery.
 */
export async function cancelOpen(tx: Db, { accountId, id }: ReplayOf): Promise<void> {
  await tx.all(CANCEL_OPEN, [accountId, id]);
}

/**
 * How many cancelled replays a round of the worker looks at.
 * Each leaves the list once its leases are over.
 */
const LEAVING_MAX = 100;

// A lease that ran out is that of a dead worker, which will not record its attempt.
const COUNT_LEAVING = statement<never>(
  'webhooks_count_cancelled_replays',
  `with leaving as materialized (
     select account_id, id, open_deliveries from webhook_replay
     where state = 'cancelled' and open_deliveries <> '{}' order by id limit ${LEAVING_MAX} for update skip locked
   ),
   last as materialized (
     select r.account_id, r.id as replay, o.id, d.state,
       d.state is null or d.state = 'succeeded' or d.lease_token is null or d.due_at <= $1 as has_ended
     from leaving r cross join lateral unnest(r.open_deliveries) as o(id)
     left join lateral (
       select state, lease_token, due_at from webhook_delivery where account_id = r.account_id and id = o.id limit 1
     ) as d on true
   ),
   counts as materialized (
     select account_id, replay, count(*) filter (where state = 'succeeded') as succeeded,
       count(*) filter (where has_ended and state is distinct from 'succeeded') as failed,
       coalesce(array_agg(id) filter (where not has_ended), '{}') as left_over
     from last group by account_id, replay having bool_or(has_ended)
   )
   update webhook_replay w set succeeded = w.succeeded + c.succeeded, failed = w.failed + c.failed,
     open_deliveries = c.left_over, updated_at = $1
   from counts c where w.account_id = c.account_id and w.id = c.replay`,
);

/** Counts the last attempts of cancelled replays that have ended. */
export async function countCancelled(db: Db, now: Date): Promise<void> {
  await db.all(COUNT_LEAVING, [now]);
}

/** How many running replays a round of the worker looks at. */
const RUNNING_MAX = 100;

const RUNNING = statement<{ account_id: Uuid; id: Uuid }>(
  'webhooks_running_replays',
  `select account_id, id from webhook_replay where state = 'running' and id > $1 order by id limit ${RUNNING_MAX}`,
);

/** Replays that run, from after an id. */
export async function listRunning(db: Db, after: Uuid): Promise<{ account_id: Uuid; id: Uuid }[]> {
  return db.all(RUNNING, [after]);
}

/**
 * Deliveries of a replay that are under way at a time.
 * A subscription has four attempts at a time: one is left to what happens now.
 */
const OPEN_MAX = 3;

const PAUSED_REASON = 'The subscription is paused or disabled. Set active to true, then resume the replay.';

export type ReplayStep = { made: number; state: ReplayState };

const LOCK_RUNNING = statement<{ id: Uuid }>(
  'webhooks_lock_running_replay',
  `select id from webhook_replay where account_id = $1 and id = $2 and state = 'running' for update skip locked`,
);

// One statement, so that a delivery is never made without the place moving past its event, nor the other way round.
// Deliveries that have ended are counted and leave the list; as many events as have room then follow. Where fewer come,
// there are no more, and the place moves to the end: the rest of the span would be read at every step.
const STEP = statement<ReplayStep>(
  'webhooks_step_replay',
  `with r as materialized (
     select * from webhook_replay where account_id = $1 and id = $2
   ),
   subscription as materialized (
     select s.active, s.generation from r join webhook_subscription s on s.account_id = r.account_id and s.id = r.subscription_id
   ),
   under_way as materialized (
     select o.id, d.state from r cross join lateral unnest(r.open_deliveries) as o(id)
     left join lateral (
       select state from webhook_delivery where account_id = r.account_id and id = o.id limit 1
     ) as d on true
   ),
   still as materialized (select id from under_way where state in ('pending', 'retrying')),
   next as materialized (
     select e.id, e.event, row_number() over (order by e.id) as n from (
       select e.* from r cross join lateral (
         select id, event from event
         where account_id = r.account_id and id > r.place and id < r.ceiling and created_at >= r.since and created_at < r.until
           and (r.names = '{}' or event = any(r.names))
         order by account_id, id limit ${OPEN_MAX}
       ) as e
       where (select active from subscription)
       order by e.id limit greatest(0, ${OPEN_MAX} - (select count(*) from still))
     ) as e
   ),
   made as (
     insert into webhook_delivery (id, account_id, subscription_id, generation, event_id, event, kind, state, due_at, created_at)
     select uuid_v7($3::timestamptz), r.account_id, r.subscription_id, s.generation, n.id, n.event, 'replay', 'pending',
       $3::timestamptz - (${OPEN_MAX} - n.n) * interval '1 microsecond', $3
     from r, subscription s, next n
     returning id
   ),
   counts as materialized (
     select (select count(*) from made)::integer as made, (select count(*) from still)::integer as still,
       (select count(*) from under_way where state = 'succeeded')::integer as succeeded,
       (select count(*) from under_way where state is null or state in ('abandoned', 'cancelled'))::integer as failed,
       coalesce((select active from subscription), false) as active,
       case when (select active from subscription) and (select count(*) from next) < ${OPEN_MAX} - (select count(*) from still)
         then (select ceiling from r) else coalesce((select id from next order by id desc limit 1), (select place from r)) end as place
   )
   update webhook_replay w set
     place = c.place,
     open_deliveries = array(select id from still union all select id from made),
     sent = w.sent + c.made, succeeded = w.succeeded + c.succeeded, failed = w.failed + c.failed,
     state = case when not c.active then 'paused' when c.made + c.still = 0 then 'completed' else w.state end,
     paused_reason = case when not c.active then $4 end,
     ended_at = case when c.active and c.made + c.still = 0 then $3::timestamptz end,
     updated_at = case when c.made + c.succeeded + c.failed > 0 or not c.active or c.still = 0 then $3 else w.updated_at end
   from r, counts c where w.account_id = r.account_id and w.id = r.id
     and (c.made + c.succeeded + c.failed > 0 or not c.active or c.still = 0 or c.place <> w.place)
   returning c.made, w.state`,
);

/**
 * Takes a replay a step on; undefined when that changed nothing.
 * So it is when another worker has it, or it does not run any more.
 * Makes the deliveries of the next events, in the order of their ids, up to `OPEN_MAX` under way.
 */
export async function stepReplay(
  tx: Db,
  of: { account_id: Uuid; id: Uuid },
  now: Date,
): Promise<ReplayStep | undefined> {
  // A statement of its own, so that the next sees the deliveries that the last holder of the lock has made.
  if ((await tx.one(LOCK_RUNNING, [of.account_id, of.id])) === undefined) return undefined;
  return tx.one(STEP, [of.account_id, of.id, now, PAUSED_REASON]);
}
