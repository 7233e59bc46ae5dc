import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { MONEY_MOVED, type OrderRow, type PaymentRow, type RefundRow } from './read-sql.ts';
import type { VatBreakdownRow } from './settle-sql.ts';
import type { OrderState } from './status.ts';

// What moves an order that exists: its lock, the move itself, and what a cancel writes.

/** Why and since when an order is held, and the state that it returns to. */
export type Hold = NonNullable<OrderRow['hold']> & { from: OrderState };

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
  vat_breakdown: VatBreakdownRow[];
  duty_pence: number;
  total_pence: number;
  balance_paid_pence: number;
  method_paid_pence: number;
  refunded_pence: number;
  refund_owed_pence: number;
  /** The charge of its card or direct debit that is under way. */
  attempt_id: Uuid | null;
  version: number;
  last_event_at: Date;
  placed_at: Date;
  paid_at: Date | null;
  cancellable_until: Date;
  hold: Hold | null;
  payments: PaymentRow[];
  refunds: RefundRow[];
};

const LOCKED = `o.id, o.account_id, o.reference, o.state, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.vat_pence,
  o.vat_breakdown, o.duty_pence, o.total_pence, o.balance_paid_pence, o.method_paid_pence, o.refunded_pence,
  o.refund_owed_pence, o.attempt_id, o.version, o.last_event_at, o.placed_at, o.paid_at, o.cancellable_until, o.hold,${MONEY_MOVED}`;

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

