import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { LATEST_REQUEST, type RequestRow } from './asking/request-sql.ts';
import type { JobArtworkRow } from './line-artwork/artwork-sql.ts';
import {
  type DrawnColumns,
  type PriceColumns,
  PUBLIC_COLUMNS,
  type QuoteColumns,
  type RequestColumns,
  SHOWN_PUBLIC_COLUMNS,
} from './order-columns.ts';
import { LINE_TEXTS, type LineTexts, SHOWN_LINE_TEXTS } from './reading/line-texts-sql.ts';
import type { OrderState } from './status.ts';

export type LineRow = {
  id: Uuid;
  product_id: Uuid;
  sku: string;
  quantity: number;
  quantity_cancelled: number;
  quantity_shipped: number;
  name: string;
  colour: string;
  size: string;
  unit_price_pence: number;
  line_price_pence: number;
  /** What the consumer paid for one piece, for customs; null: what was charged. */
  declared_unit_pence: number | null;
  mock_hash: string | null;
  started: boolean;
  /**
   * `expired`: its print file has ended and is gone.
   * `replaced_at`: when its customer sent other artwork.
   */
  print_jobs: { area: string; method: string; ready: boolean; expired: boolean; replaced_at: string | null }[];
  /**
   * The keys of its print files, in the order of its print jobs.
   * A line of an order that was just placed lacks them.
   */
  files?: string[];
};

export type ShipmentRow = {
  id: Uuid;
  carrier: string;
  tracking_number: string;
  tracking_url: string | null;
  shipped_at: string;
  items: { line_id: Uuid; quantity: number }[];
};

export type PaymentRow = {
  id: Uuid;
  method: 'card' | 'direct_debit';
  amount_pence: number;
  provider_reference: string;
  paid_at: string;
  /** Returned and not recovered: a direct debit that failed late, or a dispute. */
  is_returned: boolean;
  /** What was returned and not collected. Refunds of this payment are set off against it first. */
  due_pence: number;
  /** Returned, and nothing of it is open any more: collected by bank, or given back by the provider. */
  is_collected: boolean;
};

export type RefundRow = {
  id: Uuid;
  method: 'balance' | 'card' | 'direct_debit';
  payment_id: Uuid | null;
  amount_pence: number;
  state: 'done' | 'owed';
  reason: string;
  created_at: string;
  /** Of a payment that the order no longer needed: nothing of the order itself is given back. */
  is_unwanted: boolean;
};

export type HoldRow = { code: string; reason: string; opened_at: string };

type PlacedColumns = DrawnColumns & Omit<RequestColumns, 'billing_address'> & QuoteColumns;

export type OrderRow = PlacedColumns & {
  id: Uuid;
  external_reference: string | null;
  /** The order that this replacement makes good for. */
  replaces: { id: Uuid; reference: string } | null;
  state: OrderState;
  total_pence: number;
  balance_paid_pence: number;
  method_paid_pence: number;
  refunded_pence: number;
  refund_owed_pence: number;
  /** A charge of its card or direct debit is under way, and its outcome is not known yet. */
  is_charging: boolean;
  paid_at: Date | null;
  /** When its personal data was erased. */
  erased_at: Date | null;
  hold: HoldRow | null;
  /** The latest request of its customer to cancel it. */
  request: RequestRow | null;
  /** By line: why and since when it is paused. */
  pauses: Record<Uuid, HoldRow>;
  version: number;
  placed_at: Date;
  cancellable_until: Date;
  created_at: Date;
  updated_at: Date;
  lines: LineRow[];
  /** What its lines print, by the key of the print file; only where it is read with its artwork. */
  artwork?: Readonly<Record<string, JobArtworkRow>>;
  shipments: ShipmentRow[];
  payments: PaymentRow[];
  refunds: RefundRow[];
};

/** What of an order its owner is shown, in lists and by itself. */
export type ShownOrderRow = Omit<OrderRow, keyof PriceColumns>;

/** An `OrderRow` before its lines are put together (`reading/put-together.ts`). */
export type OrderParts = Omit<OrderRow, 'lines' | 'artwork'> & LineTexts;

/** A `ShownOrderRow` before its lines are put together. */
export type ShownOrderParts = Omit<OrderParts, keyof PriceColumns>;

/**
 * SQL of whether a refund `r` was set off against the debt of the returned attempt `a`.
 * Nothing else of a returned payment is given back before it is collected, except what is paid out by hand of one
 * that was returned in part.
 */
export const WAS_SET_OFF = `r.state = 'done' and not r.is_paid_out
  and r.done_at >= a.returned_at and r.done_at < coalesce(a.recovered_at, 'infinity')`;

/**
 * SQL of the columns `payments` and `refunds` of an order `o`.
 * Most orders have neither, and are spared both look-ups. A refund of a payment without a credit is one of an
 * unwanted payment: a wanted payment pays an order in full, and its refunds have a credit.
 */
