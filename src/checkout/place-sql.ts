import type { VatStatus } from '../accounts/vat-number.ts';
import { countCharged } from '../billing/metrics.ts';
import { type OrderedBrand, orderedBrandSql } from '../brands/sql.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { pence } from '../lib/money.ts';
import { type ProductSnapshot, productSnapshotsSql } from '../products/sql.ts';

// Reading what a basket needs -----------------------------------------------------------------------------------------

export type GatheredRow = {
  /** The order that has the external reference already. */
  reference: { order_id: Uuid; account_id: Uuid } | null;
  catalogue_version: number;
  price_book_version: number;
  vat_status: VatStatus;
  eori_number: string;
  ioss_number: string;
  /** What it names, else the default; null for none, and for one that the account does not have. */
  brand: OrderedBrand | null;
  products: ProductSnapshot[];
  /** Available now, by SKU; an unknown SKU is absent. */
  stock: Record<string, number>;
  /** Setups that the account has paid for among the stored designs of these products, as `hash:method`. */
  rights: string[];
};

/** What identifies a basket's needs. */
export type GatheredBasket = {
  readonly accountId: Uuid;
  readonly externalReference: string | null;
  /** `default` is that of the account. */
  readonly brand: Uuid | 'default' | null;
  readonly productIds: readonly Uuid[];
  readonly skus: readonly string[];
};

// The account's row is read anyway, so a basket without a brand costs no look-up.
const BRAND_ID = 'coalesce(q.brand_id, case when q.takes_default then a.default_brand_id end)';

/**
 * A join with the paid rights to a design, as `r`, by keys alone.
 * Of a young table the planner knows nothing: without `offset` it begins with all orders of the account.
 */
function paidRightsSql(accountId: string, designHash: string): string {
  return `cross join lateral (
         select s.method, s.paid_by_order from setup_right s
         where s.account_id = ${accountId} and s.design_hash = ${designHash} offset 0
       ) as r
       cross join lateral (
         select from orders o where o.account_id = ${accountId} and o.id = r.paid_by_order and o.paid_at is not null offset 0
       ) as paid`;
}

// Basket by basket through the indexes: the planner does not know how few there are ('offset' keeps it so).
const GATHER = statement<GatheredRow>(
  'orders_gather',
  `select
     (select json_build_object('order_id', r.order_id, 'account_id', r.account_id)
      from order_reference r where r.external_reference = q.external_reference) as reference,
     s.catalogue_version, s.price_book_version, a.vat_status, a.eori_number, a.ioss_number,
     ${orderedBrandSql('q.account_id', BRAND_ID)} as brand,
     ${productSnapshotsSql('q.account_id', 'q.product_ids', 'q.skus')} as products,
     coalesce((
       select json_object_agg(sku, greatest(on_hand - allocated, 0)) from stock where sku = any(q.skus)
     ), '{}') as stock,
     coalesce((
       select json_agg(encode(d.design_hash, 'hex') || ':' || r.method)
       from (
         select distinct pa.design_hash from product_area pa
         where pa.account_id = q.account_id and pa.product_id = any(q.product_ids)
       ) as d
       ${paidRightsSql('q.account_id', 'd.design_hash')}
     ), '[]') as rights
   from json_to_recordset($1::json) as q(n integer, account_id uuid, external_reference text, brand_id uuid, takes_default boolean,
     product_ids uuid[], skus text[])
   cross join lateral (
     select vat_status, eori_number, ioss_number, default_brand_id from account where id = q.account_id offset 0
   ) as a
   cross join catalogue_state s
   order by q.n`,
);

/**
 * Reads everything in the database that the price and the availability of some baskets depend on.
 * One statement, so all of it is of one moment. Returns a row for each basket, in their order.
 */
export async function gatherForBaskets(db: Db, baskets: readonly GatheredBasket[]): Promise<readonly GatheredRow[]> {
  const asked = baskets.map(({ accountId, externalReference, brand, productIds, skus }, n) => ({
    n,
    account_id: accountId,
    external_reference: externalReference,
    brand_id: brand === 'default' ? null : brand,
    takes_default: brand === 'default',
    product_ids: productIds,
    skus,
  }));
  const rows = await db.all(GATHER, [JSON.stringify(asked)]);
  if (rows.length !== baskets.length) throw new Error('a calling account has no row');
  return rows;
}

