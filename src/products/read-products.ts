import type { ArtworkContext } from '../artwork/context.ts';
import type { CatalogueCache } from '../catalogue/reference.ts';
import type { Caller } from '../lib/caller.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { readProductRows } from './designer/designer-sql.ts';
import { personalisationView } from './personalisation-view.ts';
import type { ListProductsQuery, Personalisation, Product } from './schema.ts';
import { findProduct, listProductRows, type ProductRow } from './sql.ts';
import { productView } from './view.ts';

/** What the product use cases need: outbound calls, artwork and the catalogue in memory. */
export type ProductsContext = ArtworkContext & { readonly catalogue: CatalogueCache };

/**
 * One product, archived ones included (decisions).
 * Throws the same 404 for an unknown product and for another account's.
 */
export async function getProduct(ctx: ProductsContext, caller: Caller, publicProductId: string): Promise<Product> {
  const row = await readOwnProduct(ctx, caller, publicProductId);
  return productView(ctx, await ctx.catalogue.latest(), row);
}

/**
 * What a buyer can fill in of a product (decisions, addition 6).
 * Empty for a product that is not personalised: the caller asks which inputs to gather, and there are none. Throws the
 * same 404 for an unknown product and for another account's.
 */
export async function getPersonalisation(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
): Promise<Personalisation> {
  const { personalisation } = await readOwnProduct(ctx, caller, publicProductId);
  return personalisationView(ctx, personalisation);
}

/**
 * One product as it is stored, archived ones included.
 * Throws the same 404 for an unknown product and for another account's.
 */
export async function readOwnProduct(
  ctx: Pick<ProductsContext, 'database'>,
  caller: Caller,
  publicProductId: string,
): Promise<ProductRow> {
  const id = parseId('prod', publicProductId);
  const row = id === undefined ? undefined : await findProduct(ctx.database, caller.accountId, id);
  if (row === undefined) throw notFound();
  return row;
}

/** Some products of an account by their ids, archived ones included; never another account's. */
export async function readProductsOf(
  { database }: Pick<ProductsContext, 'database'>,
  accountId: Uuid,
  ids: readonly Uuid[],
): Promise<ProductRow[]> {
  return readProductRows(database, accountId, ids);
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
