import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';

export type DeliveryState = 'pending' | 'retrying' | 'succeeded' | 'abandoned' | 'cancelled';

export type ListedDeliveryRow = {
  id: Uuid;
  event_id: Uuid;
  event: string;
  kind: 'event' | 'redelivery' | 'replay';
  status: DeliveryState;
  attempts: number;
  response_code: number | null;
  error: string | null;
  answer: string | null;
  created_at: Date;
  attempted_at: Date | null;
  next_attempt_at: Date | null;
};

/**
 * A stored state of deliveries.
 * `mayGo` asks for those that may still be sent (true), for those that may not, or for both.
 */
export type WantedState = { readonly state: DeliveryState; readonly mayGo: boolean | null };

// An open delivery of an earlier generation is never sent, whether its worker has marked it yet or not.
const MAY_GO = 's.active and s.generation = d.generation';
const COLUMNS = `d.id, d.event_id, d.event, d.kind, d.attempts, d.response_code, d.error, d.answer, d.created_at, d.attempted_at,
  case when d.state in ('pending', 'retrying') and not (${MAY_GO}) then 'cancelled' else d.state end as status,
  case when d.state in ('pending', 'retrying') and ${MAY_GO} and d.lease_token is null then d.due_at end as next_attempt_at`;

// Each event and state is a range of one index. A range of one subscription, and its account only then: of the two
// together the planner expects next to none, and would read and sort all that a large account has. The first id that is
// wanted is compared behind the limit for the same reason. That limit is no constant: of a range that it takes for
// hardly longer than a page, the planner would read and sort all.
const PAGE = statement<ListedDeliveryRow>(
  'webhooks_page_of_deliveries',
  `with found as materialized (
     select d.id from webhook_subscription s
     cross join unnest($4::text[]) as e(event)
     cross join unnest($5::text[], $6::boolean[]) as w(state, may_go)
     cross join lateral (
       select id from webhook_delivery d
       where d.subscription_id = s.id and d.event = e.event and d.state = w.state and d.id < coalesce($3::uuid, '${LAST_ID}')
         and (w.may_go is null or w.may_go = (${MAY_GO}))
       order by d.id desc limit (select $7::bigint)
     ) as d
     where s.account_id = $1 and s.id = $2 and d.id >= $8
     order by d.id desc limit $7
   )
   select ${COLUMNS} from webhook_subscription s, found f cross join lateral (
     select * from webhook_delivery where account_id = $1 and id = f.id limit 1
   ) as d
   where s.account_id = $1 and s.id = $2
   order by d.id desc`,
);

/** Deliveries of a subscription of the account, newest first, from after `after`. */
export async function listDeliveryRows(
  db: Db,
  of: { readonly accountId: Uuid; readonly subscriptionId: Uuid },
  part: {
    readonly after: Uuid | undefined;
    readonly limit: number;
    readonly events: readonly string[];
    readonly states: readonly WantedState[];
    /** The first id that is wanted. */
    readonly floor: Uuid;
  },
): Promise<ListedDeliveryRow[]> {
  const states = part.states.map(({ state }) => state);
  const mayGo = part.states.map(({ mayGo: only }) => only);
  const values = [of.accountId, of.subscriptionId, part.after ?? null, part.events, states, mayGo, part.limit];
  return db.all(PAGE, [...values, part.floor]);
}

const ONE = statement<ListedDeliveryRow>(
  'webhooks_one_delivery',
  `select ${COLUMNS} from webhook_delivery d join webhook_subscription s on s.account_id = d.account_id and s.id = d.subscription_id
   where d.account_id = $1 and d.id = $3 and d.subscription_id = $2`,
);

/** A delivery of a subscription of the account. */
export async function findDelivery(
  db: Db,
  { accountId, subscriptionId, id }: { readonly accountId: Uuid; readonly subscriptionId: Uuid; readonly id: Uuid },
): Promise<ListedDeliveryRow | undefined> {
  return db.one(ONE, [accountId, subscriptionId, id]);
}

export type SentEventRow = { id: Uuid; event: string; created_at: Date; data: unknown; sequence: number };

const EVENT = statement<SentEventRow>(
  'webhooks_event_of_delivery',
  'select id, event, created_at, data, sequence from event where account_id = $1 and id = $2',
);

/** The event of a delivery; undefined once it has left the log. */
export async function findSentEvent(db: Db, accountId: Uuid, id: Uuid): Promise<SentEventRow | undefined> {
  return db.one(EVENT, [accountId, id]);
}

