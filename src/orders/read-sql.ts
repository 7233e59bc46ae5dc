import { type Db, statement } from '../lib/db.ts';
import { FIRST_ID, firstIdAt, LAST_ID, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import { type DrawnColumns, PUBLIC_COLUMNS, type QuoteColumns, type RequestColumns } from './order-columns.ts';
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
  print_jobs: { area: string; method: string; ready: boolean }[];
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
  /** What was returned and is still owed; refunds of this payment are set off against it first. */
  due_pence: number;
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
  hold: HoldRow | null;
  /** By line: why and since when it is paused. */
  pauses: Record<Uuid, HoldRow>;
  version: number;
  placed_at: Date;
  cancellable_until: Date;
  created_at: Date;
  updated_at: Date;
  lines: LineRow[];
  shipments: ShipmentRow[];
  payments: PaymentRow[];
  refunds: RefundRow[];
};

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
      'provider_reference', p.provider_reference, 'paid_at', p.paid_at, 'is_returned', back.due_pence is not null,
      'due_pence', coalesce(back.due_pence, 0)) order by p.id), '[]')
    from payment p left join lateral (
      select a.returned_pence - coalesce((
        select sum(r.amount_pence) from refund r where r.account_id = a.account_id and r.order_id = a.order_id and r.payment_id = a.id
          and ${WAS_SET_OFF}), 0) as due_pence
      from payment_attempt a where a.id = p.id and a.account_id = p.account_id and a.returned_at is not null and a.recovered_at is null
    ) as back on true
    where p.account_id = o.account_id and p.order_id = o.id
  ) end as payments,
  case when o.refunded_pence + o.refund_owed_pence = 0 then '[]' else (
    select coalesce(json_agg(json_build_object('id', r.id, 'method', r.method, 'payment_id', r.payment_id,
      'amount_pence', r.amount_pence, 'state', r.state, 'reason', r.reason, 'created_at', r.created_at,
      'is_unwanted', r.credit_id is null and r.payment_id is not null) order by r.id), '[]')
    from refund r where r.account_id = o.account_id and r.order_id = o.id
  ) end as refunds`;

/** SQL of the columns of an `OrderRow`, of an order `o`. */
export const ORDER_COLUMNS = `
  o.id, o.external_reference, o.state, o.total_pence, ${PUBLIC_COLUMNS},
  o.balance_paid_pence, o.method_paid_pence, o.refunded_pence, o.refund_owed_pence, o.attempt_id is not null as is_charging,
  o.paid_at, o.hold, o.version,
  case when o.state = 'in_production' then coalesce((
    select json_object_agg(p.line_id, json_build_object('code', p.code, 'reason', p.reason, 'opened_at', p.opened_at))
    from line_pause p where p.account_id = o.account_id and p.order_id = o.id
  ), '{}') else '{}' end as pauses,
  o.placed_at, o.cancellable_until, o.created_at, o.updated_at,${MONEY_MOVED},
  case when o.replaces is not null then (
    select json_build_object('id', r.id, 'reference', r.reference) from orders r where r.id = o.replaces and r.account_id = o.account_id
  ) end as replaces,
  (
    select json_agg(json_build_object('id', l.id, 'product_id', l.product_id, 'sku', l.sku, 'quantity', l.quantity,
      'quantity_cancelled', l.quantity_cancelled, 'quantity_shipped', l.quantity_shipped, 'name', l.name,
      'colour', l.colour, 'size', l.size, 'unit_price_pence', l.unit_price_pence,
      'line_price_pence', l.line_price_pence, 'declared_unit_pence', l.declared_unit_pence, 'mock_hash', encode(l.mock_hash, 'hex'),
      'started', l.started_at is not null,
      'print_jobs', coalesce((
        select json_agg(json_build_object('area', j.print_area, 'method', j.method, 'ready', coalesce(f.state = 'ready', false))
                        order by j.ordinal)
        from print_job j left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
        where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id
      ), '[]')) order by l.ordinal)
    from order_line l where l.account_id = o.account_id and l.order_id = o.id
  ) as lines,
  coalesce((
    select json_agg(json_build_object('id', s.id, 'carrier', s.carrier, 'tracking_number', s.tracking_number,
      'tracking_url', s.tracking_url, 'shipped_at', s.shipped_at,
      'items', (select json_agg(json_build_object('line_id', i.line_id, 'quantity', i.quantity))
                from shipment_item i
                where i.account_id = s.account_id and i.order_id = s.order_id and i.shipment_id = s.id)) order by s.id)
    from shipment s where s.account_id = o.account_id and s.order_id = o.id
  ), '[]') as shipments`;

const BY_ID = statement<OrderRow>(
  'orders_by_id',
  `select ${ORDER_COLUMNS} from orders o where o.id = $2 and o.account_id = $1`,
);

/** One order of an account by its id. */
export async function findOrderById(db: Db, accountId: Uuid, id: Uuid): Promise<OrderRow | undefined> {
  return db.one(BY_ID, [accountId, id]);
}

const BY_REFERENCE = statement<OrderRow>(
  'orders_by_reference',
  `select ${ORDER_COLUMNS} from orders o where o.reference = $2 and o.account_id = $1`,
);

/** One order of an account by its reference in canonical form. */
export async function findOrderByReference(db: Db, accountId: Uuid, reference: string): Promise<OrderRow | undefined> {
  return db.one(BY_REFERENCE, [accountId, reference]);
}

/** A row of a list, with the number of rows before the page was cut for having too many lines. */
export type ListedRow = OrderRow & { candidates: number };

/**
 * A page ends with the order that reaches this many lines.
 * An order has up to 1,000 lines: a page of 100 such orders would be 40 MB.
 */
const LINES_A_PAGE_MAX = 5_000;

/**
 * SQL of a page from the ids of its orders, newest or oldest first.
 * It has the first $3 of them, but no more than their lines allow. `ofAccount` narrows the orders `l` to those of
 * account $1, or is `true` for the lists of all accounts.
 */
export function pageOf(
  ids: string,
  columns = ORDER_COLUMNS,
  order: 'desc' | 'asc' = 'desc',
  ofAccount = 'l.account_id = $1',
): string {
  return `select ${columns}, page.candidates from (
     select account_id, id, sum(line_count) over (order by id ${order}) - line_count as lines_before, count(*) over () as candidates
     from (
       select l.account_id, l.id, l.line_count from (${ids}) as found join orders l on ${ofAccount} and l.id = found.id
       order by l.id ${order} limit $3
     ) as asked
   ) as page join orders o on o.account_id = page.account_id and o.id = page.id
   where page.lines_before < ${LINES_A_PAGE_MAX}
   order by o.id ${order}`;
}

// A page is found on the index alone, and only its rows are joined with their lines. Two choices are for the planner,
// which plans once for all values. The inner limit is a constant: it estimates an unknown limit as a tenth of the
// table, and then reads all of it (78 ms in place of 0.6 with 200,000 orders). The cursor is always compared: "is
// null or below" is a filter that walks from the newest order to the cursor, and not a position in the index.
const LIST = statement<ListedRow>(
  'orders_list',
  pageOf(`
     select id from orders where account_id = $1 and id < coalesce($2::uuid, '${LAST_ID}') order by id desc limit ${PAGE_ROWS_MAX}`),
);

// A public status is up to three internal states, and an account may ask for a type as well: each state and type is a
// range of the index, read in its order and cut to a page before they are merged, so a rare one costs no walk over
// all the others. A range is written as two row comparisons: with `state = …` the planner drops the column from the
// order, and walks all orders of the account in the hope of finding a page of them soon.
const LIST_FILTERED = statement<ListedRow>(
  'orders_list_filtered',
  pageOf(`
     select found.id from unnest($4::text[], $5::text[]) as wanted(state, type)
     cross join lateral (
       select id from orders
       where account_id = $1
         and (state, type, id) >= (wanted.state, wanted.type, '${FIRST_ID}'::uuid)
         and (state, type, id) < (wanted.state, wanted.type, coalesce($2::uuid, '${LAST_ID}'))
       order by state desc, type desc, id desc limit ${PAGE_ROWS_MAX}
     ) as found
     order by found.id desc limit ${PAGE_ROWS_MAX}`),
);

const SETTLED = 'changed_by < (select oldest_running_transaction())';

/** A change later than this after the placing is a late one; as in the index orders_changed_late. */
const LATE = '168 hours';
const LATE_MS = 168 * 3_600_000;

// Orders that were placed at a time or later were also updated since then, and their ids are later than that time
// ($6): ranges as above. Rows of a transaction are left out while another that may precede it is running (domain,
// "Events").
const LIST_PLACED_SINCE = statement<ListedRow>(
  'orders_list_placed_since',
  pageOf(`
     select found.id from unnest($4::text[], $5::text[]) as wanted(state, type)
     cross join lateral (
       select id from orders
       where account_id = $1
         and (state, type, id) >= (wanted.state, wanted.type, $6::uuid)
         and (state, type, id) < (wanted.state, wanted.type, coalesce($2::uuid, '${LAST_ID}'))
         and updated_at >= $7 and ${SETTLED}
       order by state desc, type desc, id desc limit ${PAGE_ROWS_MAX}
     ) as found
     order by found.id desc limit ${PAGE_ROWS_MAX}`),
);

// Orders that are older than that time ($6) and were changed since. Most changes come within a week of the placing,
// so a week of ids ($8) is walked, and later changes have an index of their own. The fences (`offset 0`) keep the
// planner, which plans for any value, from walking the ids of all orders in the hope of finding a page of them soon.
const LIST_CHANGED_SINCE = statement<ListedRow>(
  'orders_list_changed_since',
  pageOf(`
     select c.id from (
       (
         select id, state, type from orders
         where account_id = $1 and id >= $8::uuid and id < least($6::uuid, coalesce($2::uuid, '${LAST_ID}'))
           and updated_at >= $7 and updated_at - created_at <= interval '${LATE}' and ${SETTLED}
           and (state, type) in (select * from unnest($4::text[], $5::text[]))
         order by id desc limit ${PAGE_ROWS_MAX}
       )
       union all
       (
         select id, state, type from (
           select id, state, type, changed_by from orders
           where account_id = $1 and updated_at >= $7 and updated_at - created_at > interval '${LATE}'
           offset 0
         ) as late
         where id < least($6::uuid, coalesce($2::uuid, '${LAST_ID}')) and ${SETTLED}
           and (state, type) in (select * from unnest($4::text[], $5::text[]))
         order by id desc limit ${PAGE_ROWS_MAX}
       )
     ) as c
     order by c.id desc limit ${PAGE_ROWS_MAX}`),
);

/** The filter of a list of orders: states and types, each pair of them. */
export type OrderFilter = {
  readonly states: readonly OrderState[];
  readonly types: readonly OrderRow['type'][];
};

type OrderPart = { readonly before: Uuid | null; readonly limit: number };

/** A page of an account's orders, newest first, from after `before`; without a filter all of them. */
export async function listOrderRows(
  db: Db,
  accountId: Uuid,
  page: OrderPart & { filter: OrderFilter | undefined },
): Promise<ListedRow[]> {
  const { before, limit, filter } = page;
  if (filter === undefined) return db.all(LIST, [accountId, before, limit]);
  return db.all(LIST_FILTERED, [accountId, before, limit, ...pairsOf(filter)]);
}

/**
 * As `listOrderRows`, of the orders that were placed at a time or later.
 * They come before those that were only changed since.
 */
export async function listPlacedSince(
  db: Db,
  accountId: Uuid,
  page: OrderPart & { filter: OrderFilter; since: Date },
): Promise<ListedRow[]> {
  const { before, limit, filter, since } = page;
  return db.all(LIST_PLACED_SINCE, [accountId, before, limit, ...pairsOf(filter), firstIdAt(since), since]);
}

/** As `listOrderRows`, of the orders that were placed before a time and changed then or later. */
export async function listChangedSince(
  db: Db,
  accountId: Uuid,
  page: OrderPart & { filter: OrderFilter; since: Date },
): Promise<ListedRow[]> {
  const { before, limit, filter, since } = page;
  const weekBefore = firstIdAt(new Date(since.getTime() - LATE_MS));
  const times = [firstIdAt(since), since, weekBefore];
  return db.all(LIST_CHANGED_SINCE, [accountId, before, limit, ...pairsOf(filter), ...times]);
}

/** Every state with every type, as two columns. */
function pairsOf({ states, types }: OrderFilter): [string[], string[]] {
  const pairs = states.flatMap((state) => types.map((type) => ({ state, type })));
  return [pairs.map(({ state }) => state), pairs.map(({ type }) => type)];
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
