import { ingestArtwork } from '../../artwork/ingest.ts';
import { signedUrl } from '../../artwork/signed-url.ts';
import type { Caller } from '../../lib/caller.ts';
import { validationFailed } from '../../lib/errors.ts';
import type { ProductsContext } from '../read-products.ts';
import { readOwnTemplate } from './read-templates.ts';
import type { TemplatePicture } from './template-schema.ts';

/**
 * Takes in a picture for the options of a template, and records it as a design of the account.
 * One that no draft and no template uses within a day is collected. Throws 404, and 422 for what is no picture.
 */
export async function addPicture(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<TemplatePicture> {
  await readOwnTemplate(ctx, caller, publicProductId);
  const intake = await ingestArtwork(ctx, caller.accountId, [{ url, path: 'url' }], signal);
  try {
    const picture = intake.pictures.get(url);
    if (picture === undefined) throw validationFailed(intake.problems);
    await intake.keep();
    const { hash, report } = picture;
    return {
      design: hash,
      image_url: signedUrl(ctx.secrets, ctx.config.baseUrl, hash, ctx.clock.now()),
      width_px: report.widthPx,
      height_px: report.heightPx,
    };
  } finally {
    await intake.discard();
  }
}
