import { paidFileCtes } from '../artwork/needs/need-sql.ts';
import { chargeCtes } from '../billing/ledger.ts';
import { countCharged } from '../billing/metrics.ts';
import type { VatBreakdownRow } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import { FIRST_ID, type Uuid } from '../lib/ids.ts';
import { pence } from '../lib/money.ts';
import { eventCtes } from '../webhooks/publish.ts';

export type WaitingRow = {
  id: Uuid;
  reference: string;
  external_reference: string | null;
  subtotal_pence: number;
  setup_pence: number;
  shipping_pence: number;
  vat_pence: number;
  duty_pence: number;
  vat_breakdown: VatBreakdownRow[];
  total_pence: number;
  due_pence: number;
  item_count: number;
  has_setups: boolean;
};

const WAITING_COLUMNS = `o.id, o.reference, o.external_reference, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.vat_pence,
  o.duty_pence, o.vat_breakdown, o.total_pence, o.total_pence - o.balance_paid_pence - o.method_paid_pence as due_pence,
  (select count(*)::integer from order_line l where l.account_id = o.account_id and l.order_id = o.id) as item_count,
  jsonb_array_length(o.setups) > 0 as has_setups`;

const WAITING = statement<WaitingRow>(
  'orders_waiting',
  `select ${WAITING_COLUMNS}
   from orders o
   where o.account_id = $1 and o.state = 'awaiting_payment' and o.attempt_id is null and o.erased_at is null and o.placed_at >= $2
     and o.id > coalesce($3::uuid, '${FIRST_ID}')
     and ($5::boolean or o.total_pence - o.balance_paid_pence - o.method_paid_pence <= (
       select balance_pence from account_balance where account_id = $1))
   order by o.id limit $4`,
);

/**
 * Unpaid orders of an account that were placed since a time and are not being charged.
 * Oldest first. `coveredOnly`: only those whose remainder the balance would cover, each by itself.
 */
export async function findWaitingOrders(
  db: Db,
  accountId: Uuid,
  which: { placedSince: Date; after: Uuid | null; limit: number; coveredOnly: boolean },
): Promise<WaitingRow[]> {
  return db.all(WAITING, [accountId, which.placedSince, which.after, which.limit, !which.coveredOnly]);
}

const COVERED = statement<WaitingRow>(
  'orders_waiting_covered',
  `select ${WAITING_COLUMNS}
   from orders o join account_balance b on b.account_id = o.account_id
   where o.id = $2 and o.account_id = $1 and o.state = 'awaiting_payment' and o.attempt_id is null and o.placed_at >= $3
     and o.total_pence - o.balance_paid_pence - o.method_paid_pence <= b.balance_pence`,
);

/** As `findWaitingOrders`, for one order whose remainder the balance covers. */
export async function findCoveredOrder(
  db: Db,
  accountId: Uuid,
  which: { id: Uuid; placedSince: Date },
): Promise<WaitingRow | undefined> {
  return db.one(COVERED, [accountId, which.id, which.placedSince]);
}

const WAITING_ORDER = statement<WaitingRow>(
  'orders_waiting_one',
  `select ${WAITING_COLUMNS} from orders o where o.id = $2 and o.account_id = $1 and o.state = 'awaiting_payment'`,
);

/** One unpaid order of an account; undefined if it is paid or cancelled. */
export async function findWaitingOrder(db: Db, accountId: Uuid, id: Uuid): Promise<WaitingRow | undefined> {
  return db.one(WAITING_ORDER, [accountId, id]);
}

