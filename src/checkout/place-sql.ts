import type { VatStatus } from '../accounts/vat-number.ts';
import { printFileCtes } from '../artwork/needs/need-sql.ts';
import { chargeCtes } from '../billing/ledger.ts';
import { countCharged } from '../billing/metrics.ts';
import { type Db, type SqlValue, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { pence } from '../lib/money.ts';
import { TIERS } from '../lib/queue/job.ts';
import { PLACED_NAMES, PLACED_RECORD, PLACED_VALUES } from '../orders/order-columns.ts';
import { type ProductSnapshot, productSnapshotsSql } from '../products/sql.ts';
import { eventCtes } from '../webhooks/publish.ts';

// Reading what a basket needs -----------------------------------------------------------------------------------------

export type GatheredRow = {
  /** The order that has the external reference already. */
  reference: { order_id: Uuid; account_id: Uuid } | null;
  catalogue_version: number;
  price_book_version: number;
  vat_status: VatStatus;
  eori_number: string;
  ioss_number: string;
  products: ProductSnapshot[];
  /** Available now, by SKU; an unknown SKU is absent. */
  stock: Record<string, number>;
  /** Setups that the account has paid for among the stored designs of these products, as `hash:method`. */
  rights: string[];
};

const GATHER = statement<GatheredRow>(
  'orders_gather',
  `select
     (select json_build_object('order_id', r.order_id, 'account_id', r.account_id)
      from order_reference r where r.external_reference = $2) as reference,
     s.catalogue_version, s.price_book_version, a.vat_status, a.eori_number, a.ioss_number,
     ${productSnapshotsSql('$1', '$3::uuid[]', '$4::text[]')} as products,
     coalesce((
       select json_object_agg(sku, greatest(on_hand - allocated, 0)) from stock where sku = any($4::text[])
     ), '{}') as stock,
     coalesce((
       select json_agg(encode(r.design_hash, 'hex') || ':' || r.method) from setup_right r
       join orders o on o.account_id = r.account_id and o.id = r.paid_by_order and o.paid_at is not null
       where r.account_id = $1 and r.design_hash in (
         select pa.design_hash from product_area pa join product p on p.account_id = pa.account_id and p.id = pa.product_id
         where p.account_id = $1 and p.id = any($3::uuid[]))
     ), '[]') as rights
   from account a cross join catalogue_state s
   where a.id = $1`,
);

/**
 * Reads everything in the database that a basket's price and availability depend on.
 * One statement, so all of it is of one moment.
 */
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
  `select encode(r.design_hash, 'hex') || ':' || r.method as name from setup_right r
   join orders o on o.account_id = r.account_id and o.id = r.paid_by_order and o.paid_at is not null
   where r.account_id = $1 and r.design_hash = any(select decode(h, 'hex') from unnest($2::text[]) as h)`,
);

/** Reads the setups that an account has paid for among these designs (hex), as `hash:method`. */
export async function readSetupRights(db: Db, accountId: Uuid, hashes: readonly string[]): Promise<string[]> {
  return (await db.all(RIGHTS, [accountId, hashes])).map((row) => row.name);
}

const FINGERPRINT = statement<{ fingerprint: Buffer | null }>(
  'orders_fingerprint',
  'select fingerprint from orders where id = $2 and account_id = $1',
);

/** Reads the digests of what an order was placed with; null for an order that has none. */
export async function findFingerprint(db: Db, accountId: Uuid, orderId: Uuid): Promise<Buffer | null> {
  return (await db.one(FINGERPRINT, [accountId, orderId]))?.fingerprint ?? null;
}

// Placing -------------------------------------------------------------------------------------------------------------

/** SQLSTATEs of the placing statement for a quote that is out of date: nothing has been written. */
export const STALE_CATALOGUE = 'PL001';
export const STALE_SETUPS = 'PL002';
/**
 * PostgreSQL's unique violation.
 * Of all that is generated for an order, only the short reference can collide with another order's.
 */
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
  /** The id for an attempt on the account's card or direct debit; null where there is no provider. */
  attemptId: Uuid | null;
};

