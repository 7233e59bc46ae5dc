import { lockAccount } from '../accounts/lock-account.ts';
import { type Db, statement } from '../lib/db.ts';
import { LAST_ID, type Uuid } from '../lib/ids.ts';
import type { Sealed } from '../lib/secrets.ts';

export type SubscriptionRow = {
  id: Uuid;
  url: string;
  events: string[];
  description: string;
  active: boolean;
  failure_count: number;
  disabled_reason: string | null;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = `id, url, events, description, active, failure_count, disabled_reason, failing_since,
  created_at, updated_at`;

const COUNT = statement<{ count: number }>(
  'webhooks_count',
  'select count(*) as count from webhook_subscription where account_id = $1',
);

/** Locks the account against other creations until the transaction ends, and counts its subscriptions. */
export async function lockAndCountSubscriptions(tx: Db, accountId: Uuid): Promise<number> {
  await lockAccount(tx, accountId);
  const row = await tx.one(COUNT, [accountId]);
  return row?.count ?? 0;
}

const INSERT = statement<SubscriptionRow>(
  'webhooks_insert',
  `insert into webhook_subscription (id, account_id, url, events, description, secret_sealed, secret_sealed_with, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
   returning ${COLUMNS}`,
);

/** Writes a subscription, active and without failures. */
export async function insertSubscription(
  db: Db,
  subscription: {
    id: Uuid;
    accountId: Uuid;
    url: string;
    events: readonly string[];
    description: string;
    secretSealed: Sealed;
    now: Date;
  },
): Promise<SubscriptionRow> {
  const { id, accountId, url, events, description, secretSealed, now } = subscription;
  const row = await db.one(INSERT, [
    id,
    accountId,
    url,
    events,
    description,
    secretSealed.bytes,
    secretSealed.keyId,
    now,
  ]);
  if (row === undefined) throw new Error('an inserted subscription came back without a row');
  return row;
}

const PAGE = statement<SubscriptionRow>(
  'webhooks_page',
  `select ${COLUMNS} from webhook_subscription
   where account_id = $1 and id < coalesce($2::uuid, '${LAST_ID}') order by id desc limit $3`,
);

/** Subscriptions of an account, newest first, from after `after`. */
export async function listSubscriptionRows(
  db: Db,
  accountId: Uuid,
  after: Uuid | undefined,
  limit: number,
): Promise<SubscriptionRow[]> {
  return db.all(PAGE, [accountId, after ?? null, limit]);
}

const ONE = statement<SubscriptionRow>(
  'webhooks_one',
  `select ${COLUMNS} from webhook_subscription where account_id = $1 and id = $2`,
);

/** A subscription of the account. */
export async function findSubscription(db: Db, accountId: Uuid, id: Uuid): Promise<SubscriptionRow | undefined> {
  return db.one(ONE, [accountId, id]);
}

type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'abandoned' | 'cancelled';

export type DeliveryRow = {
  id: Uuid;
  event: string;
  status: DeliveryStatus;
  attempts: number;
  response_code: number | null;
  error: string | null;
  attempted_at: Date;
};

type DetailRow = SubscriptionRow & { next_alone_from: Date | null } & (
    | ({ delivery: DeliveryRow['id'] } & Omit<DeliveryRow, 'id'>)
    | { delivery: null }
  );

// One statement, so that the count and the deliveries are of one moment. An open delivery of an earlier generation
// will never be sent, whether the worker has marked it yet or not. A range of one subscription, and its account only
// then: of the two together the planner expects next to none, and would read and sort all that a large account has.
const DETAIL = statement<DetailRow>(
  'webhooks_detail',
  `select s.id, s.url, s.events, s.description, s.active, s.failure_count, s.disabled_reason, s.failing_since, s.created_at, s.updated_at,
     n.alone_from as next_alone_from,
     d.id as delivery, d.event, d.attempts, d.response_code, d.error, d.attempted_at,
     case when d.state in ('pending', 'retrying') and not (s.active and s.generation = d.generation) then 'cancelled'
          else d.state end as status
   from webhook_subscription s
   left join webhook_next_secret n on n.account_id = s.account_id and n.subscription_id = s.id
   left join lateral (
     select * from webhook_delivery
     where subscription_id >= s.id and subscription_id <= s.id and attempted_at is not null
     order by subscription_id, attempted_at desc, id desc limit $3
   ) as d on d.account_id = s.account_id
   where s.account_id = $1 and s.id = $2
   order by d.attempted_at desc, d.id desc`,
);

/**
 * A subscription of the account, and its latest deliveries: at most `limit`, newest first.
 * `nextAloneFrom` is from when on its next secret signs alone.
 */
export async function findSubscriptionDetail(
  db: Db,
  accountId: Uuid,
  id: Uuid,
  limit: number,
): Promise<{ subscription: SubscriptionRow; nextAloneFrom: Date | null; deliveries: DeliveryRow[] } | undefined> {
  const rows = await db.all(DETAIL, [accountId, id, limit]);
  const [subscription] = rows;
  if (subscription === undefined) return undefined;
  return {
    subscription,
    nextAloneFrom: subscription.next_alone_from,
    deliveries: rows.flatMap((row) => (row.delivery === null ? [] : [{ ...row, id: row.delivery }])),
  };
}

// A pause begins a new generation, which ends every open delivery at once. A resume resets the failure record.
const CHANGE = statement<SubscriptionRow>(
  'webhooks_change',
  `update webhook_subscription set
     url = coalesce($3, url), events = coalesce($4, events), description = coalesce($5, description),
     active = coalesce($6, active),
     generation = generation + case when active and $6 = false then 1 else 0 end,
     failure_count = case when $6 then 0 else failure_count end,
     disabled_reason = case when $6 then null else disabled_reason end,
     failing_since = case when $6 then null else failing_since end,
     next_attempt_at = case when $6 then null else next_attempt_at end,
     updated_at = $7
   where account_id = $1 and id = $2
   returning ${COLUMNS}`,
);

/** Changes the given members of a subscription of the account; undefined when there is none. */
export async function updateSubscription(
  db: Db,
  accountId: Uuid,
  id: Uuid,
  change: {
    url: string | undefined;
    events: readonly string[] | undefined;
    description: string | undefined;
    active: boolean | undefined;
    now: Date;
  },
): Promise<SubscriptionRow | undefined> {
  const { url, events, description, active, now } = change;
  return db.one(CHANGE, [accountId, id, url ?? null, events ?? null, description ?? null, active ?? null, now]);
}

const DELETE = statement<{ id: Uuid }>(
  'webhooks_delete',
  'delete from webhook_subscription where account_id = $1 and id = $2 returning id',
);

/**
 * Removes a subscription of the account; false when there is none.
 * The worker cancels its open deliveries.
 */
export async function deleteSubscription(db: Db, accountId: Uuid, id: Uuid): Promise<boolean> {
  return (await db.one(DELETE, [accountId, id])) !== undefined;
}
