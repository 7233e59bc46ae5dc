import type { Database } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { BaseProductEntry, CatalogueDocument } from './document.ts';
import { type CatalogueVersions, loadCatalogue, readVersions } from './sql.ts';

export type BlankVariant = {
  readonly id: Uuid;
  readonly entry: BaseProductEntry['variants'][number];
  readonly active: boolean;
};

export type BaseProduct = {
  readonly id: Uuid;
  readonly active: boolean;
  readonly entry: BaseProductEntry;
  readonly variants: readonly BlankVariant[];
  readonly areas: ReadonlyMap<string, BaseProductEntry['print_areas'][number]>;
};

/** The catalogue in memory: whole, immutable, of one version. */
export type CatalogueReference = CatalogueVersions & {
  readonly methods: CatalogueDocument['methods'];
  /** Newest first, those no longer offered included. */
  readonly baseProducts: readonly BaseProduct[];
  readonly byId: ReadonlyMap<Uuid, BaseProduct>;
  readonly bySku: ReadonlyMap<string, { readonly baseProduct: BaseProduct; readonly variant: BlankVariant }>;
};

/** Below this a print shows its pixels at reading distance. */
const MIN_DPI = 150;

/** The least dots per inch that a method prints well, as the catalogue states it. */
export function minDpiOf({ methods }: Pick<CatalogueReference, 'methods'>, method: string | undefined): number {
  return methods.find((entry) => entry.method === method)?.min_dpi ?? MIN_DPI;
}

export type CatalogueCache = {
  /** The current catalogue: reads the versions, and the content only if they changed. */
  readonly latest: () => Promise<CatalogueReference>;
  /** The catalogue of these versions, or the current one when those are not in memory. */
  readonly matching: (versions: CatalogueVersions) => Promise<CatalogueReference>;
};

/**
 * Keeps the catalogue in memory.
 * The cached content is trusted only if its versions equal those just read from the database.
 */
export function createCatalogueCache(database: Database): CatalogueCache {
  let current: CatalogueReference | undefined;
  let loading: Promise<CatalogueReference> | undefined;
  const load = (): Promise<CatalogueReference> => {
    loading ??= readReference(database)
      .then((reference) => {
        current = reference;
        return reference;
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
  const matching = async (versions: CatalogueVersions): Promise<CatalogueReference> => {
    if (current !== undefined && sameVersions(current, versions)) return current;
    const loaded = await load();
    // A load that began before the versions changed is older than they are, so the catalogue is loaded once more.
    return sameVersions(loaded, versions) ? loaded : load();
  };
  return { matching, latest: async () => matching(await readVersions(database)) };
}

/** Whether two pairs of versions name the same catalogue and price book. */
function sameVersions(a: CatalogueVersions, b: CatalogueVersions): boolean {
  return a.catalogueVersion === b.catalogueVersion && a.priceBookVersion === b.priceBookVersion;
}

async function readReference(database: Database): Promise<CatalogueReference> {
  const row = await loadCatalogue(database);
  const baseProducts = row.base_products.map(({ id, active, document, variant_ids: variantIds }): BaseProduct => {
    const variants = document.variants.map((entry) => {
      const variantId = variantIds[entry.sku];
      if (variantId === undefined) throw new Error(`variant ${entry.sku} of ${document.master_sku} has no row`);
      return { id: variantId, entry, active: active && (entry.active ?? true) };
    });
    const areas = new Map(document.print_areas.map((area) => [area.print_area, area]));
    return { id, active, entry: document, variants, areas };
  });
  return {
    catalogueVersion: row.catalogue_version,
    priceBookVersion: row.price_book_version,
    methods: row.methods,
    baseProducts,
    byId: new Map(baseProducts.map((baseProduct) => [baseProduct.id, baseProduct])),
    bySku: new Map(
      baseProducts.flatMap((baseProduct) =>
        baseProduct.variants.map((variant) => [variant.entry.sku, { baseProduct, variant }] as const),
      ),
    ),
  };
}
