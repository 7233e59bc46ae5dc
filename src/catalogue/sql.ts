import { type Db, statement } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import type { BaseProductEntry, CatalogueDocument } from './document.ts';

export type CatalogueVersions = { catalogueVersion: number; priceBookVersion: number };

type VersionsRow = { catalogue_version: number; price_book_version: number };

const VERSIONS = statement<VersionsRow>(
  'catalogue_versions',
  'select catalogue_version, price_book_version from catalogue_state',
);

/** The versions of the catalogue and the price book that prices are computed from now. */
export async function readVersions(db: Db): Promise<CatalogueVersions> {
  return versionsOf(await db.one(VERSIONS, []));
}

// An import takes this lock first, so concurrent imports run one after another.
const LOCK_STATE = statement<VersionsRow>(
  'catalogue_lock_state',
  'select catalogue_version, price_book_version from catalogue_state for update',
);

/** Locks the versions' row until the transaction ends, and reads it. */
export async function lockVersions(db: Db): Promise<CatalogueVersions> {
  return versionsOf(await db.one(LOCK_STATE, []));
}

const SAVE_STATE = statement<never>(
  'catalogue_save_state',
  'update catalogue_state set catalogue_version = $1, price_book_version = $2, methods = $3',
);

/** Writes the versions after an import, and the methods with them. */
export async function saveVersions(
  db: Db,
  versions: CatalogueVersions,
  methods: CatalogueDocument['methods'],
): Promise<void> {
  await db.all(SAVE_STATE, [versions.catalogueVersion, versions.priceBookVersion, JSON.stringify(methods)]);
}

const SAVE_STATIONS = statement<never>(
  'catalogue_save_stations',
  `with file as (
     select * from json_to_recordset($1::json) as f(station text, title text, methods json)
   ),
   dropped as (
     delete from station where id not in (select station from file)
   )
   insert into station (id, title, methods)
   select station, title, array(select json_array_elements_text(methods)) from file
   on conflict (id) do update set title = excluded.title, methods = excluded.methods`,
);

/**
 * Replaces the stations by those of a checked file.
 * Print jobs that are routed already stay where they are.
 */
export async function saveStations(
  db: Db,
  stations: readonly { station: string; title: string; methods: readonly string[] }[],
): Promise<void> {
  await db.all(SAVE_STATIONS, [JSON.stringify(stations)]);
}

function versionsOf(row: VersionsRow | undefined): CatalogueVersions {
  if (row === undefined) throw new Error('catalogue_state has lost its row');
  return { catalogueVersion: row.catalogue_version, priceBookVersion: row.price_book_version };
}

const SKUS_ELSEWHERE = statement<{ sku: string; master_sku: string }>(
  'catalogue_skus_elsewhere',
  `select v.sku, b.master_sku
   from json_to_recordset($1::json) as f(sku text, master_sku text)
   join blank_variant v on v.sku = f.sku join base_product b on b.id = v.base_product_id
   where b.master_sku <> f.master_sku
   order by v.sku limit 100`,
);

/** The variants of a file that the database has under another base product: a SKU never moves. */
export async function findMovedSkus(
  db: Db,
  variants: readonly { sku: string; masterSku: string }[],
): Promise<{ sku: string; masterSku: string }[]> {
  const json = JSON.stringify(variants.map(({ sku, masterSku }) => ({ sku, master_sku: masterSku })));
  return (await db.all(SKUS_ELSEWHERE, [json])).map((row) => ({ sku: row.sku, masterSku: row.master_sku }));
}

// Rows that the file leaves out stay, since products and placed orders refer to them, but become inactive.
const SAVE_BASE_PRODUCTS = statement<never>(
  'catalogue_save_base_products',
  `with file as (
     select * from json_to_recordset($1::json) as f(id uuid, master_sku text, document jsonb)
   ),
   dropped as (
     update base_product set active = false
     where active and master_sku not in (select master_sku from file)
   )
   insert into base_product (id, master_sku, active, document)
   select id, master_sku, true, document from file
   on conflict (master_sku) do update set active = true, document = excluded.document`,
);