const RIGHTS = statement<{ name: string }>(
  'orders_setup_rights',
  `select h || ':' || r.method as name from unnest($2::text[]) as h ${paidRightsSql('$1', "decode(h, 'hex')")}`,
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

/** SQLSTATE of the placing function for setups that are not as quoted: nothing has been written. */
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
  /** The order's remaining columns. */
  order: object;
  lines: readonly object[];
  jobs: readonly object[];
  postings: readonly object[];
  newSetups: readonly { design_hash: string; method: string; amount_pence: number }[];
  reliedSetups: readonly { design_hash: string; method: string }[];
  files: readonly { key: string; recipe: object }[];
  eventId: Uuid;
  /** The data of the event of a paid order, and of an unpaid one. */
  createdData: object;
  failedData: object;
  firstAttemptAt: Date;
  historyId: Uuid;
  cancellableUntil: Date;
  /** The id for an attempt on the account's card or direct debit; null where there is no provider. */
  attemptId: Uuid | null;
};

/**
 * What became of an order.
 * `taken`: another order has its external reference. `stale`: its quote is out of date. `busy`: it must be placed
 * alone. Of these nothing is written. `is_attempted`: the rest that the balance left is to be charged to the account's
 * card or direct debit; until then no event is published.
 */
export type PlacedRow = {
  fate: 'placed' | 'taken' | 'stale' | 'busy';
  is_paid: boolean;
  is_attempted: boolean;
  from_balance: number;
  ready_files: string[];
};

// The function is part of the schema, where its text and its reasons stand: the latest migration that makes it.
const PLACE = statement<PlacedRow>(
  'orders_place',
  `select fate, is_paid, is_attempted, from_balance, ready_files from place_orders($1::boolean, $2::uuid[], $3::uuid[], $4::text[],
     $5::timestamptz[], $6::bigint[], $7::bigint[], $8::bigint[], $9::uuid[], $10::json, $11::json, $12::json, $13::json, $14::json,
     $15::json, $16::json, $17::json)`,
);

/**
 * Writes orders, each with all that belongs to it, in one statement, and returns the fate of each.
 * That is reference, setup rights, charge, lines, print jobs, print files and their jobs, history, event and
 * deliveries.
 * `together`: waits for nothing that only one of them needs. `alone` is for one order, which waits for its balance, may
 * be charged to a card or a direct debit, and may have setups. On an error none of them is written: `STALE_SETUPS`
 * when the setups are not as quoted, `REFERENCE_DRAWN_TWICE` when another order has a generated reference.
 */
export async function placeOrders(
  db: Db,
  orders: readonly NewOrder[],
  how: 'alone' | 'together',
): Promise<readonly PlacedRow[]> {
  const isAlone = how === 'alone';
  if (isAlone && orders.length !== 1) throw new Error('only one order can be placed alone');
  const rows = await db.all(PLACE, [
    isAlone,
    orders.map(({ id }) => id),
    orders.map(({ accountId }) => accountId),
    orders.map(({ externalReference }) => externalReference),
    orders.map(({ now }) => now.toISOString()),
    orders.map(({ totalPence }) => totalPence),
    orders.map(({ catalogueVersion }) => catalogueVersion),
    orders.map(({ priceBookVersion }) => priceBookVersion),
    orders.map(({ attemptId }) => attemptId),
    JSON.stringify(orders.flatMap(({ newSetups }) => newSetups)),
    JSON.stringify(orders.flatMap(({ reliedSetups }) => reliedSetups)),
    numbered(orders, ({ order, cancellableUntil, lines }) => [
      { ...order, cancellable_until: cancellableUntil, line_count: lines.length },
    ]),
    numbered(orders, ({ lines }) => lines),
    numbered(orders, ({ jobs }) => jobs),
    numbered(orders, ({ files, cancellableUntil }) => files.map((file) => ({ ...file, ranked_at: cancellableUntil }))),
    numbered(orders, ({ postings }) => postings),
    numbered(orders, ({ eventId, historyId, createdData, failedData, firstAttemptAt }) => [
      { id: eventId, history_id: historyId, created: createdData, failed: failedData, due_at: firstAttemptAt },
    ]),
  ]);
  if (rows.length !== orders.length) throw new Error('the placing function returned no fate for an order');
  rows.forEach((row, index) => {
    const total = pence(orders[index]?.totalPence ?? 0);
    if (row.fate === 'placed') {
      countCharged(db, { fromBalancePence: pence(row.from_balance), soldPence: total, paid: row.is_paid });
    }
  });
  return rows;
}

/** The rows of all orders as JSON, each with the number of its order, from 1. */
function numbered(orders: readonly NewOrder[], rowsOf: (order: NewOrder) => readonly object[]): string {
  return JSON.stringify(orders.flatMap((order, index) => rowsOf(order).map((row) => ({ n: index + 1, ...row }))));
}