const LOCK_SUBSCRIPTION = statement<{ active: boolean; generation: number }>(
  'webhooks_lock_for_redelivery',
  'select active, generation from webhook_subscription where account_id = $1 and id = $2 for share',
);

/** Keeps a subscription of the account from being paused or removed until the transaction ends. */
export async function lockSubscription(
  tx: Db,
  accountId: Uuid,
  id: Uuid,
): Promise<{ active: boolean; generation: number } | undefined> {
  return tx.one(LOCK_SUBSCRIPTION, [accountId, id]);
}

const LOCK_TO_REDELIVER = statement<{ active: boolean; generation: number }>(
  'webhooks_lock_to_redeliver',
  'select active, generation from webhook_subscription where account_id = $1 and id = $2 for no key update',
);

/** As `lockSubscription`, and lets one redelivery at a time be made. */
export async function lockToRedeliver(
  tx: Db,
  accountId: Uuid,
  id: Uuid,
): Promise<{ active: boolean; generation: number } | undefined> {
  return tx.one(LOCK_TO_REDELIVER, [accountId, id]);
}

// The words of the index of what was asked for again.
const OPEN_AGAIN = `kind in ('redelivery', 'replay') and state in ('pending', 'retrying')`;

const OPEN_REDELIVERY = statement<{ id: Uuid }>(
  'webhooks_open_redelivery',
  `select id from webhook_delivery
   where account_id = $1 and event_id = $2 and subscription_id = $3 and ${OPEN_AGAIN} and kind = 'redelivery' and generation = $4
   order by account_id, event_id, subscription_id limit 1`,
);

/** The redelivery of an event to a subscription that has not ended. */
export async function findOpenRedelivery(
  tx: Db,
  of: { readonly accountId: Uuid; readonly subscriptionId: Uuid; readonly eventId: Uuid; readonly generation: number },
): Promise<Uuid | undefined> {
  return (await tx.one(OPEN_REDELIVERY, [of.accountId, of.eventId, of.subscriptionId, of.generation]))?.id;
}

/** How many redeliveries of a subscription may be under way. */
export const OPEN_REDELIVERIES_MAX = 100;
/** What an account can have under way of redeliveries and replays is some two thousand. */
const LOOKED_AT_MAX = 5_000;

const COUNT_OPEN = statement<{ open: number }>(
  'webhooks_count_open_redeliveries',
  `select count(*) filter (where subscription_id = $2 and kind = 'redelivery' and generation = $3)::integer as open from (
     select subscription_id, kind, generation from webhook_delivery
     where account_id = $1 and ${OPEN_AGAIN} order by account_id, event_id, subscription_id limit ${LOOKED_AT_MAX}
   ) as d`,
);

/** Counts the redeliveries of a subscription that have not ended. */
export async function countOpenRedeliveries(
  tx: Db,
  of: { readonly accountId: Uuid; readonly subscriptionId: Uuid; readonly generation: number },
): Promise<number> {
  return (await tx.one(COUNT_OPEN, [of.accountId, of.subscriptionId, of.generation]))?.open ?? 0;
}

// One that is under way is left alone, and so is one in its lane: it has been due for some time.
const BRING_FORWARD = statement<never>(
  'webhooks_bring_forward',
  `update webhook_delivery set due_at = $3
   where account_id = $1 and id = $2 and state in ('pending', 'retrying') and lease_token is null and not lined_up and due_at > $3`,
);

/** Makes a delivery that waits for its next attempt due at `now`. */
export async function bringForward(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(BRING_FORWARD, [accountId, id, now]);
}

const REDELIVER = statement<{ id: Uuid }>(
  'webhooks_redeliver',
  `insert into webhook_delivery (id, account_id, subscription_id, generation, event_id, event, kind, state, due_at, created_at)
   select $4, d.account_id, d.subscription_id, $5, d.event_id, d.event, 'redelivery', 'pending', $6, $6
   from webhook_delivery d join event e on e.account_id = d.account_id and e.id = d.event_id
   where d.account_id = $1 and d.id = $3 and d.subscription_id = $2 and e.created_at >= $7
   returning id`,
);

/**
 * Records another delivery of the same event, due at once.
 * False when the event has left the log, which begins at a time.
 */
export async function insertRedelivery(
  tx: Db,
  of: { readonly accountId: Uuid; readonly subscriptionId: Uuid; readonly id: Uuid },
  made: { readonly id: Uuid; readonly generation: number; readonly now: Date; readonly logBegins: Date },
): Promise<boolean> {
  const values = [of.accountId, of.subscriptionId, of.id, made.id, made.generation, made.now, made.logBegins];
  return (await tx.one(REDELIVER, values)) !== undefined;
}
