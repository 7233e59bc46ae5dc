import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { MONEY_MOVED, type PaymentRow, type RefundRow } from './sql.ts';
import type { OrderState } from './status.ts';

// What moves an order that exists: its lock, the move itself, and what a cancel writes.

/** What a move of an order is decided on, its row locked. */
export type LockedOrder = {
  id: Uuid;
  account_id: Uuid;
  reference: string;
  state: OrderState;
  subtotal_pence: number;
  setup_pence: number;
  shipping_pence: number;
  vat_pence: number;
  duty_pence: number;
  balance_paid_pence: number;
  method_paid_pence: number;
  refunded_pence: number;
  refund_owed_pence: number;
  version: number;
  last_event_at: Date;
  placed_at: Date;
  cancellable_until: Date;
  payments: PaymentRow[];
  refunds: RefundRow[];
};

const LOCKED = `o.id, o.account_id, o.reference, o.state, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.vat_pence, o.duty_pence,
  o.balance_paid_pence, o.method_paid_pence, o.refunded_pence, o.refund_owed_pence, o.version, o.last_event_at, o.placed_at,
  o.cancellable_until,${MONEY_MOVED}`;

const LOCK = statement<{ id: Uuid }>(
  'orders_lock',
  'select id from orders where id = $2 and account_id = $1 for update',
);
const LOCKED_ORDER = statement<LockedOrder>(
  'orders_locked',
  `select ${LOCKED} from orders o where o.id = $2 and o.account_id = $1`,
);

/**
 * Locks an order of an account, first of all locks but the reference's, and reads it in a statement of its own: what the
 * locking statement itself returns of other tables is as old as its snapshot.
 */
export async function lockOrder(tx: Db, accountId: Uuid, id: Uuid): Promise<LockedOrder | undefined> {
  if ((await tx.one(LOCK, [accountId, id])) === undefined) return undefined;
  return tx.one(LOCKED_ORDER, [accountId, id]);
}

const LOCK_ANY = statement<{ account_id: Uuid }>(
  'orders_lock_any',
  'select account_id from orders where id = $1 for update',
);

/** As `lockOrder`, whoever's order it is: for operators, who see those of all accounts, and for sweeps. */
export async function lockAnyOrder(tx: Db, id: Uuid): Promise<LockedOrder | undefined> {
  const row = await tx.one(LOCK_ANY, [id]);
  return row === undefined ? undefined : tx.one(LOCKED_ORDER, [row.account_id, id]);
}

const MOVE = statement<never>(
  'orders_move',
  `with moved as (
     update orders set state = $3, version = $4, last_event_at = $5, updated_at = $6, changed_by = pg_current_xact_id()
     where id = $1 and account_id = $2
     returning id
   )
   insert into order_history (order_id, id, account_id, action, from_state, to_state, actor, reason, created_at)
   select $1, $7, $2, $8, $9, $3, $10, $11, $6 from moved`,
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
};

/** Moves a locked order to another state, or notes what was done in the same, with its history row. */
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
  ]);
}

// Cancelling ------------------------------------------------------------------------------------------------------------

const RECORD_REFUNDS = statement<never>(
  'orders_record_refunds',
  `with given as materialized (
     select * from json_to_recordset($3::json)
       as r(id uuid, method text, payment_id uuid, amount_pence bigint, state text)
   ),
   new_refund as (
     insert into refund (order_id, id, account_id, method, payment_id, amount_pence, state, actor, created_at, done_at)
     select $1, id, $2, method, payment_id, amount_pence, state, $4, $5, case when state = 'done' then $5::timestamptz end
     from given
   )
   update orders set
     refunded_pence = refunded_pence + (select coalesce(sum(amount_pence), 0) from given where state = 'done'),
     refund_owed_pence = refund_owed_pence + (select coalesce(sum(amount_pence), 0) from given where state = 'owed')
   where id = $1 and account_id = $2`,
);

export type NewRefund = Pick<RefundRow, 'id' | 'method' | 'payment_id' | 'amount_pence' | 'state'>;

/** Records on a locked order what was given back and what is owed. */
export async function recordRefunds(
  tx: Db,
  refunds: { accountId: Uuid; orderId: Uuid; refunds: readonly NewRefund[]; actor: string; now: Date },
): Promise<void> {
  const { accountId, orderId, actor, now } = refunds;
  await tx.all(RECORD_REFUNDS, [orderId, accountId, JSON.stringify(refunds.refunds), actor, now]);
}

const CANCEL_LINES = statement<never>(
  'orders_cancel_lines',
  `update order_line set quantity_cancelled = quantity - quantity_shipped where order_id = $1 and account_id = $2`,
);

/** Cancels every piece of an order that has not shipped. */
export async function cancelLines(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(CANCEL_LINES, [orderId, accountId]);
}

const LOCK_RIGHTS = statement<{ method: string }>(
  'orders_lock_rights',
  `select r.method from setup_right r
   where r.account_id = $2 and (r.design_hash, r.method) in (
     select design_hash, method from setup_reliance where order_id = $1 and account_id = $2)
   order by r.design_hash, r.method for update`,
);

// In a statement of its own after the lock, so that it sees every order that relied on a right before it was locked.
const PASS_ON_RIGHTS = statement<never>(
  'orders_pass_on_rights',
  `with given_up as (
     delete from setup_reliance where order_id = $1 and account_id = $2
   ),
   heir as materialized (
     select r.design_hash, r.method, (
       select o.id from setup_reliance other join orders o on o.id = other.order_id
       where other.account_id = r.account_id and other.design_hash = r.design_hash and other.method = r.method
         and other.order_id <> $1 and o.state <> 'cancelled'
       order by o.id limit 1
     ) as order_id
     from setup_right r where r.account_id = $2 and r.paid_by_order = $1
   ),
   passed as (
     update setup_right r set paid_by_order = h.order_id
     from heir h
     where r.account_id = $2 and r.design_hash = h.design_hash and r.method = h.method and h.order_id is not null
   )
   delete from setup_right r using heir h
   where r.account_id = $2 and r.design_hash = h.design_hash and r.method = h.method and h.order_id is null`,
);

/** Locks the setup rights that an order relies on, after the order and before the balance. */
export async function lockSetupRights(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(LOCK_RIGHTS, [orderId, accountId]);
}

/**
 * Takes a cancelled order out of the setups it relied on, whose rights are locked. A right that it had paid for passes to the
 * oldest live order that relies on it, and lapses without one (domain, "Setup").
 */
export async function passOnSetupRights(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(PASS_ON_RIGHTS, [orderId, accountId]);
}
