import { printFileCtes } from '../artwork/sql.ts';
import { chargeCtes } from '../billing/ledger.ts';
import { type Db, type SqlValue, statement } from '../lib/db.ts';
import { FIRST_ID, firstIdAt, LAST_ID, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import type { VatStatus } from '../pricing/vat.ts';
import { type ProductSnapshot, productSnapshotsSql } from '../products/sql.ts';
import { eventCtes } from '../webhooks/publish.ts';
import type { OrderState } from './status.ts';

// Reading what a basket needs -------------------------------------------------------------------------------------------

export type GatheredRow = {
  /** Who has the external reference already. */
  reference: { order_id: Uuid; account_id: Uuid } | null;
  catalogue_version: number;
  price_book_version: number;
  vat_status: VatStatus;
  products: ProductSnapshot[];
  /** Available now, by SKU; an unknown SKU is absent. */
  stock: Record<string, number>;
  /** `hash:method` of the setups that the account has paid for among the stored designs of these products. */
  rights: string[];
};

const GATHER = statement<GatheredRow>(
  'orders_gather',
  `select
     (select json_build_object('order_id', r.order_id, 'account_id', r.account_id)
      from order_reference r where r.external_reference = $2) as reference,
     s.catalogue_version, s.price_book_version, a.vat_status,
     ${productSnapshotsSql('$1', '$3::uuid[]', '$4::text[]')} as products,
     coalesce((
       select json_object_agg(sku, greatest(on_hand - allocated, 0)) from stock where sku = any($4::text[])
     ), '{}') as stock,
     coalesce((
       select json_agg(encode(r.design_hash, 'hex') || ':' || r.method) from setup_right r
       where r.account_id = $1 and r.design_hash in (
         select pa.design_hash from product_area pa join product p on p.id = pa.product_id
         where p.account_id = $1 and p.id = any($3::uuid[]))
     ), '[]') as rights
   from account a cross join catalogue_state s
   where a.id = $1`,
);

/** Everything in the database that a basket's price and possibility hang on, read at one moment in one round trip. */
export async function gatherForBasket(
  db: Db,
  basket: { accountId: Uuid; externalReference: string | null; productIds: readonly Uuid[]; skus: readonly string[] },
): Promise<GatheredRow> {
  const row = await db.one(GATHER, [basket.accountId, basket.externalReference, basket.productIds, basket.skus]);
  if (row === undefined) throw new Error('the calling account has no row');
  return row;
}

const RIGHTS = statement<{ name: string }>(
  'orders_setup_rights',
  `select encode(design_hash, 'hex') || ':' || method as name from setup_right
   where account_id = $1 and design_hash = any(select decode(h, 'hex') from unnest($2::text[]) as h)`,
);

/** The setups that an account has paid for among these designs (hex), as `hash:method`. */
export async function readSetupRights(db: Db, accountId: Uuid, hashes: readonly string[]): Promise<string[]> {
  return (await db.all(RIGHTS, [accountId, hashes])).map((row) => row.name);
}

const REFERENCE = statement<{ order_id: Uuid; account_id: Uuid }>(
  'orders_reference',
  'select order_id, account_id from order_reference where external_reference = $1',
);

/** Which order has an external reference, over all accounts: only whether it is the caller's may ever be told. */
export async function findReference(
  db: Db,
  externalReference: string,
): Promise<{ order_id: Uuid; account_id: Uuid } | undefined> {
  return db.one(REFERENCE, [externalReference]);
}

// Placing ---------------------------------------------------------------------------------------------------------------

/** SQLSTATEs by which the placing statement says that a quote is out of date: nothing has been written. */
export const STALE_CATALOGUE = 'PL001';
export const STALE_SETUPS = 'PL002';
/** PostgreSQL's unique violation. Of all that is drawn for an order only its short reference can meet another's. */
export const REFERENCE_DRAWN_TWICE = '23505';

export type NewOrder = {
  id: Uuid;
  accountId: Uuid;
  externalReference: string | null;
  catalogueVersion: number;
  priceBookVersion: number;
  now: Date;
  totalPence: number;
  /** A JSON object of the order's remaining columns. */
  order: object;
  /** JSON arrays. */
  lines: readonly object[];
  jobs: readonly object[];
  postings: string;
  newSetups: readonly { design_hash: string; method: string; amount_pence: number }[];
  reliedSetups: readonly { design_hash: string; method: string }[];
  files: readonly { key: string; recipe: object }[];
  eventId: Uuid;
  createdData: string;
  failedData: string;
  firstAttemptAt: Date;
  historyId: Uuid;
  cancellableUntil: Date;
  /** The id of the attempt on the account's card or direct debit, should one be made; null where there is no provider. */
  attemptId: Uuid | null;
};

/** `attempted`: what the balance left is to be charged to the account's card or direct debit; until then no event tells of it. */
export type PlacedRow = {
  placed: boolean;
  paid: boolean;
  attempted: boolean;
  from_balance_pence: number;
  ready_files: string[];
};

// Every branch that writes selects from `cleared`, which has a row exactly when the reference is ours, the versions are
// those of the quote, and the setups are as quoted: a branch of a statement like this one runs even if its sibling wrote
// nothing. Locks are taken in the one order of the service: reference, setup rights, balance.
const SETUPS = `
new_setup as (
  insert into setup_right (account_id, design_hash, method, paid_by_order, amount_pence, created_at)
  select $2, decode(s.design_hash, 'hex'), s.method, $1, s.amount_pence, $6
  from fresh, json_to_recordset($7::json) as s(design_hash text, method text, amount_pence bigint)
  order by s.design_hash, s.method
  on conflict do nothing
  returning method
),
relied_setup as materialized (
  -- Row by row through the index: with old statistics a join is planned as a walk over all rights of the account.
  select r.method
  from fresh, json_to_recordset($8::json) as s(design_hash text, method text)
  cross join lateral (
    select method from setup_right
    where account_id = $2 and design_hash = decode(s.design_hash, 'hex') and method = s.method
    for key share
  ) as r
),
cleared as materialized (
  select 1 from fresh
  where refuse_unless((select count(*) from new_setup) = json_array_length($7::json)
                  and (select count(*) from relied_setup) = json_array_length($8::json), '${STALE_SETUPS}')
),
new_reliance as (
  insert into setup_reliance (account_id, design_hash, method, order_id)
  select $2, decode(s.design_hash, 'hex'), s.method, $1
  from cleared, (
    select design_hash, method from json_to_recordset($7::json) as n(design_hash text, method text)
    union all
    select design_hash, method from json_to_recordset($8::json) as o(design_hash text, method text)
  ) as s
)`;

// Most orders print by methods that need no setup: theirs is a shorter statement.
const NO_SETUPS = `
cleared as materialized (
  select 1 from fresh where json_array_length($7::json) + json_array_length($8::json) = 0
)`;

const PLACE = statement<PlacedRow>('orders_place', placingSql(NO_SETUPS, undefined));
const PLACE_WITH_SETUPS = statement<PlacedRow>('orders_place_with_setups', placingSql(SETUPS, undefined));

// Where there is a provider that could charge the rest; 5 % slower, so that nobody else pays for it.
const CHARGE = statement<PlacedRow>('orders_place_or_charge', placingSql(NO_SETUPS, '$21'));
const CHARGE_WITH_SETUPS = statement<PlacedRow>('orders_place_or_charge_with_setups', placingSql(SETUPS, '$21'));

function placingSql(setups: string, attemptId: string | undefined): string {
  return `with
reference as (
  insert into order_reference (external_reference, account_id, order_id)
  select $3, $2, $1 where $3::text is not null
  on conflict do nothing
  returning order_id
),
fresh as materialized (
  select 1 from (select 1) as once
  where ($3::text is null or exists (select from reference))
    and refuse_unless(exists (
      select from catalogue_state where catalogue_version = $4 and price_book_version = $5), '${STALE_CATALOGUE}')
),
${setups},
${chargeCtes({
  guard: 'cleared',
  accountId: '$2',
  orderId: '$1',
  duePence: '$9',
  postings: '$10',
  now: '$6',
  attemptId,
})},
new_order as (
  insert into orders (id, account_id, external_reference, reference, type, source, state, notes, metadata,
    shipping_address, billing_address, shipping, warnings, subtotal_pence, setup_pence, shipping_pence, vat_pence,
    duty_pence, total_pence, vat_breakdown, setups, balance_paid_pence, attempt_id, paid_at, catalogue_version, price_book_version,
    version, last_event_at, placed_at, cancellable_until, created_at, updated_at, line_count)
  select $1, $2, $3, o.reference, o.type, o.source, case when m.paid then 'placed' else 'awaiting_payment' end, o.notes,
    o.metadata, o.shipping_address, o.billing_address, o.shipping, o.warnings, o.subtotal_pence, o.setup_pence,
    o.shipping_pence, o.vat_pence, o.duty_pence, $9, o.vat_breakdown, o.setups, m.from_balance_pence, case when m.method is not null then ${attemptId ?? 'null'}::uuid end,
    case when m.paid then $6::timestamptz end, $4, $5, case when m.method is null then 1 else 0 end, $6, $6, $19, $6, $6,
    json_array_length($12::json)
  from money m, json_to_record($11::json) as o(reference text, type text, source text, notes text, metadata jsonb,
    shipping_address jsonb, billing_address jsonb, shipping jsonb, warnings jsonb, subtotal_pence bigint,
    setup_pence bigint, shipping_pence bigint, vat_pence bigint, duty_pence bigint, vat_breakdown jsonb, setups jsonb)
),
new_line as (
  insert into order_line (order_id, id, account_id, ordinal, product_id, sku, quantity, name, colour, size,
    unit_price_pence, line_price_pence, vat_class, mock_hash)
  select $1, l.id, $2, l.ordinal, l.product_id, l.sku, l.quantity, l.name, l.colour, l.size, l.unit_price_pence,
    l.line_price_pence, l.vat_class, decode(l.mock_hash, 'hex')
  from money, json_to_recordset($12::json) as l(id uuid, ordinal integer, product_id uuid, sku text, quantity integer,
    name text, colour text, size text, unit_price_pence bigint, line_price_pence bigint, vat_class text, mock_hash text)
),
new_job as (
  insert into print_job (order_id, line_id, ordinal, account_id, print_area, method, design_hash, print_file_key,
    unit_price_pence)
  select $1, j.line_id, j.ordinal, $2, j.print_area, j.method, decode(j.design_hash, 'hex'),
    decode(j.print_file_key, 'hex'), j.unit_price_pence
  from money, json_to_recordset($13::json) as j(line_id uuid, ordinal integer, print_area text, method text,
    design_hash text, print_file_key text, unit_price_pence bigint)
),
${printFileCtes({ guard: 'money', accountId: '$2', files: '$14', now: '$6' })},
new_history as (
  insert into order_history (order_id, id, account_id, action, to_state, actor, created_at)
  select $1, $15, $2, 'place', case when paid then 'placed' else 'awaiting_payment' end, 'customer', $6 from money
),
announced as materialized (
  -- While an attempt is under way nobody knows which event it will be.
  select paid from money where method is null
),
${eventCtes({
  from: 'announced',
  id: '$16::uuid',
  accountId: '$2::uuid',
  orderId: '$1::uuid',
  sequence: '1',
  event: "case when announced.paid then 'order.created' else 'order.payment_failed' end",
  data: 'case when announced.paid then $17 else $18 end',
  createdAt: '$6::timestamptz',
  dueAt: '$20::timestamptz',
})}
select exists (select from money) as placed,
       coalesce((select paid from money), false) as paid,
       coalesce((select method is not null from money), false) as attempted,
       coalesce((select from_balance_pence from money), 0) as from_balance_pence,
       coalesce((select json_agg(key_hex) from ready_file), '[]') as ready_files`;
}

/**
 * Writes an order with all that belongs to it in one statement: reference, setup rights, charge, lines, print jobs, print
 * files and their jobs, history, event and deliveries. `placed` is false when the external reference is taken, and then
 * nothing is written. Fails with `STALE_CATALOGUE` or `STALE_SETUPS` when the quote is out of date, and with
 * `REFERENCE_DRAWN_TWICE` when another order has the reference that was drawn: nothing is written either.
 */
export async function insertPlacedOrder(db: Db, order: NewOrder): Promise<PlacedRow> {
  const values: SqlValue[] = [
    order.id,
    order.accountId,
    order.externalReference,
    order.catalogueVersion,
    order.priceBookVersion,
    order.now,
    JSON.stringify(order.newSetups),
    JSON.stringify(order.reliedSetups),
    order.totalPence,
    order.postings,
    JSON.stringify(order.order),
    JSON.stringify(order.lines),
    JSON.stringify(order.jobs),
    JSON.stringify(order.files),
    order.historyId,
    order.eventId,
    order.createdData,
    order.failedData,
    order.cancellableUntil,
    order.firstAttemptAt,
  ];
  const hasSetups = order.newSetups.length + order.reliedSetups.length > 0;
  const row =
    order.attemptId === null
      ? await db.one(hasSetups ? PLACE_WITH_SETUPS : PLACE, values)
      : await db.one(hasSetups ? CHARGE_WITH_SETUPS : CHARGE, [...values, order.attemptId]);
  if (row === undefined) throw new Error('the placing statement returned no row');
  return row;
}

// Settling --------------------------------------------------------------------------------------------------------------

/** VAT of one rate: what it is on, and how much it is. */
export type VatBreakdownRow = { rate_bp: number; net_pence: number; vat_pence: number };

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
};

