import { type Db, statement } from '../../lib/db.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import { WAS_SET_OFF } from '../../orders/read-sql.ts';

// What is still to be paid back of a payment that came back: it is set off against what the customer owes for it.

/**
 * SQL of whether a refund `r` of a payment is set off.
 * Of a payment that came back nothing else is done by itself: what is paid out by hand says so.
 */
const IS_SET_OFF = "r.state = 'done' and not r.is_paid_out";

/** What was set off of a payment in all, and of that what counts against what is open of it now. */
export type SetOff = { readonly all_pence: number; readonly open_pence: number };

const SET_OFF = statement<SetOff>(
  'orders_set_off',
  `select coalesce(sum(r.amount_pence), 0)::bigint as all_pence,
     coalesce(sum(r.amount_pence) filter (where ${WAS_SET_OFF}), 0)::bigint as open_pence
   from payment_attempt a join refund r on r.account_id = a.account_id and r.order_id = a.order_id and r.payment_id = a.id
   where a.id = $1 and a.account_id = $2 and ${IS_SET_OFF}`,
);

/** The pence that were set off against refunds of a returned payment. */
export async function readSetOff(tx: Db, accountId: Uuid, id: Uuid): Promise<SetOff> {
  return (await tx.one(SET_OFF, [id, accountId])) ?? { all_pence: 0, open_pence: 0 };
}

// A refund that is only partly set off is split: the rest becomes a refund of its own.
const SET_OFF_REFUNDS = statement<never>(
  'orders_set_off_refunds',
  `with owed as (
     select id, amount_pence, sum(amount_pence) over (order by id) - amount_pence as before
     from refund where order_id = $1 and account_id = $2 and payment_id = $3 and state = 'owed'
   ),
   taken as (
     select id, amount_pence, least(amount_pence, $4::bigint - before)::bigint as set_off_pence from owed where before < $4::bigint
   ),
   rest as (
     insert into refund (order_id, id, account_id, method, payment_id, credit_id, amount_pence, state, reason, actor, created_at)
     select r.order_id, $6, r.account_id, r.method, r.payment_id, r.credit_id, t.amount_pence - t.set_off_pence, 'owed', r.reason,
            r.actor, r.created_at
     from taken t join refund r on r.account_id = $2 and r.order_id = $1 and r.id = t.id where t.set_off_pence < t.amount_pence
   ),
   done as (
     update refund r set state = 'done', done_at = $5, amount_pence = t.set_off_pence
     from taken t where r.order_id = $1 and r.account_id = $2 and r.id = t.id
     returning r.amount_pence
   )
   update orders set
     refunded_pence = refunded_pence + (select coalesce(sum(amount_pence), 0) from done),
     refund_owed_pence = refund_owed_pence - (select coalesce(sum(amount_pence), 0) from done)
   where id = $1 and account_id = $2`,
);

/**
 * Sets off owed refunds of a payment against what the customer owes for it.
 * Up to `setOffPence`, the refund that is owed longest first. The caller holds the lock of the order.
 */
export async function setOffRefunds(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; paymentId: Uuid; setOffPence: number; now: Date },
): Promise<void> {
  if (of.setOffPence === 0) return;
  const restId = newId(of.now.getTime());
  await tx.all(SET_OFF_REFUNDS, [of.orderId, of.accountId, of.paymentId, of.setOffPence, of.now, restId]);
}

// What was set off last is owed again first. A refund that is only partly owed again is split: the rest stays set off.
const UNDO_SET_OFF = statement<never>(
  'orders_owe_set_off',
  `with set_off as (
     select id, amount_pence, sum(amount_pence) over (order by done_at desc, id desc) - amount_pence as before
     from refund r where order_id = $1 and account_id = $2 and payment_id = $3 and ${IS_SET_OFF}
   ),
   taken as (
     select id, amount_pence, least(amount_pence, $4::bigint - before)::bigint as owed_pence from set_off where before < $4::bigint
   ),
   rest as (
     insert into refund (order_id, id, account_id, method, payment_id, credit_id, amount_pence, state, reason, actor, created_at,
       done_at)
     select r.order_id, $5, r.account_id, r.method, r.payment_id, r.credit_id, t.amount_pence - t.owed_pence, 'done', r.reason,
            r.actor, r.created_at, r.done_at
     from taken t join refund r on r.account_id = $2 and r.order_id = $1 and r.id = t.id where t.owed_pence < t.amount_pence
   ),
   again as (
     update refund r set state = 'owed', done_at = null, amount_pence = t.owed_pence
     from taken t where r.order_id = $1 and r.account_id = $2 and r.id = t.id
     returning r.amount_pence
   )
   update orders set
     refunded_pence = refunded_pence - (select coalesce(sum(amount_pence), 0) from again),
     refund_owed_pence = refund_owed_pence + (select coalesce(sum(amount_pence), 0) from again)
   where id = $1 and account_id = $2`,
);

/**
 * Makes refunds of a payment owed again that were set off, since money of it was given back.
 * The customer no longer has that money. The caller holds the lock of the order.
 */
export async function undoSetOff(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; paymentId: Uuid; owedPence: number; now: Date },
): Promise<void> {
  if (of.owedPence === 0) return;
  const restId = newId(of.now.getTime());
  await tx.all(UNDO_SET_OFF, [of.orderId, of.accountId, of.paymentId, of.owedPence, restId]);
}