const SAVE_VARIANTS = statement<never>(
  'catalogue_save_variants',
  `with file as (
     select f.id, f.sku, f.active, b.id as base_product_id
     from json_to_recordset($1::json) as f(id uuid, sku text, active boolean, master_sku text)
     join base_product b on b.master_sku = f.master_sku
   ),
   dropped as (
     update blank_variant set active = false where active and sku not in (select sku from file)
   ),
   saved as (
     insert into blank_variant (id, base_product_id, sku, active)
     select id, base_product_id, sku, active from file
     on conflict (sku) do update set active = excluded.active
     returning sku
   )
   insert into stock (sku, updated_at) select sku, $2 from saved
   on conflict (sku) do nothing`,
);

/**
 * Writes base products and variants of a checked file; those it leaves out become inactive.
 * Ids stay the same over imports.
 */
export async function saveBaseProducts(db: Db, entries: readonly BaseProductEntry[], now: Date): Promise<void> {
  const products = entries.map((entry) => ({ id: newId(), master_sku: entry.master_sku, document: entry }));
  const variants = entries.flatMap((entry) =>
    entry.variants.map((variant) => ({
      id: newId(),
      sku: variant.sku,
      active: variant.active ?? true,
      master_sku: entry.master_sku,
    })),
  );
  await db.all(SAVE_BASE_PRODUCTS, [JSON.stringify(products)]);
  await db.all(SAVE_VARIANTS, [JSON.stringify(variants), now]);
}

export type CatalogueRow = {
  catalogue_version: number;
  price_book_version: number;
  methods: CatalogueDocument['methods'];
  base_products: { id: Uuid; active: boolean; document: BaseProductEntry; variant_ids: Record<string, Uuid> }[];
};

// One statement, so that versions and content belong together.
const LOAD = statement<CatalogueRow>(
  'catalogue_load',
  `select s.catalogue_version, s.price_book_version, s.methods,
     coalesce((
       select json_agg(json_build_object('id', b.id, 'active', b.active, 'document', b.document, 'variant_ids',
         (select json_object_agg(v.sku, v.id) from blank_variant v where v.base_product_id = b.id)) order by b.id desc)
       from base_product b
     ), '[]') as base_products
   from catalogue_state s`,
);

/**
 * The whole catalogue with its versions.
 * It is bounded by the import's limits, and read only when a version changed.
 */
export async function loadCatalogue(db: Db): Promise<CatalogueRow> {
  const row = await db.one(LOAD, []);
  if (row === undefined) throw new Error('catalogue_state has lost its row');
  return row;
}

export type StockRow = { sku: string; available: number; updated_at: Date };

// In the order of code points, in which the code compares the cursor, whatever the database's collation.
const STOCK_OF = statement<StockRow>(
  'catalogue_stock_of',
  `select sku, greatest(on_hand - allocated, 0) as available, updated_at from stock
   where sku = any($1::text[]) order by sku collate "C"`,
);

/** The available pieces of some variants; unknown SKUs have no row. */
export async function readStock(db: Db, skus: readonly string[]): Promise<StockRow[]> {
  return db.all(STOCK_OF, [skus]);
}

const STOCK_PAGE = statement<StockRow>(
  'catalogue_stock_page',
  `select sku, greatest(on_hand - allocated, 0) as available, updated_at from stock
   where sku > coalesce($1::text, '') order by sku limit $2`,
);

/** A page of the stock list in the order of SKUs, from after `afterSku`. */
export async function readStockPage(db: Db, afterSku: string | null, limit: number): Promise<StockRow[]> {
  return db.all(STOCK_PAGE, [afterSku, limit]);
}

const COUNT = statement<{ sku: string }>(
  'catalogue_count_stock',
  `with before as (select sku, on_hand from stock where sku = $1 for update),
   counted as (
     update stock s set on_hand = $2, updated_at = $5 from before b where s.sku = b.sku returning s.sku
   )
   insert into stock_movement (sku, kind, quantity, reason, actor, created_at)
   select b.sku, 'count', $2 - b.on_hand, $3, $4, $5 from before b join counted c on c.sku = b.sku
   returning sku`,
);

/**
 * Sets what was counted on the shelf; false for an unknown SKU.
 * The difference is recorded as a movement.
 */
export async function recordCount(
  db: Db,
  count: { sku: string; onHand: number; reason: string; actor: string; now: Date },
): Promise<boolean> {
  const rows = await db.all(COUNT, [count.sku, count.onHand, count.reason, count.actor, count.now]);
  return rows.length > 0;
}