// The order is locked before the balance, as everywhere. Its event and its move are a millisecond later than its
// last, or more. All that is decided on stands in the order's own row, which is read again after the wait for its
// lock: if an attempt began meanwhile, or the remainder changed, nothing is done.
const SETTLE = statement<{ waiting: boolean; paid: boolean; attempted: boolean; from_balance_pence: number }>(
  'orders_settle',
  `with
waiting as materialized (
  select id, version, greatest($5::timestamptz, last_event_at + interval '1 millisecond') as event_at,
    greatest($5::timestamptz, updated_at + interval '1 millisecond') as moved_at
  from orders
  where id = $1 and account_id = $2 and state = 'awaiting_payment' and attempt_id is null and erased_at is null
    and total_pence - balance_paid_pence - method_paid_pence = $3::bigint
  for update
),
${chargeCtes({
  guard: 'waiting',
  accountId: '$2',
  orderId: '$1',
  duePence: '$3',
  postings: '$4',
  now: '$5',
  attemptId: '$10',
})},
settled as materialized (
  select w.version + 1 as version, w.event_at from waiting w, money m where m.paid
),
charged_order as (
  update orders o set state = case when m.paid then 'placed' else o.state end,
    balance_paid_pence = balance_paid_pence + m.from_balance_pence,
    attempt_id = case when m.method is not null then $10::uuid end,
    paid_at = case when m.paid then $5::timestamptz end,
    version = case when m.paid then w.version + 1 else o.version end,
    last_event_at = case when m.paid then w.event_at else o.last_event_at end,
    updated_at = w.moved_at, changed_by = transaction_number()
  from waiting w, money m where o.id = $1 and o.account_id = $2 and (m.paid or m.method is not null)
),
${paidFileCtes({ paid: 'settled', accountId: '$2', orderId: '$1', now: '$5' })},
new_history as (
  insert into order_history (order_id, id, account_id, action, from_state, to_state, actor, created_at)
  select $1, $6, $2, case when paid then 'settle' else 'retry_payment' end, 'awaiting_payment',
    case when paid then 'placed' else 'awaiting_payment' end, $11, w.moved_at
  from waiting w, money where paid or method is not null
),
${eventCtes({
  from: 'settled',
  id: '$7::uuid',
  accountId: '$2::uuid',
  orderId: '$1::uuid',
  sequence: 'settled.version',
  event: "'order.created'",
  data: '$8',
  createdAt: 'settled.event_at',
  dueAt: '$9::timestamptz',
})}
select exists (select from waiting) as waiting, coalesce((select paid from money), false) as paid,
       coalesce((select method is not null from money), false) as attempted,
       coalesce((select from_balance_pence from money), 0) as from_balance_pence`,
);

export type SettleOutcome = 'settled' | 'attempted' | 'not_covered' | 'no_longer_waiting';

/**
 * Charges the remainder of one waiting order to the balance if it covers it, in one statement.
 * Publishes `order.created` if that pays the order. With an `attemptId` and a method on file, what the balance does
 * not cover becomes a new attempt on that method.
 */
export async function settleFromBalance(
  db: Db,
  order: {
    accountId: Uuid;
    orderId: Uuid;
    totalPence: number;
    duePence: number;
    postings: string;
    now: Date;
    historyId: Uuid;
    eventId: Uuid;
    createdData: string;
    firstAttemptAt: Date;
    attemptId: Uuid | null;
    actor: string;
  },
): Promise<SettleOutcome> {
  const row = await db.one(SETTLE, [
    order.orderId,
    order.accountId,
    order.duePence,
    order.postings,
    order.now,
    order.historyId,
    order.eventId,
    order.createdData,
    order.firstAttemptAt,
    order.attemptId,
    order.actor,
  ]);
  if (row?.waiting !== true) return 'no_longer_waiting';
  const { paid, from_balance_pence: fromBalance } = row;
  countCharged(db, { fromBalancePence: pence(fromBalance), soldPence: pence(order.totalPence), paid });
  if (row.attempted) return 'attempted';
  return paid ? 'settled' : 'not_covered';
}

const SETTLE_IN_FULL = statement<never>(
  'orders_settle_in_full',
  `update orders set balance_paid_pence = balance_paid_pence + $3, paid_at = $4 where id = $1 and account_id = $2`,
);

/** Marks the remainder of a locked waiting order as paid. */
export async function markPaidInFull(
  tx: Db,
  order: { accountId: Uuid; orderId: Uuid; remainderPence: number; now: Date },
): Promise<void> {
  await tx.all(SETTLE_IN_FULL, [order.orderId, order.accountId, order.remainderPence, order.now]);
}
