import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { BaseProduct, CatalogueCache } from './reference.ts';
import type { BaseProductReply, ListBaseProductsQuery, PrintAreaReply, StockQuery, StockReply } from './schema.ts';
import { readStock, readStockPage } from './sql.ts';
import { baseProductView, printAreaViews, stockView } from './view.ts';

export type CatalogueContext = Context & { readonly catalogue: CatalogueCache };

/** A page of the base products on offer, newest first. */
export async function listBaseProducts(
  ctx: CatalogueContext,
  query: ListBaseProductsQuery,
): Promise<Page<BaseProductReply>> {
  const { limit, after } = readPage('bprod', query);
  const { baseProducts } = await ctx.catalogue.latest();
  const rows = baseProducts.filter(({ id, active }) => active && (after === undefined || id < after));
  return toPage(rows.slice(0, limit + 1), limit, baseProductView, (view) => view.id);
}

/** One base product, even one no longer on offer, since products refer to it. */
export async function getBaseProduct(ctx: CatalogueContext, publicBaseProductId: string): Promise<BaseProductReply> {
  return baseProductView(await findBaseProduct(ctx, publicBaseProductId));
}

/** The print areas of a base product, all on one page since they are few. */
export async function listPrintAreas(
  ctx: CatalogueContext,
  publicBaseProductId: string,
): Promise<Page<PrintAreaReply>> {
  const data = printAreaViews(await findBaseProduct(ctx, publicBaseProductId));
  return { data, has_more: false, next_cursor: null };
}

/**
 * What can be ordered now, in the order of SKUs: of the given SKUs, or of all.
 * Unknown SKUs are left out.
 */
export async function listStock(ctx: CatalogueContext, query: StockQuery): Promise<Page<StockReply>> {
  const { limit } = readPage('var', { limit: query.limit });
  const after = query.cursor ?? null;
  if (query.variant_sku === undefined) {
    const rows = await readStockPage(ctx.database, after, limit + 1);
    return toPage(rows, limit, stockView, (view) => view.variant_sku);
  }
  const asked = await readStock(ctx.database, [...new Set(query.variant_sku.split(','))]);
  const rows = asked.filter(({ sku }) => after === null || sku > after);
  return toPage(rows, limit, stockView, (view) => view.variant_sku);
}

/** The base product of a public id. Throws 404 for an unknown one. */
export async function findBaseProduct(ctx: CatalogueContext, publicBaseProductId: string): Promise<BaseProduct> {
  const id: Uuid | undefined = parseId('bprod', publicBaseProductId);
  const found = id === undefined ? undefined : (await ctx.catalogue.latest()).byId.get(id);
  if (found === undefined) throw notFound();
  return found;
}

/** The pieces of some variants that can be ordered now; one without stock of its own is left out. */
export async function readAvailable(
  ctx: CatalogueContext,
  skus: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await readStock(ctx.database, skus);
  return new Map(rows.map(({ sku, available }) => [sku, available]));
}
