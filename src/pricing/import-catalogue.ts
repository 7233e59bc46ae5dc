import type { BaseProductEntry } from '../catalogue/document.ts';
import {
  findMovedSkus,
  loadCatalogue,
  lockVersions,
  saveBaseProducts,
  saveStations,
  saveVersions,
} from '../catalogue/sql.ts';
import type { Context } from '../lib/context.ts';
import { validationFailed } from '../lib/errors.ts';
import { readImportDocument } from './import-document.ts';
import { insertPriceBook } from './sql.ts';

export type ImportReport = {
  readonly baseProducts: number;
  readonly variants: number;
  readonly priceBookVersion: number;
};

/**
 * Imports a catalogue file, all or nothing, in one transaction.
 * The file has base products, variants, print areas, methods and prices. What it leaves out is kept for placed orders
 * and offered no more. Throws 422 with every problem of the file.
 */
export async function importCatalogue(
  ctx: Pick<Context, 'database' | 'clock'>,
  document: unknown,
): Promise<ImportReport> {
  const read = readImportDocument(document);
  if (read.kind === 'refused') throw validationFailed(read.problems);
  const { catalogue, priceBook } = read.value;
  const now = ctx.clock.now();
  return ctx.database.transaction(async (tx) => {
    const versions = await lockVersions(tx);
    const variants = catalogue.base_products.flatMap((entry) =>
      entry.variants.map((variant) => ({ sku: variant.sku, masterSku: entry.master_sku })),
    );
    const moved = await findMovedSkus(tx, variants);
    if (moved.length > 0) {
      throw validationFailed(
        moved.map(({ sku, masterSku }) => ({
          path: 'base_products',
          code: 'sku_moved',
          message: `${sku} belongs to ${masterSku} already; a SKU stays with its base product.`,
        })),
      );
    }
    const before = await loadCatalogue(tx);
    const known = new Map(before.base_products.map(({ document: entry }) => [entry.master_sku, entry]));
    const entries = catalogue.base_products.map((entry) => withFormerVariants(entry, known.get(entry.master_sku)));
    await saveBaseProducts(tx, entries, now);
    await saveStations(tx, catalogue.stations ?? []);
    await insertPriceBook(tx, priceBook, now);
    const next = {
      catalogueVersion: versions.catalogueVersion + 1,
      priceBookVersion: versions.priceBookVersion + 1,
    };
    await saveVersions(tx, next, catalogue.methods);
    return {
      baseProducts: entries.length,
      variants: variants.length,
      priceBookVersion: next.priceBookVersion,
    };
  });
}

/**
 * Keeps the variants that a new file leaves out, as inactive ones.
 * Products and orders show their colour and size.
 */
function withFormerVariants(entry: BaseProductEntry, former: BaseProductEntry | undefined): BaseProductEntry {
  const skus = new Set(entry.variants.map((variant) => variant.sku));
  const dropped = (former?.variants ?? []).filter((variant) => !skus.has(variant.sku));
  return { ...entry, variants: [...entry.variants, ...dropped.map((variant) => ({ ...variant, active: false }))] };
}
