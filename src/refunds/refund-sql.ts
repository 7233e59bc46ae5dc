import type { VatBreakdownRow } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { CHARGED_SETUPS } from '../orders/order-columns.ts';
import type { RefundRow } from '../orders/read-sql.ts';

// Refunds: what was sold, and what of it is credited, refunded and paid out.

/** What an order sold and what of it is credited; `Sold` is made from it. Designs are hex. */
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
  `select ${CHARGED_SETUPS} as setups, o.vat_breakdown, o.shipping_pence, o.duty_pence,
     (
       select json_agg(json_build_object('id', l.id, 'name', l.name, 'sku', l.sku, 'vat_class', l.vat_class,
         'unit_price_pence', l.unit_price_pence, 'quantity', l.quantity, 'quantity_cancelled', l.quantity_cancelled,
         'quantity_shipped', l.quantity_shipped, 'started', l.started_at is not null,
         'designs', coalesce((
           select json_agg(json_build_object('design_hash', encode(coalesce(j.sold_design_hash, j.design_hash), 'hex'), 'method', j.method))
           from print_job j
           where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id and j.design_hash is not null
         ), '[]')) order by l.ordinal)
       from order_line l where l.account_id = o.account_id and l.order_id = o.id
     ) as lines,
     coalesce((select sum(c.duty_pence) from order_credit c
       where c.account_id = o.account_id and c.order_id = o.id), 0)::bigint as credited_duty_pence,
     coalesce((
       select json_agg(json_build_object('rate_bp', rate_bp, 'net_pence', net_pence, 'vat_pence', vat_pence))
       from (
         select (rate->>'rate_bp')::integer as rate_bp, sum((rate->>'net_pence')::bigint)::bigint as net_pence,
                sum((rate->>'vat_pence')::bigint)::bigint as vat_pence
         from order_credit c cross join lateral jsonb_array_elements(c.vat_breakdown) as rate
         where c.account_id = o.account_id and c.order_id = o.id group by 1
       ) as by_rate
     ), '[]') as credited_vat
   from orders o where o.id = $2 and o.account_id = $1`,
);

/** Reads what an order was charged for, line by line, and what of it is credited, by VAT rate. */
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

/** Records what is taken back of a locked order's sale; its credit note is made from it. */
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

/** Records on a locked order what is given back and what is owed. */
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

/** Marks what a locked order owes of a payment as paid out. */
export async function markRefundsPaid(
  tx: Db,
  refunds: { accountId: Uuid; orderId: Uuid; paymentId: Uuid; now: Date },
): Promise<void> {
  await tx.all(MARK_REFUNDS_PAID, [refunds.orderId, refunds.accountId, refunds.paymentId, refunds.now]);
}
