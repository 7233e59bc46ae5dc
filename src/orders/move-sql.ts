import type { VatBreakdownRow } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { MONEY_MOVED, type OrderRow, type PaymentRow, type RefundRow } from './read-sql.ts';
import type { OrderState } from './status.ts';

// What moves an existing order: its lock, the move itself, and what is read of it beside the lock.

/** Why and since when an order is held, and the state that it returns to. */
export type Hold = NonNullable<OrderRow['hold']> & { from: OrderState };

/** What a move of an order is decided on; the order's row is locked. */
export type LockedOrder = {
  id: Uuid;
  account_id: Uuid;
  reference: string;
  state: OrderState;
  subtotal_pence: number;
  setup_pence: number;
  shipping_pence: number;
  vat_pence: number;
  vat_breakdown: VatBreakdownRow[];
  duty_pence: number;
  total_pence: number;
  balance_paid_pence: number;
  method_paid_pence: number;
  refunded_pence: number;
  refund_owed_pence: number;
  /** The attempt to charge its card or direct debit that is under way. */
  attempt_id: Uuid | null;
  version: number;
  last_event_at: Date;
  placed_at: Date;
  paid_at: Date | null;
  /** When its personal data was erased. */
  erased_at: Date | null;
  cancellable_until: Date;
  hold: Hold | null;
  payments: PaymentRow[];
  refunds: RefundRow[];
};

const LOCKED = `o.id, o.account_id, o.reference, o.state, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.vat_pence,
  o.vat_breakdown, o.duty_pence, o.total_pence, o.balance_paid_pence, o.method_paid_pence, o.refunded_pence,
  o.refund_owed_pence, o.attempt_id, o.version, o.last_event_at, o.placed_at, o.paid_at, o.erased_at, o.cancellable_until, o.hold,${MONEY_MOVED}`;

const LOCK = statement<{ id: Uuid }>(
  'orders_lock',
  'select id from orders where id = $2 and account_id = $1 for update',
);
const LOCKED_ORDER = statement<LockedOrder>(
  'orders_locked',
  `select ${LOCKED} from orders o where o.id = $2 and o.account_id = $1`,
);

/**
 * Locks an order of an account and reads it; the first lock of all but the reference's.
 * The read is a statement of its own: what the locking statement returns of other tables is as old as its snapshot.
 */
export async function lockOrder(tx: Db, accountId: Uuid, id: Uuid): Promise<LockedOrder | undefined> {
  if ((await tx.one(LOCK, [accountId, id])) === undefined) return undefined;
  return tx.one(LOCKED_ORDER, [accountId, id]);
}

const LOCK_ANY = statement<{ account_id: Uuid }>(
  'orders_lock_any',
  'select account_id from orders where id = $1 for update',
);

/** As `lockOrder`, for an order of any account: for operators and for sweeps. */
export async function lockAnyOrder(tx: Db, id: Uuid): Promise<LockedOrder | undefined> {
  const row = await tx.one(LOCK_ANY, [id]);
  return row === undefined ? undefined : tx.one(LOCKED_ORDER, [row.account_id, id]);
}

