import type { ArtworkContext } from '../artwork/context.ts';
import type { FetchedImage } from '../artwork/fetch-image.ts';
import { type Intake, ingestArtwork } from '../artwork/ingest.ts';
import { placeArtwork } from '../artwork/place.ts';
import { positionOf } from '../artwork/recipe.ts';
import type { BaseProduct } from '../catalogue/reference.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { artworkRequestsOf, type ProductRequest } from './product-request.ts';
import type { NewProduct } from './sql.ts';

export type DesignedArea = NewProduct['areas'][number];

/**
 * Fetches and checks every artwork and mockup address of a body (spec 4.4 rule 3).
 * The checks are those of an order's artwork. Throws 422 with all failures. Nothing is stored until `keep`; the caller
 * must end with `discard`.
 */
export async function ingestDesigns(ctx: ArtworkContext, body: ProductRequest, signal: AbortSignal): Promise<Intake> {
  const intake = await ingestArtwork(ctx, artworkRequestsOf(body), signal);
  if (intake.problems.length === 0) return intake;
  await intake.discard();
  throw validationFailed(intake.problems);
}

/**
 * The decorated areas of a body whose artwork is ingested, in the order sent.
 * Undefined when the body has no `decoration`. Throws 422 for artwork of which nothing would lie on its print area: it
 * would be billed as a print.
 */
export function designedAreas(
  base: BaseProduct,
  { decoration }: ProductRequest,
  intake: Intake,
): DesignedArea[] | undefined {
  if (decoration === undefined) return undefined;
  const problems: Problem[] = [];
  const areas = decoration.areas.map(({ print_area, method, artwork_url: url, position: asked }, index) => {
    const { hash, report } = pictureOf(intake, url);
    const template = base.areas.get(print_area);
    if (template === undefined) throw new Error(`decoration.areas[${index}] was not resolved`);
    const position = positionOf(asked);
    const canvas = { widthPx: template.width_px, heightPx: template.height_px };
    if (placeArtwork(report, canvas, position).kind === 'nothing') {
      const message = 'Nothing of the artwork would lie on the print area. 0.5, 0.5 is its middle.';
      problems.push({ path: `decoration.areas[${index}].position`, code: 'outside_print_area', message });
    }
    return { print_area, method, design_hash: hash, ...position };
  });
  if (problems.length > 0) throw validationFailed(problems);
  return areas;
}

/** The hash of the mockup that a body names; null for none, undefined when the member is left out. */
export function mockupHashOf({ mockup_url: url }: ProductRequest, intake: Intake): string | null | undefined {
  return typeof url === 'string' ? pictureOf(intake, url).hash : url;
}

function pictureOf(intake: Intake, url: string): FetchedImage {
  const picture = intake.pictures.get(url);
  if (picture === undefined) throw new Error('a picture of a product was not taken in');
  return picture;
}