export const MONEY_MOVED = `
  case when o.method_paid_pence + o.unwanted_pence = 0 then '[]' else (
    select coalesce(json_agg(json_build_object('id', p.id, 'method', p.method, 'amount_pence', p.amount_pence,
      'provider_reference', p.provider_reference, 'paid_at', p.paid_at, 'is_returned', coalesce(not back.is_collected, false),
      'due_pence', case when back.is_collected then 0 else coalesce(back.due_pence, 0) end,
      'is_collected', coalesce(back.is_collected, false)) order by p.id), '[]')
    from payment p left join lateral (
      select a.returned_pence - coalesce((
        select sum(r.amount_pence) from refund r where r.account_id = a.account_id and r.order_id = a.order_id and r.payment_id = a.id
          and ${WAS_SET_OFF}), 0) as due_pence, a.recovered_at is not null as is_collected
      from payment_attempt a where a.id = p.id and a.account_id = p.account_id and a.returned_at is not null
    ) as back on true
    where p.account_id = o.account_id and p.order_id = o.id
  ) end as payments,
  case when o.refunded_pence + o.refund_owed_pence = 0 then '[]' else (
    select coalesce(json_agg(json_build_object('id', r.id, 'method', r.method, 'payment_id', r.payment_id,
      'amount_pence', r.amount_pence, 'state', r.state, 'reason', r.reason, 'created_at', r.created_at,
      'is_unwanted', r.credit_id is null and r.payment_id is not null) order by r.id), '[]')
    from refund r where r.account_id = o.account_id and r.order_id = o.id
  ) end as refunds`;

const headOf = (placed: string): string => `
  o.id, o.external_reference, o.state, o.total_pence, ${placed},
  o.balance_paid_pence, o.method_paid_pence, o.refunded_pence, o.refund_owed_pence, o.attempt_id is not null as is_charging,
  o.paid_at, o.erased_at, o.hold, o.version,
  case when o.state = 'in_production' then coalesce((
    select json_object_agg(p.line_id, json_build_object('code', p.code, 'reason', p.reason, 'opened_at', p.opened_at))
    from line_pause p where p.account_id = o.account_id and p.order_id = o.id
  ), '{}') else '{}' end as pauses,
  o.placed_at, o.cancellable_until, o.created_at, o.updated_at,${MONEY_MOVED},
  case when o.replaces is not null then (
    select json_build_object('id', r.id, 'reference', r.reference) from orders r where r.id = o.replaces and r.account_id = o.account_id
  ) end as replaces,
  coalesce((
    select json_agg(json_build_object('id', s.id, 'carrier', s.carrier, 'tracking_number', s.tracking_number,
      'tracking_url', s.tracking_url, 'shipped_at', s.shipped_at,
      'items', (select json_agg(json_build_object('line_id', i.line_id, 'quantity', i.quantity))
                from shipment_item i
                where i.account_id = s.account_id and i.order_id = s.order_id and i.shipment_id = s.id)) order by s.id)
    from shipment s where s.account_id = o.account_id and s.order_id = o.id
  ), '[]') as shipments,
  ${LATEST_REQUEST} as request`;

/** SQL of the columns of an `OrderRow` without its lines and their artwork, of an order `o`. */
export const HEAD_COLUMNS = headOf(PUBLIC_COLUMNS);

/** As `HEAD_COLUMNS`, of a `ShownOrderRow`. */
export const SHOWN_HEAD_COLUMNS = headOf(SHOWN_PUBLIC_COLUMNS);

/** SQL of the columns of `OrderParts` without artwork, of an order `o`. */
const ORDER_COLUMNS = `${HEAD_COLUMNS}, ${LINE_TEXTS}`;

/** SQL of the columns of `ShownOrderParts`, with the artwork of its lines, of an order `o`. */
export const SHOWN_COLUMNS = `${SHOWN_HEAD_COLUMNS}, ${SHOWN_LINE_TEXTS}`;

const BY_ID = statement<OrderParts>(
  'orders_by_id',
  `select ${ORDER_COLUMNS} from orders o where o.id = $2 and o.account_id = $1`,
);

/** One order of an account by its id, without the artwork of its lines. */
export async function findOrderById(db: Db, accountId: Uuid, id: Uuid): Promise<OrderParts | undefined> {
  return db.one(BY_ID, [accountId, id]);
}

const SHOWN_BY_ID = statement<ShownOrderParts>(
  'orders_shown_by_id',
  `select ${SHOWN_COLUMNS} from orders o where o.id = $2 and o.account_id = $1`,
);

/** What of an order its owner is shown, with the artwork of its lines. */
export async function findShownOrder(db: Db, accountId: Uuid, id: Uuid): Promise<ShownOrderParts | undefined> {
  return db.one(SHOWN_BY_ID, [accountId, id]);
}

const ID_OF = statement<{ id: Uuid }>(
  'orders_id_of_reference',
  'select id from orders where reference = $2 and account_id = $1',
);

/** The id of an account's order by its reference in canonical form. */
export async function findOrderId(db: Db, accountId: Uuid, reference: string): Promise<Uuid | undefined> {
  return (await db.one(ID_OF, [accountId, reference]))?.id;
}

const REFERENCE = statement<{ order_id: Uuid; account_id: Uuid }>(
  'orders_reference',
  'select order_id, account_id from order_reference where external_reference = $1',
);

/**
 * The order that has an external reference, over all accounts.
 * The caller may learn only whether it is its own.
 */
export async function findReference(
  db: Db,
  externalReference: string,
): Promise<{ order_id: Uuid; account_id: Uuid } | undefined> {
  return db.one(REFERENCE, [externalReference]);
}