// A pause ends with the last piece of its line, whatever has cancelled it. A request to cancel ends with its order: an
// answer that cancels the order has ended it before. Each move is reported to a connected shop, to which it may be no
// news.
//
// A call that waited for the lock has an older time than the moves made meanwhile. Its move is still dated after the
// one that it follows, so that a history reads in its order and `updated_at` never goes back.
const MOVE = statement<never>(
  'orders_move',
  `with moved as (
     update orders set state = $3, version = $4, last_event_at = $5, changed_by = transaction_number(), hold = $12::jsonb,
       updated_at = greatest($6::timestamptz, updated_at + interval '1 millisecond')
     where id = $1 and account_id = $2
     returning updated_at
   ),
   nothing_to_make as (
     update print_job set is_open = false
     where order_id = $1 and account_id = $2 and is_open and $3 in ('dispatched', 'cancelled')
   ),
   nothing_to_wait_for as (
     delete from print_file_need where order_id = $1 and account_id = $2 and $3 in ('dispatched', 'cancelled')
   ),
   nothing_to_ask as (
     update cancellation_request set state = 'lapsed', ended_at = greatest($6::timestamptz, asked_at)
     where order_id = $1 and account_id = $2 and state = 'open' and $3 in ('dispatched', 'cancelled')
     returning task_id
   ),
   nothing_to_answer as (
     update ops_task t set closed_at = $6 from nothing_to_ask a where t.id = a.task_id and t.closed_at is null
   ),
   nothing_to_resume as (
     delete from line_pause p using order_line l
     where p.order_id = $1 and p.account_id = $2
       and l.account_id = p.account_id and l.order_id = p.order_id and l.id = p.line_id
       and l.quantity_cancelled + l.quantity_shipped = l.quantity
   ),
   to_tell as (
     insert into channel_report (account_id, shop_order_id, channel_id, due_at)
     select s.account_id, s.id, s.channel_id, $6
     from channel_order s join channel_link c on c.account_id = s.account_id and c.channel_id = s.channel_id
     where s.order_id = $1 and s.account_id = $2
     on conflict (account_id, shop_order_id) do update set revision = channel_report.revision + 1, due_at = excluded.due_at,
       failures = 0, failed_at = null, problem = null
   )
   insert into order_history (order_id, id, account_id, action, from_state, to_state, actor, reason, created_at)
   select $1, $7, $2, $8, $9, $3, $10, $11, updated_at from moved`,
);

export type OrderMove = {
  accountId: Uuid;
  orderId: Uuid;
  from: OrderState;
  to: OrderState;
  version: number;
  lastEventAt: Date;
  now: Date;
  historyId: Uuid;
  action: string;
  actor: string;
  reason: string;
  hold: Hold | null;
};

/** Records a move of a locked order, or an action that keeps its state, with its history row. */
export async function recordMove(tx: Db, move: OrderMove): Promise<void> {
  await tx.all(MOVE, [
    move.orderId,
    move.accountId,
    move.to,
    move.version,
    move.lastEventAt,
    move.now,
    move.historyId,
    move.action,
    move.from,
    move.actor,
    move.reason,
    move.hold && JSON.stringify(move.hold),
  ]);
}

export type UnderWayRow = { attempt_id: Uuid } & Pick<LockedOrder, 'state' | 'placed_at' | 'cancellable_until'>;

const ATTEMPT_UNDER_WAY = statement<UnderWayRow>(
  'orders_attempt_under_way',
  `select attempt_id, state, placed_at, cancellable_until from orders
   where id = $2 and account_id = coalesce($1::uuid, account_id) and attempt_id is not null`,
);

/** An order's charge whose outcome is not known yet; `any` finds any account's, for operators. */
export async function findAttemptUnderWay(
  db: Db,
  accountId: Uuid | 'any',
  orderId: Uuid,
): Promise<UnderWayRow | undefined> {
  return db.one(ATTEMPT_UNDER_WAY, [accountId === 'any' ? null : accountId, orderId]);
}

const TRACKING = statement<{ carrier: string; tracking_number: string }>(
  'orders_tracking',
  'select carrier, tracking_number from shipment where order_id = $2 and account_id = $1 order by id',
);

/** The shipments of an order, the latest last, as `order.dispatched` reports them. */
export async function readTracking(
  tx: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<{ carrier: string; tracking_number: string }[]> {
  return tx.all(TRACKING, [accountId, orderId]);
}

/**
 * SQL of whether what an order `o` was short of at its promotion is still not there.
 * Its lines are summed once (`offset` keeps it so), however many variants it was short of.
 */
export const IS_STILL_SHORT = `exists (
  select from (
    select sku, sum(quantity - quantity_cancelled - quantity_shipped) as pieces from order_line
    where account_id = o.account_id and order_id = o.id group by sku offset 0
  ) as n
  join promotion_shortage p on p.account_id = o.account_id and p.order_id = o.id and p.sku = n.sku
  join stock s on s.sku = n.sku and greatest(s.on_hand - s.allocated, 0) < n.pieces)`;