/**
 * The result of the placing statement.
 * `attempted`: the rest that the balance left is to be charged to the account's card or direct debit; until then no
 * event is published.
 */
export type PlacedRow = {
  placed: boolean;
  paid: boolean;
  attempted: boolean;
  from_balance_pence: number;
  ready_files: string[];
};

// Every branch that writes selects from `cleared`, which has a row exactly when the reference is ours, the versions are
// those of the quote, and the setups are as quoted. In one statement, a branch runs even if its sibling wrote nothing.
// Locks are taken in the one order of the service: reference, setup rights, balance.
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

// Most orders print by methods that need no setup. They get a shorter statement.
const NO_SETUPS = `
cleared as materialized (
  select 1 from fresh where json_array_length($7::json) + json_array_length($8::json) = 0
)`;

const PLACE = statement<PlacedRow>('orders_place', placingSql(NO_SETUPS, undefined));
const PLACE_WITH_SETUPS = statement<PlacedRow>('orders_place_with_setups', placingSql(SETUPS, undefined));

// Used only where a provider could charge the rest: it is 5 % slower.
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
  insert into orders (id, account_id, external_reference, state, ${PLACED_NAMES}, total_pence, balance_paid_pence, attempt_id, paid_at, catalogue_version, price_book_version,
    version, last_event_at, placed_at, cancellable_until, created_at, updated_at, line_count)
  select $1, $2, $3, case when m.paid then 'placed' else 'awaiting_payment' end, ${PLACED_VALUES}, $9, m.from_balance_pence, case when m.method is not null then ${attemptId ?? 'null'}::uuid end,
    case when m.paid then $6::timestamptz end, $4, $5, case when m.method is null then 1 else 0 end, $6, $6, $19, $6, $6,
    json_array_length($12::json)
  from money m, json_to_record($11::json) as o(${PLACED_RECORD})
),
new_line as (
  insert into order_line (order_id, id, account_id, ordinal, product_id, sku, quantity, name, colour, size,
    unit_price_pence, line_price_pence, vat_class, declared_unit_pence, mock_hash)
  select $1, l.id, $2, l.ordinal, l.product_id, l.sku, l.quantity, l.name, l.colour, l.size, l.unit_price_pence,
    l.line_price_pence, l.vat_class, l.declared_unit_pence, decode(l.mock_hash, 'hex')
  from money, json_to_recordset($12::json) as l(id uuid, ordinal integer, product_id uuid, sku text, quantity integer,
    name text, colour text, size text, unit_price_pence bigint, line_price_pence bigint, vat_class text,
    declared_unit_pence bigint, mock_hash text)
),
new_job as (
  insert into print_job (order_id, line_id, ordinal, account_id, print_area, method, design_hash, print_file_key,
    unit_price_pence)
  select $1, j.line_id, j.ordinal, $2, j.print_area, j.method, decode(j.design_hash, 'hex'),
    decode(j.print_file_key, 'hex'), j.unit_price_pence
  from money, json_to_recordset($13::json) as j(line_id uuid, ordinal integer, print_area text, method text,
    design_hash text, print_file_key text, unit_price_pence bigint)
),
${printFileCtes({
  guard: 'money',
  accountId: '$2',
  orderId: '$1',
  files: '$14',
  now: '$6',
  tier: `case when money.paid then ${TIERS.ordinary} else ${TIERS.spare} end::smallint`,
  rankedAt: '$19',
})},
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
 * Writes an order with all that belongs to it in one statement.
 * That is reference, setup rights, charge, lines, print jobs, print files and their jobs, history, event and
 * deliveries. If the external reference is taken, `placed` is false and nothing is written. Fails with
 * `STALE_CATALOGUE` or `STALE_SETUPS` when the quote is out of date, and with `REFERENCE_DRAWN_TWICE` when another
 * order has the generated reference; then nothing is written either.
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
  const { paid, from_balance_pence: fromBalance } = row;
  countCharged(db, { fromBalancePence: pence(fromBalance), soldPence: pence(order.totalPence), paid });
  return row;
}