const WAITING_COLUMNS = `o.id, o.reference, o.external_reference, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.vat_pence,
  o.duty_pence, o.vat_breakdown, o.total_pence, o.total_pence - o.balance_paid_pence - o.method_paid_pence as due_pence,
  (select count(*)::integer from order_line l where l.order_id = o.id) as item_count`;

const WAITING = statement<WaitingRow>(
  'orders_waiting',
  `select ${WAITING_COLUMNS}
   from orders o
   where o.account_id = $1 and o.state = 'awaiting_payment' and o.attempt_id is null and o.placed_at >= $2
     and o.id > coalesce($3::uuid, '${FIRST_ID}')
     and ($5::boolean or o.total_pence - o.balance_paid_pence - o.method_paid_pence <= (
       select balance_pence from account_balance where account_id = $1))
   order by o.id limit $4`,
);

/**
 * Unpaid orders of an account, placed since a time, that nothing is being charged for; oldest first. `coveredOnly`: those whose
 * remainder its balance would cover, each by itself.
 */
export async function findWaitingOrders(
  db: Db,
  accountId: Uuid,
  which: { placedSince: Date; after: Uuid | null; limit: number; coveredOnly: boolean },
): Promise<WaitingRow[]> {
  return db.all(WAITING, [accountId, which.placedSince, which.after, which.limit, !which.coveredOnly]);
}

