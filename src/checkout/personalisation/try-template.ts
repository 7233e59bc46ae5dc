import type { Caller } from '../../lib/caller.ts';
import { validationFailed } from '../../lib/errors.ts';
import { readTemplate } from '../../products/personalisation-template.ts';
import { readOwnTemplate } from '../../products/template/read-templates.ts';
import { baseOf, draftOf } from '../../products/template/template-view.ts';
import { type PreviewContext, type PreviewRequest, previewProduct } from './preview-personalisation.ts';
import type { PersonalisationPreview } from './preview-schema.ts';

/**
 * Draws what would be printed for some inputs if the draft of a template were published now.
 * By the code that places orders, as `previewPersonalisation`. Throws 404, 422 with all that publishing would refuse,
 * 422 for the inputs, and 503 when it has no turn in time.
 */
export async function tryTemplate(
  ctx: PreviewContext,
  caller: Caller,
  publicProductId: string,
  request: PreviewRequest,
): Promise<PersonalisationPreview> {
  const row = await readOwnTemplate(ctx, caller, publicProductId);
  const base = baseOf(await ctx.catalogue.latest(), row);
  const read = readTemplate(draftOf(row), base.entry.print_areas, 'template');
  if (read.kind === 'refused') throw validationFailed(read.problems);
  // An unpublished one is tried as it would be then, without the warning of a draft.
  const status = row.status === 'draft' ? 'active' : row.status;
  return previewProduct(ctx, caller, { ...row, status, personalisation: read.value }, request);
}
