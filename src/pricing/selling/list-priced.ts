import type { Caller } from '../../lib/caller.ts';
import { toPounds } from '../../lib/money.ts';
import type { Page } from '../../lib/paging.ts';
import type { GarmentSummary } from '../../products/designer/designer-schema.ts';
import { pageOfGarments } from '../../products/designer/garments.ts';
import { pageOfGallery } from '../../products/designer/read-designed.ts';
import type { ProductsContext } from '../../products/read-products.ts';
import type { PricingContext } from '../read-prices.ts';
import { bookAt, type CompiledBook } from '../reference.ts';
import type { GalleryPage, ListGalleryQuery, ListGarmentsQuery } from './selling-schema.ts';
import { findProductPrices, type PrintedAt, unitPriceOf } from './unit-prices.ts';

/** The garments on offer, newest first, each with the price of its cheapest blank. */
export async function listGarments(ctx: PricingContext, query: ListGarmentsQuery): Promise<Page<GarmentSummary>> {
  const book = await presentBook(ctx);
  return pageOfGarments(ctx, query, ({ variants }) =>
    cheapest(
      book,
      variants.filter(({ active }) => active).map(({ entry }) => entry.sku),
      [],
    ),
  );
}

/**
 * The products of the account, newest first, each with the price of its cheapest variant.
 * That is a price with all of its prints. What a personalised piece costs depends on what its buyer fills in, so it
 * has none.
 */
export async function listGallery(
  ctx: PricingContext & ProductsContext,
  caller: Caller,
  query: ListGalleryQuery,
): Promise<GalleryPage> {
  const book = await presentBook(ctx);
  const { data, ...page } = await pageOfGallery(ctx, caller, query);
  const priced = data.map((product) => {
    const skus = product.variants.filter(({ active }) => active).map(({ blank_variant_sku: sku }) => sku);
    return { ...product, price_from: product.personalised ? null : cheapest(book, skus, product.print_areas) };
  });
  return { ...page, data: priced };
}

async function presentBook(ctx: PricingContext): Promise<CompiledBook> {
  return bookAt((await ctx.prices.latest()).pricing, ctx.clock.now());
}

function cheapest(book: CompiledBook, skus: readonly string[], prints: readonly PrintedAt[]): number | null {
  const { lines, problems } = findProductPrices(book, skus, prints);
  const isPriced = lines.length > 0 && problems.length === 0;
  return isPriced ? Math.min(...lines.map((found) => toPounds(unitPriceOf(found, 1)))) : null;
}