const WAITING_ORDER = statement<WaitingRow>(
  'orders_waiting_one',
  `select ${WAITING_COLUMNS} from orders o where o.id = $2 and o.account_id = $1 and o.state = 'awaiting_payment'`,
);

/** One unpaid order of an account; undefined when it is paid or cancelled. */
export async function findWaitingOrder(db: Db, accountId: Uuid, id: Uuid): Promise<WaitingRow | undefined> {
  return db.one(WAITING_ORDER, [accountId, id]);
}

// The order is locked before the balance, as everywhere. Its event is later than its last by a millisecond at least. All that
// is decided on stands in the order's own row, which is looked at again once its lock was waited for: an attempt that began
// meanwhile, or a remainder that is no longer the one that was read, leaves nothing to do.
const SETTLE = statement<{ waiting: boolean; paid: boolean; attempted: boolean }>(
  'orders_settle',
  `with
waiting as materialized (
  select id, version, greatest($5::timestamptz, last_event_at + interval '1 millisecond') as event_at
  from orders
  where id = $1 and account_id = $2 and state = 'awaiting_payment' and attempt_id is null
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
    updated_at = $5, changed_by = pg_current_xact_id()
  from waiting w, money m where o.id = $1 and (m.paid or m.method is not null)
),
new_history as (
  insert into order_history (order_id, id, account_id, action, from_state, to_state, actor, created_at)
  select $1, $6, $2, case when paid then 'settle' else 'retry_payment' end, 'awaiting_payment',
    case when paid then 'placed' else 'awaiting_payment' end, $11, $5
  from money where paid or method is not null
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
       coalesce((select method is not null from money), false) as attempted`,
);

