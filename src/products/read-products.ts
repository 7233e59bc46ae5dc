import type { CatalogueCache } from '../catalogue/reference.ts';
import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { ListProductsQuery, Product } from './schema.ts';
import { findProduct, listProductRows } from './sql.ts';
import { productView } from './view.ts';

export type ProductsContext = Context & { readonly catalogue: CatalogueCache };

/** One product, archived ones included (decisions); unknown and another account's are the same 404. */
export async function getProduct(ctx: ProductsContext, caller: Caller, publicProductId: string): Promise<Product> {
  const id = parseId('prod', publicProductId);
  const row = id === undefined ? undefined : await findProduct(ctx.database, caller.accountId, id);
  if (row === undefined) throw notFound();
  return productView(ctx, await ctx.catalogue.latest(), row);
}

/** A page of the account's products that are not archived, newest first. */
export async function listProducts(
  ctx: ProductsContext,
  caller: Caller,
  query: ListProductsQuery,
): Promise<Page<Product>> {
  const { limit, after } = readPage('prod', query);
  const rows = await listProductRows(ctx.database, caller.accountId, { before: after ?? null, limit: limit + 1 });
  const catalogue = await ctx.catalogue.latest();
  return toPage(
    rows,
    limit,
    (row) => productView(ctx, catalogue, row),
    (product) => product.id,
  );
}
