import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

// What a cancel writes beside the move: the cancelled pieces, and the setup rights that pass on.

const CANCEL_LINES = statement<never>(
  'orders_cancel_lines',
  `with no_longer_short as (
     delete from promotion_shortage where order_id = $1 and account_id = $2
   )
   update order_line set quantity_cancelled = quantity - quantity_shipped where order_id = $1 and account_id = $2`,
);

/**
 * Cancels every piece of an order that has not shipped.
 * The shortages that automatic promotion noted for the order are deleted too.
 */
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

const LOCK_RIGHTS = statement<{ method: string }>(
  'orders_lock_rights',
  `select r.method from setup_right r
   where r.account_id = $2 and (r.design_hash, r.method) in (
     select design_hash, method from setup_reliance where order_id = $1 and account_id = $2)
   order by r.design_hash, r.method for update`,
);

// A statement of its own after the lock, so that it sees every order that relied on a right before it was locked.
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
       select o.id from setup_reliance other join orders o on o.account_id = other.account_id and o.id = other.order_id
       where other.account_id = r.account_id and other.design_hash = r.design_hash and other.method = r.method
         and other.order_id <> $1 and o.state <> 'cancelled' and o.paid_at is not null
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
 * Removes a cancelled order from the setup rights that it relied on, or from some of them.
 * The caller has locked them. A right that the order had paid for passes to the oldest live order that is paid and
 * relies on it, and lapses without one (domain, "Setup").
 */
export async function passOnSetupRights(
  tx: Db,
  accountId: Uuid,
  orderId: Uuid,
  which: 'all' | readonly { design_hash: string; method: string }[],
): Promise<void> {
  await tx.all(PASS_ON_RIGHTS, [orderId, accountId, which === 'all' ? null : JSON.stringify(which)]);
}
