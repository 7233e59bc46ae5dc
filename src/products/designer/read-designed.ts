import type { CatalogueReference } from '../../catalogue/reference.ts';
import type { Caller } from '../../lib/caller.ts';
import { parseId, publicId } from '../../lib/ids.ts';
import { PAGE_LIMIT_DEFAULT, type Page } from '../../lib/paging.ts';
import { type ProductsContext, readOwnProduct } from '../read-products.ts';
import type { Product } from '../schema.ts';
import type { ProductStatus } from '../sql.ts';
import { productView } from '../view.ts';
import { designedView } from './designed-view.ts';
import type { DesignedProduct } from './designer-schema.ts';
import { findGalleryIds, type GalleryWord, readProductRows } from './designer-sql.ts';

/** One product with its designs, archived or not. Throws 404 for an unknown and another account's. */
export async function getDesignedProduct(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
): Promise<DesignedProduct> {
  const row = await readOwnProduct(ctx, caller, publicProductId);
  return designedView(ctx, await ctx.catalogue.latest(), row);
}

/** What narrows the gallery. */
export type GalleryQuery = {
  readonly status?: ProductStatus | undefined;
  readonly kind?: 'fixed' | 'personalised' | undefined;
  readonly q?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
};

/**
 * A page of the account's products, newest first; without a status, of those that are not archived.
 * A page looks at a bounded number of products, so one that is narrowed can have fewer than others follow.
 */
export async function pageOfGallery(
  ctx: ProductsContext,
  { accountId }: Pick<Caller, 'accountId'>,
  query: GalleryQuery,
): Promise<Page<Product>> {
  const limit = query.limit === undefined ? PAGE_LIMIT_DEFAULT : Number(query.limit);
  const catalogue = await ctx.catalogue.latest();
  const { ids, last_seen: lastSeen } = await findGalleryIds(ctx.database, accountId, {
    status: query.status ?? null,
    personalised: query.kind === undefined ? null : query.kind === 'personalised',
    words: wordsOf(query.q ?? '', catalogue),
    before: query.cursor === undefined ? null : (parseId('prod', query.cursor) ?? null),
    limit: limit + 1,
  });
  const shown = ids.slice(0, limit);
  const next = ids.length > limit ? shown.at(-1) : lastSeen;
  const rows = await readProductRows(ctx.database, accountId, shown);
  return {
    data: rows.map((row) => productView(ctx, catalogue, row)),
    has_more: next !== null && next !== undefined,
    next_cursor: next === null || next === undefined ? null : publicId('prod', next),
  };
}

function wordsOf(text: string, { baseProducts }: CatalogueReference): GalleryWord[] {
  const words = new Set(text.toLowerCase().split(/\s+/));
  words.delete('');
  return [...words].map((word) => ({
    word,
    bases: baseProducts.flatMap(({ id, entry }) => (entry.title.toLowerCase().includes(word) ? [id] : [])),
  }));
}