export type SettleOutcome = 'settled' | 'attempted' | 'not_covered' | 'no_longer_waiting';

/**
 * Charges what is left of one waiting order to the balance if it covers it, in one statement, and announces it. With an
 * `attemptId` and a method on file, what the balance does not cover becomes a new attempt on that method.
 */
export async function settleFromBalance(
  db: Db,
  order: {
    accountId: Uuid;
    orderId: Uuid;
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
  if (row.attempted) return 'attempted';
  return row.paid ? 'settled' : 'not_covered';
}

// Reading orders --------------------------------------------------------------------------------------------------------

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
  /** The provider has taken it back: a direct debit that failed later, a dispute. */
  is_returned: boolean;
};

export type RefundRow = {
  id: Uuid;
  method: 'balance' | 'card' | 'direct_debit';
  payment_id: Uuid | null;
  amount_pence: number;
  state: 'done' | 'owed';
  reason: string;
  created_at: string;
};

export type StoredAddress = {
  contact_name: string;
  company_name: string;
  line1: string;
  line2: string;
  city: string;
  county: string;
  postcode: string;
  country_code: string;
  phone: string;
};

export type OrderRow = {
  id: Uuid;
  reference: string;
  external_reference: string | null;
  type: 'sample' | 'bulk';
  source: 'api' | 'portal' | 'channel' | 'replacement';
  state: OrderState;
  notes: string;
  metadata: Record<string, string>;
  shipping_address: StoredAddress;
  shipping: { service: string };
  warnings: { code: string; path: string; message: string }[];
  subtotal_pence: number;
  setup_pence: number;
  shipping_pence: number;
  vat_pence: number;
  duty_pence: number;
  total_pence: number;
  balance_paid_pence: number;
  method_paid_pence: number;
  refunded_pence: number;
  refund_owed_pence: number;
  /** A charge of its card or direct debit is under way, and nobody knows yet how it ends. */
  is_charging: boolean;
  paid_at: Date | null;
  hold: { code: string; reason: string; opened_at: string } | null;
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

/** SQL of the columns `payments` and `refunds` of an order `o`. Most orders have neither, and are spared both look-ups. */
export const MONEY_MOVED = `
  case when o.method_paid_pence + o.unwanted_pence = 0 then '[]' else (
    select coalesce(json_agg(json_build_object('id', p.id, 'method', p.method, 'amount_pence', p.amount_pence,
      'provider_reference', p.provider_reference, 'paid_at', p.paid_at, 'is_returned', exists (
        select from payment_attempt a where a.id = p.id and a.returned_at is not null)) order by p.id), '[]')
    from payment p where p.order_id = o.id
  ) end as payments,
  case when o.refunded_pence + o.refund_owed_pence = 0 then '[]' else (
    select coalesce(json_agg(json_build_object('id', r.id, 'method', r.method, 'payment_id', r.payment_id,
      'amount_pence', r.amount_pence, 'state', r.state, 'reason', r.reason, 'created_at', r.created_at) order by r.id), '[]')
    from refund r where r.order_id = o.id
  ) end as refunds`;

/** SQL of the columns of an `OrderRow`, of an order `o`. */
export const ORDER_COLUMNS = `
  o.id, o.reference, o.external_reference, o.type, o.source, o.state, o.notes, o.metadata, o.shipping_address, o.shipping,
  o.warnings, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.vat_pence, o.duty_pence, o.total_pence,
  o.balance_paid_pence, o.method_paid_pence, o.refunded_pence, o.refund_owed_pence, o.attempt_id is not null as is_charging,
  o.paid_at, o.hold, o.version,
  o.placed_at, o.cancellable_until, o.created_at, o.updated_at,${MONEY_MOVED},
  (
    select json_agg(json_build_object('id', l.id, 'product_id', l.product_id, 'sku', l.sku, 'quantity', l.quantity,
      'quantity_cancelled', l.quantity_cancelled, 'quantity_shipped', l.quantity_shipped, 'name', l.name,
      'colour', l.colour, 'size', l.size, 'unit_price_pence', l.unit_price_pence,
      'line_price_pence', l.line_price_pence, 'mock_hash', encode(l.mock_hash, 'hex'),
      'started', l.started_at is not null,
      'print_jobs', coalesce((
        select json_agg(json_build_object('area', j.print_area, 'method', j.method, 'ready', coalesce(f.state = 'ready', false))
                        order by j.ordinal)
        from print_job j left join print_file f on f.key = j.print_file_key
        where j.order_id = l.order_id and j.line_id = l.id
      ), '[]')) order by l.ordinal)
    from order_line l where l.order_id = o.id
  ) as lines,
  coalesce((
    select json_agg(json_build_object('id', s.id, 'carrier', s.carrier, 'tracking_number', s.tracking_number,
      'tracking_url', s.tracking_url, 'shipped_at', s.shipped_at,
      'items', (select json_agg(json_build_object('line_id', i.line_id, 'quantity', i.quantity))
                from shipment_item i where i.order_id = s.order_id and i.shipment_id = s.id)) order by s.id)
    from shipment s where s.order_id = o.id
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

/** A row of a list, and how many rows there were before the page was cut for having too many lines. */
export type ListedRow = OrderRow & { candidates: number };

/** An order has up to 1,000 lines: a page of 100 of them would be 40 MB. It ends with the order that reaches this many. */
const LINES_A_PAGE_MAX = 5_000;

/** SQL of a page from the ids of its orders: the first $3 of them, but no further than their lines allow. */
function pageOf(ids: string): string {
  return `select ${ORDER_COLUMNS}, page.candidates from (
     select id, sum(line_count) over (order by id desc) - line_count as lines_before, count(*) over () as candidates
     from (
       select l.id, l.line_count from (${ids}) as found join orders l on l.id = found.id order by l.id desc limit $3
     ) as asked
   ) as page join orders o on o.id = page.id
   where page.lines_before < ${LINES_A_PAGE_MAX}
   order by o.id desc`;
}

// A page is found on the index alone, and only its rows are joined with their lines. Two things are for the planner, which plans
// these once for all values: the inner limit is a constant, since it takes an unknown one for a tenth of the table and then reads
// all of it (78 ms in place of 0.6 with 200,000 orders); and the cursor is always compared, since "is null or below" is a filter
// that walks from the newest order to the cursor and not a place in the index.
const LIST = statement<ListedRow>(
  'orders_list',
  pageOf(`
     select id from orders where account_id = $1 and id < coalesce($2::uuid, '${LAST_ID}') order by id desc limit ${PAGE_ROWS_MAX}`),
);

// A public status is up to three internal states, and an account may ask for a type as well: each state and type is a range of
// the index, read in its order and cut to a page before they are merged, so a rare one costs no walk over all the others. A
// range is written as two row comparisons: with `state = …` the planner drops the column from the order, and then walks all
// orders of the account in the hope of meeting a page of them soon.
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

const SETTLED = 'changed_by < pg_snapshot_xmin(pg_current_snapshot())';

/** A change that comes longer than this after the placing is a late one; as in the index orders_changed_late. */
const LATE = '168 hours';
const LATE_MS = 168 * 3_600_000;

// Orders that were placed at a time or later have been updated since then, and their ids are later than that time ($6): ranges
// as above. What a transaction wrote that others, still running, may precede is left out (domain, "Events").
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

// Orders that are older than that time ($6) and were changed since. Most changes come within a week of the placing, so a week
// of ids ($8) is walked, and the later changes have an index of their own. The fences keep the planner, which plans for any
// value, from walking the ids of all orders in the hope of meeting a page of them soon.
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

/** What a list of orders may be narrowed to: states and types, each pair of them. */
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

/** As `listOrderRows`, of the orders that were placed at a time or later; they come before those that were only changed since. */
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
