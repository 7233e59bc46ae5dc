import type { Caller } from '../../lib/caller.ts';
import { notFound, unavailable, validationFailed } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { CHECKS_MAX } from '../create-product.ts';
import { readTemplate } from '../personalisation-template.ts';
import type { ProductsContext } from '../read-products.ts';
import { readCatalogueVersion } from '../sql.ts';
import { getTemplate } from './read-templates.ts';
import { lockDraft, pictureProblems, refuseOtherDraft } from './save-template.ts';
import type { Template } from './template-schema.ts';
import { publishDraft } from './template-sql.ts';
import { baseOf } from './template-view.ts';

/**
 * Publishes the draft of a personalised product: orders from now on are read by it.
 * Placed orders keep what they were placed with, since their print files have recipes of their own. A repeat, or a
 * draft that is as published, changes nothing. Throws 404, 409 when the product is archived or its draft was changed
 * since the version that was sent, and 422 with all that is wrong with it. Locks the product, then the pictures.
 */
export async function publishTemplate(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
  version: number,
): Promise<Template> {
  const { accountId } = caller;
  const id = parseId('prod', publicProductId);
  if (id === undefined) throw notFound();
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const catalogue = await ctx.catalogue.latest();
    const isDone = await ctx.database.transaction(async (tx) => {
      const locked = await lockDraft(tx, accountId, id);
      if (locked.template_draft === null) return true;
      refuseOtherDraft(locked, version);
      if ((await readCatalogueVersion(tx)) !== catalogue.catalogueVersion) return false;
      const read = readTemplate(locked.template_draft, baseOf(catalogue, locked).entry.print_areas, 'template');
      if (read.kind === 'refused') throw validationFailed(read.problems);
      const now = ctx.clock.now();
      const problems = await pictureProblems(tx, accountId, read.value, now);
      if (problems.length > 0) throw validationFailed(problems);
      await publishDraft(tx, accountId, id, now);
      return true;
    });
    if (isDone) return getTemplate(ctx, caller, publicProductId);
  }
  throw unavailable('The catalogue changed while this was being published. Nothing was published. Send it again.');
}
