import type { Caller } from '../../lib/caller.ts';
import { ApiError, notFound } from '../../lib/errors.ts';
import { newId, parseId } from '../../lib/ids.ts';
import type { ProductsContext } from '../read-products.ts';
import { NAME_MAX } from '../schema.ts';
import { findProduct, insertProduct, lockProduct } from '../sql.ts';
import { NOTHING } from '../template/create-template.ts';
import { beginTemplate, findTemplate } from '../template/template-sql.ts';
import { draftOf } from '../template/template-view.ts';
import { designedView } from './designed-view.ts';
import type { DesignedProduct } from './designer-schema.ts';

const OF_COPY = ' (copy)';

/**
 * Makes a draft like a product of the account, archived or not, with its designs and prices.
 * A personalised one has the draft of the template, and is ordered by it once it is published itself. The product is
 * locked meanwhile, so that its designs stay its own until the copy has them. Throws 404, and 409 when nothing of it
 * can be ordered any more.
 */
export async function duplicateProduct(
  ctx: ProductsContext,
  { accountId }: Caller,
  publicProductId: string,
): Promise<DesignedProduct> {
  const id = parseId('prod', publicProductId);
  if (id === undefined) throw notFound();
  const catalogue = await ctx.catalogue.latest();
  const now = ctx.clock.now();
  const copy = await ctx.database.transaction(async (tx) => {
    if ((await lockProduct(tx, accountId, id)) === undefined) throw notFound();
    const row = await findProduct(tx, accountId, id);
    if (row === undefined) throw new Error('a locked product is not there');
    const variants = row.variants.filter(
      ({ sku, active }) => active && catalogue.bySku.get(sku)?.variant.active === true,
    );
    if (variants.length === 0) {
      throw new ApiError('conflict', 'None of its variants is on offer any more. Create a product of another garment.');
    }
    const copyId = newId(now.getTime());
    const template = await findTemplate(tx, accountId, id);
    await insertProduct(tx, {
      id: copyId,
      accountId,
      baseProductId: row.base_product_id,
      // By code points, in which the length of a name is counted.
      name:
        Array.from(row.name)
          .slice(0, NAME_MAX - OF_COPY.length)
          .join('') + OF_COPY,
      description: row.description,
      status: 'draft',
      tags: row.tags,
      retailPricePence: row.retail_price_pence,
      mockupHash: row.mockup_hash,
      personalisation: template === undefined ? null : NOTHING,
      areas: row.areas.map(({ width_px: _width, height_px: _height, ...area }) => area),
      variants: variants.map(({ sku, retail_price_pence: own }) => ({
        id: newId(now.getTime()),
        sku,
        retailPricePence: own,
      })),
      now,
    });
    if (template !== undefined) await beginTemplate(tx, accountId, copyId, draftOf(template));
    return findProduct(tx, accountId, copyId);
  });
  if (copy === undefined) throw new Error('a product is not there right after its writing');
  return designedView(ctx, catalogue, copy);
}
