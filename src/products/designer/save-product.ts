import type { Caller } from '../../lib/caller.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { resolveBase, type WrittenRow, writeNewProduct } from '../create-product.ts';
import { blankProductWarnings, refuseRetailPrices } from '../product-request.ts';
import type { ProductsContext } from '../read-products.ts';
import { prepareChange, writeChange } from '../update-product.ts';
import { designedView } from './designed-view.ts';
import type { DesignProductBody, RedesignProductBody, WrittenDesignedProduct } from './designer-schema.ts';
import { findOwnDesigns } from './own-designs.ts';

/**
 * Creates a product of designs that were taken in, all or nothing.
 * As the public API does (spec 4.4), but for the artwork, which is not fetched again. Throws 422.
 */
export async function designProduct(
  ctx: ProductsContext,
  caller: Caller,
  body: DesignProductBody,
): Promise<WrittenDesignedProduct> {
  refuseRetailPrices(body, body.variant_skus);
  resolveBase(await ctx.catalogue.latest(), body);
  const { artworks } = await findOwnDesigns(ctx, caller, body);
  return written(ctx, await writeNewProduct(ctx, caller, body, artworks));
}

/**
 * Changes what is sent of a product, all or nothing.
 * As the public API does (spec 4.4), but for the artwork. With `seen_at` a change that someone made since is not
 * overwritten. Throws 404, 409 and 422.
 */
export async function redesignProduct(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
  { seen_at: seenAt, ...body }: RedesignProductBody,
): Promise<WrittenDesignedProduct> {
  const id = parseId('prod', publicProductId);
  if (id === undefined) throw notFound();
  const { row } = await prepareChange(ctx, caller, id, body);
  const offered = body.variant_skus ?? row.variants.filter(({ active }) => active).map(({ sku }) => sku);
  refuseRetailPrices(body, offered);
  const { artworks } = await findOwnDesigns(ctx, caller, body);
  return written(ctx, await writeChange(ctx, caller, id, { body, artworks, seenAt }));
}

function written(ctx: ProductsContext, { catalogue, row }: WrittenRow): WrittenDesignedProduct {
  return { ...designedView(ctx, catalogue, row), warnings: blankProductWarnings(row) };
}