// Whoever has waited for the order knows a time that is older than what was done to it meanwhile. A move is later than the one
// that it follows all the same, so that a history reads in its order and `updated_at` never falls back.
const MOVE = statement<never>(
  'orders_move',
  `with moved as (
     update orders set state = $3, version = $4, last_event_at = $5, changed_by = pg_current_xact_id(), hold = $12::jsonb,
       updated_at = greatest($6::timestamptz, updated_at + interval '1 millisecond')
     where id = $1 and account_id = $2
     returning updated_at
   ),
   nothing_to_make as (
     update print_job set is_open = false
     where order_id = $1 and account_id = $2 and is_open and $3 in ('dispatched', 'cancelled')
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
    move.hold && JSON.stringify(move.hold),
  ]);
}

// Money back --------------------------------------------------------------------------------------------------------------

/** What was sold with an order and what of it was credited, as `Sold` is made of it. Designs are hex. */
export type SoldRow = {
  lines: {
    id: Uuid;
    name: string;
    sku: string;
    vat_class: string;
    unit_price_pence: number;
    quantity: number;
    quantity_cancelled: number;
    quantity_shipped: number;
    started: boolean;
    designs: { design_hash: string; method: string }[];
  }[];
  setups: { design_hash: string; method: string; amount_pence: number }[];
  vat_breakdown: VatBreakdownRow[];
  shipping_pence: number;
  duty_pence: number;
  credited_duty_pence: number;
  credited_vat: VatBreakdownRow[];
};

const SOLD = statement<SoldRow>(
  'orders_sold',
  `select o.setups, o.vat_breakdown, o.shipping_pence, o.duty_pence,
     (
       select json_agg(json_build_object('id', l.id, 'name', l.name, 'sku', l.sku, 'vat_class', l.vat_class,
         'unit_price_pence', l.unit_price_pence, 'quantity', l.quantity, 'quantity_cancelled', l.quantity_cancelled,
         'quantity_shipped', l.quantity_shipped, 'started', l.started_at is not null,
         'designs', coalesce((
           select json_agg(json_build_object('design_hash', encode(j.design_hash, 'hex'), 'method', j.method))
           from print_job j where j.order_id = l.order_id and j.line_id = l.id and j.design_hash is not null
         ), '[]')) order by l.ordinal)
       from order_line l where l.order_id = o.id
     ) as lines,
     coalesce((select sum(c.duty_pence) from order_credit c where c.order_id = o.id), 0)::bigint as credited_duty_pence,
     coalesce((
       select json_agg(json_build_object('rate_bp', rate_bp, 'net_pence', net_pence, 'vat_pence', vat_pence))
       from (
         select (rate->>'rate_bp')::integer as rate_bp, sum((rate->>'net_pence')::bigint)::bigint as net_pence,
                sum((rate->>'vat_pence')::bigint)::bigint as vat_pence
         from order_credit c cross join lateral jsonb_array_elements(c.vat_breakdown) as rate
         where c.order_id = o.id group by 1
       ) as by_rate
     ), '[]') as credited_vat
   from orders o where o.id = $2 and o.account_id = $1`,
);

/** What an order was charged for, line by line, and what was credited of it by rate. */
export async function readSold(tx: Db, accountId: Uuid, orderId: Uuid): Promise<SoldRow> {
  const row = await tx.one(SOLD, [accountId, orderId]);
  if (row === undefined) throw new Error('a locked order is gone');
  return row;
}

export type NewCredit = {
  id: Uuid;
  kind: 'cancellation' | 'goodwill';
  lines: readonly object[];
  vat_breakdown: readonly VatBreakdownRow[];
  net_pence: number;
  vat_pence: number;
  duty_pence: number;
  total_pence: number;
};

const RECORD_CREDIT = statement<never>(
  'orders_record_credit',
  `insert into order_credit (order_id, id, account_id, kind, reason, actor, lines, vat_breakdown, net_pence, vat_pence,
     duty_pence, total_pence, created_at)
   select $1, c.id, $2, c.kind, $4, $5, c.lines, c.vat_breakdown, c.net_pence, c.vat_pence, c.duty_pence, c.total_pence, $6
   from json_to_record($3::json) as c(id uuid, kind text, lines jsonb, vat_breakdown jsonb, net_pence bigint,
     vat_pence bigint, duty_pence bigint, total_pence bigint)`,
);

/** Records what is taken back of the sale of a locked order; its credit note is made of it. */
export async function recordCredit(
  tx: Db,
  credit: { accountId: Uuid; orderId: Uuid; credit: NewCredit; reason: string; actor: string; now: Date },
): Promise<void> {
  const { accountId, orderId, reason, actor, now } = credit;
  await tx.all(RECORD_CREDIT, [orderId, accountId, JSON.stringify(credit.credit), reason, actor, now]);
}

const RECORD_REFUNDS = statement<never>(
  'orders_record_refunds',
  `with given as materialized (
     select * from json_to_recordset($3::json)
       as r(id uuid, method text, payment_id uuid, amount_pence bigint, state text)
   ),
   new_refund as (
     insert into refund (order_id, id, account_id, method, payment_id, amount_pence, state, reason, actor, created_at, done_at,
       credit_id)
     select $1, id, $2, method, payment_id, amount_pence, state, $6, $4, $5, case when state = 'done' then $5::timestamptz end, $7
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
  refunds: {
    accountId: Uuid;
    orderId: Uuid;
    refunds: readonly NewRefund[];
    creditId: Uuid | null;
    reason: string;
    actor: string;
    now: Date;
  },
): Promise<void> {
  const { accountId, orderId, creditId, reason, actor, now } = refunds;
  await tx.all(RECORD_REFUNDS, [orderId, accountId, JSON.stringify(refunds.refunds), actor, now, reason, creditId]);
}

const MARK_REFUNDS_PAID = statement<never>(
  'orders_mark_refunds_paid',
  `with paid as (
     update refund set state = 'done', done_at = $4, is_paid_out = true
     where order_id = $1 and account_id = $2 and payment_id = $3 and state = 'owed'
     returning amount_pence
   )
   update orders set
     refunded_pence = refunded_pence + (select coalesce(sum(amount_pence), 0) from paid),
     refund_owed_pence = refund_owed_pence - (select coalesce(sum(amount_pence), 0) from paid)
   where id = $1 and account_id = $2`,
);

/** What a locked order owed of a payment has been paid out. */
export async function markRefundsPaid(
  tx: Db,
  refunds: { accountId: Uuid; orderId: Uuid; paymentId: Uuid; now: Date },
): Promise<void> {
  await tx.all(MARK_REFUNDS_PAID, [refunds.orderId, refunds.accountId, refunds.paymentId, refunds.now]);
}

const SETTLE_IN_FULL = statement<never>(
  'orders_settle_in_full',
  `update orders set balance_paid_pence = balance_paid_pence + $3, paid_at = $4 where id = $1 and account_id = $2`,
);

/** The remainder of a locked order that waited for it is paid. */
export async function settleInFull(
  tx: Db,
  order: { accountId: Uuid; orderId: Uuid; remainderPence: number; now: Date },
): Promise<void> {
  await tx.all(SETTLE_IN_FULL, [order.orderId, order.accountId, order.remainderPence, order.now]);
}

/** A charge that is under way, and what its order is cancelled by. */
export type UnderWayRow = { attempt_id: Uuid } & Pick<LockedOrder, 'state' | 'placed_at' | 'cancellable_until'>;

const ATTEMPT_UNDER_WAY = statement<UnderWayRow>(
  'orders_attempt_under_way',
  `select attempt_id, state, placed_at, cancellable_until from orders
   where id = $2 and account_id = coalesce($1::uuid, account_id) and attempt_id is not null`,
);

/** The charge of an order that is under way or whose outcome nobody knows yet; of any account's order for operators. */
export async function findAttemptUnderWay(
  db: Db,
  accountId: Uuid | 'any',
  orderId: Uuid,
): Promise<UnderWayRow | undefined> {
  return db.one(ATTEMPT_UNDER_WAY, [accountId === 'any' ? null : accountId, orderId]);
}

// Cancelling ------------------------------------------------------------------------------------------------------------

const CANCEL_LINES = statement<never>(
  'orders_cancel_lines',
  `with no_longer_short as (
     delete from promotion_shortage where order_id = $1 and account_id = $2
   )
   update order_line set quantity_cancelled = quantity - quantity_shipped where order_id = $1 and account_id = $2`,
);

/** Cancels every piece of an order that has not shipped. What automatic promotion noted that it was short of goes with them. */
export async function cancelLines(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(CANCEL_LINES, [orderId, accountId]);
}

const CANCEL_PIECES = statement<never>(
  'orders_cancel_pieces',
  `update order_line l set quantity_cancelled = l.quantity_cancelled + p.quantity
   from json_to_recordset($3::json) as p(line_id uuid, quantity integer)
   where l.order_id = $1 and l.account_id = $2 and l.id = p.line_id`,
);

/** Cancels some pieces of some lines of a locked order. */
export async function cancelPieces(
  tx: Db,
  order: { accountId: Uuid; orderId: Uuid; pieces: ReadonlyMap<string, number> },
): Promise<void> {
  const pieces = [...order.pieces].map(([lineId, quantity]) => ({ line_id: lineId, quantity }));
  await tx.all(CANCEL_PIECES, [order.orderId, order.accountId, JSON.stringify(pieces)]);
}

const TRACKING = statement<{ carrier: string; tracking_number: string }>(
  'orders_tracking',
  'select carrier, tracking_number from shipment where order_id = $2 and account_id = $1 order by id',
);

/** The shipments of an order, the latest last, as `order.dispatched` tells of them. */
export async function readTracking(
  tx: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<{ carrier: string; tracking_number: string }[]> {
  return tx.all(TRACKING, [accountId, orderId]);
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
  `with given_up as materialized (
     select design_hash, method from setup_reliance
     where order_id = $1 and account_id = $2 and ($3::json is null or (encode(design_hash, 'hex'), method) in (
       select s.design_hash, s.method from json_to_recordset($3::json) as s(design_hash text, method text)))
   ),
   left_behind as (
     delete from setup_reliance r using given_up g
     where r.order_id = $1 and r.account_id = $2 and r.design_hash = g.design_hash and r.method = g.method
   ),
   heir as materialized (
     select r.design_hash, r.method, (
       select o.id from setup_reliance other join orders o on o.id = other.order_id
       where other.account_id = r.account_id and other.design_hash = r.design_hash and other.method = r.method
         and other.order_id <> $1 and o.state <> 'cancelled'
       order by o.id limit 1
     ) as order_id
     from setup_right r join given_up g on g.design_hash = r.design_hash and g.method = r.method
     where r.account_id = $2 and r.paid_by_order = $1
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
 * Takes a cancelled order out of the setups it relied on, whose rights are locked, or out of some of them. A right that it had
 * paid for passes to the oldest live order that relies on it, and lapses without one (domain, "Setup").
 */
export async function passOnSetupRights(
  tx: Db,
  accountId: Uuid,
  orderId: Uuid,
  which: 'all' | readonly { design_hash: string; method: string }[],
): Promise<void> {
  await tx.all(PASS_ON_RIGHTS, [orderId, accountId, which === 'all' ? null : JSON.stringify(which)]);
}
