import { type ArtworkRequest, ingestArtwork } from '../../artwork/ingest.ts';
import { artworkView } from '../../artwork/preflight/artwork-view.ts';
import { colourRemarks } from '../../artwork/preflight/preflight.ts';
import { pictureUrl } from '../../artwork/proof/proof-url.ts';
import type { Caller } from '../../lib/caller.ts';
import { validationFailed } from '../../lib/errors.ts';
import type { ProductsContext } from '../read-products.ts';
import type { TakeDesignBody, TakenDesign } from './designer-schema.ts';

/** What a design is shown at while it is placed. */
export const DESIGN_PX = 800;

/**
 * Takes artwork in before there is a product of it, so that it can be placed and looked at.
 * It is fetched, checked and stored as that of a product is (spec 4.4 rule 3), and becomes a design of the account. One
 * that no product has by then is deleted with unused bytes, a day after its last use. Throws 422.
 */
export async function takeDesign(
  ctx: ProductsContext,
  caller: Caller,
  { artwork_url: url }: TakeDesignBody,
  signal: AbortSignal,
): Promise<TakenDesign> {
  const request: ArtworkRequest = { url, path: 'artwork_url' };
  const intake = await ingestArtwork(ctx, caller.accountId, [request], signal);
  try {
    const picture = intake.pictures.get(url);
    if (picture === undefined) throw validationFailed(intake.problems);
    await intake.keep();
    const { hash, report } = picture;
    const { sha256, ...facts } = artworkView({ ...report, hash });
    const { secrets, config, clock } = ctx;
    const remarks = colourRemarks(report, undefined);
    return {
      design: sha256,
      ...facts,
      picture_url: pictureUrl(secrets, config.baseUrl, { hash, widthPx: DESIGN_PX }, clock.now()),
      warnings: remarks.map(({ code, message }) => ({ code, path: 'artwork_url', message })),
    };
  } finally {
    await intake.discard();
  }
}
