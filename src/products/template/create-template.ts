import { findOfferedBase, unknownBaseProblem } from '../../catalogue/resolve-names.ts';
import type { Caller } from '../../lib/caller.ts';
import { unavailable, validationFailed } from '../../lib/errors.ts';
import { newId, publicId } from '../../lib/ids.ts';
import { CHECKS_MAX } from '../create-product.ts';
import type { PersonalisationTemplate } from '../personalisation-template.ts';
import type { ProductsContext } from '../read-products.ts';
import { resolveProblems } from '../resolve-product.ts';
import { insertProduct, readCatalogueVersion } from '../sql.ts';
import { getTemplate } from './read-templates.ts';
import type { CreateTemplateBody, Template } from './template-schema.ts';
import { beginTemplate } from './template-sql.ts';

/** What an unpublished product is ordered by: nothing can be filled in. */
export const NOTHING: PersonalisationTemplate = { areas: [], layers: [] };

/**
 * Creates a personalised product, a draft without layers on the first print area of its base product.
 * It has the status `draft` until it is published. Throws 422 for names that the catalogue does not have, as the
 * creation of a fixed product does.
 */
export async function createTemplate(
  ctx: ProductsContext,
  caller: Caller,
  body: CreateTemplateBody,
): Promise<Template> {
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const catalogue = await ctx.catalogue.latest();
    const base = findOfferedBase(catalogue, body.base_product_id);
    const problems = resolveProblems(base, body);
    if (base === undefined) throw validationFailed([unknownBaseProblem(body.base_product_id), ...problems]);
    if (problems.length > 0) throw validationFailed(problems);
    const [area] = base.entry.print_areas;
    const [method] = area?.methods ?? [];
    if (area === undefined || method === undefined) throw new Error('a base product has no print area with a method');
    const now = ctx.clock.now();
    const id = newId(now.getTime());
    const { accountId } = caller;
    const isWritten = await ctx.database.transaction(async (tx) => {
      if ((await readCatalogueVersion(tx)) !== catalogue.catalogueVersion) return false;
      await insertProduct(tx, {
        ...{ id, accountId, baseProductId: base.id, name: body.name, description: '', status: 'draft', tags: [] },
        ...{ retailPricePence: null, mockupHash: null, personalisation: NOTHING, areas: [] },
        variants: body.variant_skus.map((sku) => ({ id: newId(now.getTime()), sku })),
        now,
      });
      await beginTemplate(tx, accountId, id, { areas: [{ print_area: area.print_area, method }], layers: [] });
      return true;
    });
    if (isWritten) return getTemplate(ctx, caller, publicId('prod', id));
  }
  throw unavailable('The catalogue changed while this product was being created. Nothing was created. Send it again.');
}
