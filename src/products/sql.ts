import type { ImageReport } from '../artwork/inspect.ts';
import { type Db, type SqlValue, statement } from '../lib/db.ts';
import { LAST_ID, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import { type PersonalisationTemplate, TEMPLATES_BYTES_MAX } from './personalisation-template.ts';

export type ProductStatus = 'active' | 'draft' | 'archived';

export type ProductAreaRow = {
  print_area: string;
  method: string;
  /** SHA-256 in hex. */
  design_hash: string;
  x: number;
  y: number;
  scale: number;
  rotation: number;
  /** Of the stored image. */
  width_px: number;
  height_px: number;
};

/** An area with what was found when its image was checked; an early check found less. */
type CheckedAreaRow = ProductAreaRow & { report: Partial<ImageReport> | null };

export type ProductVariantRow = { id: Uuid; sku: string; active: boolean };

/** A variant with the customer's own price for it; null is that of the product. */
type PricedVariantRow = ProductVariantRow & { retail_price_pence: number | null };

/** A product with its decorated areas and offered variants, read in one statement and so of one moment. */
export type ProductRow = {
  id: Uuid;
  base_product_id: Uuid;
  name: string;
  description: string;
  status: ProductStatus;
  tags: string[];
  retail_price_pence: number | null;
  mockup_hash: string | null;
  personalisation: PersonalisationTemplate | null;
  created_at: Date;
  updated_at: Date;
  areas: ProductAreaRow[];
  variants: PricedVariantRow[];
};

const areasSql = (more: string): string => `
  coalesce((
    select json_agg(json_build_object('print_area', a.print_area, 'method', a.method,
      'design_hash', encode(a.design_hash, 'hex'), 'x', a.x, 'y', a.y, 'scale', a.scale, 'rotation', a.rotation,
      'width_px', b.width_px, 'height_px', b.height_px${more}) order by a.ordinal)
    from product_area a join blob b on b.hash = a.design_hash
    where a.account_id = p.account_id and a.product_id = p.id
  ), '[]')`;

const variantSql = (more = ''): string => `json_build_object('id', v.id, 'sku', v.sku, 'active', v.active${more})`;
const OWN_PRICE = ", 'retail_price_pence', v.retail_price_pence";

// jsonb has no dates, so the two times are columns of their own.
/** SQL of the columns of a `ProductRow`, of a product `p`. */
export const PRODUCT_COLUMNS = `
  p.id, p.base_product_id, p.name, p.description, p.status, p.tags, p.retail_price_pence,
  encode(p.mockup_hash, 'hex') as mockup_hash, p.personalisation, p.created_at, p.updated_at,
  ${areasSql('')} as areas,
  coalesce((
    select json_agg(${variantSql(OWN_PRICE)} order by v.ordinal) from product_variant v
    where v.account_id = p.account_id and v.product_id = p.id
  ), '[]') as variants`;

const GET = statement<ProductRow>(
  'products_get',
  `select ${PRODUCT_COLUMNS} from product p where p.account_id = $1 and p.id = $2`,
);

/** One product of an account, archived ones included. */
export async function findProduct(db: Db, accountId: Uuid, id: Uuid): Promise<ProductRow | undefined> {
  return db.one(GET, [accountId, id]);
}

const BY_NAME = statement<{ id: Uuid }>(
  'products_by_name',
  'select id from product where account_id = $1 and name = $2 order by id limit 1',
);

/** The oldest product of a name; the demo finds its own again by it. */
export async function findProductByName(db: Db, accountId: Uuid, name: string): Promise<Uuid | undefined> {
  return (await db.one(BY_NAME, [accountId, name]))?.id;
}

const LIST = statement<ProductRow>(
  'products_list',
  `select ${PRODUCT_COLUMNS} from product p
   where p.account_id = $1 and p.id in (
     select id from product
     where account_id = $1 and status <> 'archived' and id < coalesce($2::uuid, '${LAST_ID}')
     order by id desc limit ${PAGE_ROWS_MAX}
   )
   order by p.id desc limit $3`,
);

/** A page of an account's products, newest first, without the archived ones, from after `before`. */
export async function listProductRows(
  db: Db,
  accountId: Uuid,
  page: { before: Uuid | null; limit: number },
): Promise<ProductRow[]> {
  return db.all(LIST, [accountId, page.before, page.limit]);
}

/**
 * SQL of a sub-query that reads an account's products by their ids.
 * It gives one JSON array of `ProductSnapshot`, for the statement that gathers all that a basket needs. It reads only
 * the variants with the given SKUs: a product may offer hundreds. Templates beyond `TEMPLATES_BYTES_MAX` are left out.
 */
export function productSnapshotsSql(accountId: string, ids: string, skus: string): string {
  return `(
    select coalesce(json_agg(json_build_object('id', p.id, 'base_product_id', p.base_product_id, 'name', p.name,
      'status', p.status, 'is_template_left_out', coalesce(p.template_bytes > ${TEMPLATES_BYTES_MAX}, false),
      'personalisation', case when p.template_bytes <= ${TEMPLATES_BYTES_MAX} then p.personalisation end, 'mockup_hash', encode(p.mockup_hash, 'hex'),
      'areas', ${areasSql(", 'report', b.report")},
      'variants', coalesce((
        select json_agg(${variantSql()}) from product_variant v
        where v.account_id = p.account_id and v.product_id = p.id and v.sku = any(${skus})
      ), '[]'))), '[]')
    from (
      select *, case when personalisation is not null
        then sum(octet_length(personalisation::text)) over (order by id) end as template_bytes
      from product where account_id = ${accountId} and id = any(${ids})
    ) as p
  )`;
}

/** The members of a product that an order needs. */
export type ProductSnapshot = Pick<
  ProductRow,
  'id' | 'base_product_id' | 'name' | 'status' | 'personalisation' | 'mockup_hash'
> & {
  areas: CheckedAreaRow[];
  variants: ProductVariantRow[];
  /** Whether it has a template that is not read, since those of the basket are too large. */
  is_template_left_out: boolean;
};

const OFFERED = statement<{ product_id: Uuid; sku: string }>(
  'products_offered',
  `select v.product_id, v.sku from product_variant v join blank_variant b on b.sku = v.sku
   where v.account_id = $1 and v.product_id = any($2::uuid[]) and v.active and b.active
   order by v.product_id, v.ordinal`,
);

/** The SKUs that some products of an account offer, for a refusal that lists the valid ones. */
export async function readOfferedSkus(
  db: Db,
  accountId: Uuid,
  productIds: readonly Uuid[],
): Promise<{ product_id: Uuid; sku: string }[]> {
  return db.all(OFFERED, [accountId, productIds]);
}

const INSERT = statement<never>(
  'products_insert',
  `with new_product as (
     insert into product (id, account_id, base_product_id, name, description, status, tags, retail_price_pence,
                          mockup_hash, personalisation, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'hex'), $10, $11, $11)
     returning id
   ),
   new_area as (
     insert into product_area (product_id, account_id, ordinal, print_area, method, design_hash, x, y, scale, rotation)
     select n.id, $2, a.ordinal, a.print_area, a.method, decode(a.design_hash, 'hex'), a.x, a.y, a.scale, a.rotation
     from new_product n, json_to_recordset($12::json) as a(ordinal integer, print_area text, method text,
       design_hash text, x double precision, y double precision, scale double precision, rotation double precision)
   )
   insert into product_variant (id, product_id, account_id, ordinal, sku, retail_price_pence)
   select v.id, n.id, $2, v.ordinal, v.sku, v.price
   from new_product n, json_to_recordset($13::json) as v(id uuid, ordinal integer, sku text, price bigint)`,
);

export type NewProduct = {
  id: Uuid;
  accountId: Uuid;
  baseProductId: Uuid;
  name: string;
  description: string;
  status: 'active' | 'draft';
  tags: readonly string[];
  retailPricePence: number | null;
  mockupHash: string | null;
  personalisation: PersonalisationTemplate | null;
  areas: readonly Omit<ProductAreaRow, 'width_px' | 'height_px'>[];
  variants: readonly { id: Uuid; sku: string; retailPricePence?: number | null }[];
  now: Date;
};

/** Writes a product with its areas and variants in one statement. */
export async function insertProduct(db: Db, product: NewProduct): Promise<void> {
  const values: SqlValue[] = [
    product.id,
    product.accountId,
    product.baseProductId,
    product.name,
    product.description,
    product.status,
    product.tags,
    product.retailPricePence,
    product.mockupHash,
    product.personalisation === null ? null : JSON.stringify(product.personalisation),
    product.now,
    JSON.stringify(product.areas.map((area, ordinal) => ({ ...area, ordinal }))),
    JSON.stringify(
      product.variants.map(({ id, sku, retailPricePence: price = null }, ordinal) => ({ id, sku, price, ordinal })),
    ),
  ];
  await db.all(INSERT, values);
}

const CATALOGUE_VERSION = statement<{ catalogue_version: number }>(
  'products_catalogue_version',
  'select catalogue_version from catalogue_state',
);

/** The version of the catalogue as a transaction sees it now. */
export async function readCatalogueVersion(db: Db): Promise<number> {
  const row = await db.one(CATALOGUE_VERSION, []);
  if (row === undefined) throw new Error('catalogue_state has lost its row');
  return row.catalogue_version;
}

type LockedProduct = { status: ProductStatus; personalised: boolean; updated_at: Date };

const LOCK = statement<LockedProduct>(
  'products_lock',
  `select status, personalisation is not null as personalised, updated_at from product
   where account_id = $1 and id = $2 for update`,
);

/** Locks a product of an account until the transaction ends, so that its changes run one by one. */
export async function lockProduct(db: Db, accountId: Uuid, id: Uuid): Promise<LockedProduct | undefined> {
  return db.one(LOCK, [accountId, id]);
}

/** The changes of a product: undefined leaves a member as it is, null clears it. */
export type ProductChange = {
  name: string | undefined;
  description: string | undefined;
  status: 'active' | 'draft' | undefined;
  tags: readonly string[] | undefined;
  retailPricePence: number | null | undefined;
  mockupHash: string | null | undefined;
  areas: NewProduct['areas'] | undefined;
  variants: NewProduct['variants'] | undefined;
  /** By SKU. All of them: one that is not named has the price of the product. */
  retailPrices: Readonly<Record<string, number | null>> | undefined;
};

/**
 * SQL of common table expressions that date the last use of bytes that a product no longer has to now.
 * An order that is being placed may have read the product before, so they are not collected for a day more.
 */
export function lastUseSql(former: string, now: string): string {
  return `${former}_locked as materialized (
     select hash from blob where hash in (select hash from ${former}) order by hash for no key update
   ),
   ${former}_used as (
     update blob b set last_used_at = greatest(b.last_used_at, ${now}::timestamptz) from ${former}_locked l where b.hash = l.hash
   )`;
}

const UPDATE = statement<never>(
  'products_update',
  `with former as materialized (
     select mockup_hash as hash from product where account_id = $1 and id = $2 and $9::boolean
   ),
   ${lastUseSql('former', '$11')}
   update product set
     name = coalesce($3, name), description = coalesce($4, description), status = coalesce($5, status),
     tags = coalesce($6::text[], tags),
     retail_price_pence = case when $7::boolean then $8::bigint else retail_price_pence end,
     mockup_hash = case when $9::boolean then decode($10, 'hex') else mockup_hash end,
     updated_at = $11
   where account_id = $1 and id = $2`,
);

/** Changes the product's own row; its areas and variants are replaced by statements of their own. */
export async function updateProductRow(
  db: Db,
  accountId: Uuid,
  id: Uuid,
  change: Omit<ProductChange, 'areas' | 'variants' | 'retailPrices'> & { now: Date },
): Promise<void> {
  const { retailPricePence, mockupHash } = change;
  await db.all(UPDATE, [
    accountId,
    id,
    change.name ?? null,
    change.description ?? null,
    change.status ?? null,
    change.tags ?? null,
    retailPricePence !== undefined,
    retailPricePence ?? null,
    mockupHash !== undefined,
    mockupHash ?? null,
    change.now,
  ]);
}

const REMOVE_AREAS = statement<never>(
  'products_remove_areas',
  `with former as (
     delete from product_area where account_id = $1 and product_id = $2 returning design_hash as hash
   ),
   ${lastUseSql('former', '$3')}
   select`,
);

const INSERT_AREAS = statement<never>(
  'products_insert_areas',
  `insert into product_area (product_id, account_id, ordinal, print_area, method, design_hash, x, y, scale, rotation)
   select $2, $1, a.ordinal, a.print_area, a.method, decode(a.design_hash, 'hex'), a.x, a.y, a.scale, a.rotation
   from json_to_recordset($3::json) as a(ordinal integer, print_area text, method text, design_hash text,
     x double precision, y double precision, scale double precision, rotation double precision)`,
);

/** Replaces the decoration of a product that the transaction has locked. */
export async function replaceAreas(
  db: Db,
  accountId: Uuid,
  id: Uuid,
  { areas, now }: { areas: NewProduct['areas']; now: Date },
): Promise<void> {
  await db.all(REMOVE_AREAS, [accountId, id, now]);
  await db.all(INSERT_AREAS, [accountId, id, JSON.stringify(areas.map((area, ordinal) => ({ ...area, ordinal })))]);
}

// Variants no longer offered stay for the orders that refer to them, inactive and after the offered ones. An id never
// changes.
const REPLACE_VARIANTS = statement<never>(
  'products_replace_variants',
  `with sent as (select * from json_to_recordset($3::json) as s(id uuid, ordinal integer, sku text)),
   left_out as (
     select id, json_array_length($3::json) - 1 + (row_number() over (order by ordinal, id))::integer as ordinal
     from product_variant where account_id = $1 and product_id = $2 and sku not in (select sku from sent)
   ),
   dropped as (
     update product_variant v set active = false, ordinal = l.ordinal from left_out l where v.account_id = $1 and v.id = l.id
   )
   insert into product_variant (id, product_id, account_id, ordinal, sku)
   select id, $2, $1, ordinal, sku from sent
   on conflict (account_id, product_id, sku) do update set active = true, ordinal = excluded.ordinal`,
);

/**
 * Replaces the offered variants of a product that the transaction has locked, in the order given.
 * Others become inactive; one that was offered before gets back the id it had (spec 3.4).
 */
export async function replaceVariants(
  db: Db,
  accountId: Uuid,
  id: Uuid,
  variants: NewProduct['variants'],
): Promise<void> {
  const sent = JSON.stringify(variants.map(({ id: own, sku }, ordinal) => ({ id: own, sku, ordinal })));
  await db.all(REPLACE_VARIANTS, [accountId, id, sent]);
}

const RETAIL_PRICES = statement<never>(
  'products_retail_prices',
  `update product_variant v set retail_price_pence = ($3::jsonb ->> v.sku)::bigint
   where v.account_id = $1 and v.product_id = $2 and v.retail_price_pence is distinct from ($3::jsonb ->> v.sku)::bigint`,
);

/** Sets the customer's own prices of all variants of a product that the transaction has locked. */
export async function setRetailPrices(
  db: Db,
  accountId: Uuid,
  id: Uuid,
  pricesBySku: Readonly<Record<string, number | null>>,
): Promise<void> {
  await db.all(RETAIL_PRICES, [accountId, id, JSON.stringify(pricesBySku)]);
}

const ARCHIVE = statement<{ known: boolean }>(
  'products_archive',
  `with archived as (
     update product set status = 'archived', updated_at = $3 where account_id = $1 and id = $2 and status <> 'archived'
   )
   select exists (select from product where account_id = $1 and id = $2) as known`,
);

/** Archives a product unless it is archived already; false when the account has no such product. */
export async function archiveProductRow(db: Db, accountId: Uuid, id: Uuid, now: Date): Promise<boolean> {
  return (await db.one(ARCHIVE, [accountId, id, now]))?.known === true;
}
