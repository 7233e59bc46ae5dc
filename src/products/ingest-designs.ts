import type { ArtworkContext } from '../artwork/context.ts';
import type { FetchedImage } from '../artwork/fetch-image.ts';
import { type Intake, ingestArtwork } from '../artwork/ingest.ts';
import { placeArtwork, type Size } from '../artwork/place.ts';
import { positionOf } from '../artwork/recipe.ts';
import type { BaseProduct } from '../catalogue/reference.ts';
import type { Caller } from '../lib/caller.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { artworkRequestsOf, type ProductMembers, type ProductRequest } from './product-request.ts';
import type { NewProduct } from './sql.ts';

export type DesignedArea = NewProduct['areas'][number];

/** The pictures of a body that were accepted. */
export type Artworks = {
  /** That of the area at a place of `decoration.areas`. */
  readonly pictureAt: (index: number) => { readonly hash: string; readonly report: Size };
  /** Null for no mockup; undefined when it is left as it is. */
  readonly mockupHash: string | null | undefined;
  /** Has the bytes of all of them in the store, as designs of the account. Idempotent. */
  readonly keep: () => Promise<void>;
};

/** Of a change that says nothing of pictures. */
export const NO_ARTWORKS: Artworks = {
  pictureAt: () => {
    throw new Error('a change without pictures was asked for one');
  },
  mockupHash: undefined,
  keep: async () => {},
};

/**
 * Fetches and checks every artwork and mockup address of a body (spec 4.4 rule 3).
 * The checks are those of an order's artwork. Throws 422 with all failures. Nothing is stored until `keep`; the caller
 * must end with `discard`.
 */
export async function ingestDesigns(
  ctx: ArtworkContext,
  { accountId }: Pick<Caller, 'accountId'>,
  body: ProductRequest,
  signal: AbortSignal,
): Promise<Intake> {
  const intake = await ingestArtwork(ctx, accountId, artworkRequestsOf(body), signal);
  if (intake.problems.length === 0) return intake;
  await intake.discard();
  throw validationFailed(intake.problems);
}

/** The pictures of a body whose addresses were ingested. */
export function artworksOf(body: ProductRequest, intake: Intake): Artworks {
  const { decoration, mockup_url: mockupUrl } = body;
  return {
    pictureAt: (index) => pictureOf(intake, decoration?.areas[index]?.artwork_url ?? ''),
    mockupHash: typeof mockupUrl === 'string' ? pictureOf(intake, mockupUrl).hash : mockupUrl,
    keep: intake.keep,
  };
}

function pictureOf(intake: Intake, url: string): FetchedImage {
  const picture = intake.pictures.get(url);
  if (picture === undefined) throw new Error('a picture of a product was not taken in');
  return picture;
}

/**
 * The decorated areas of a body whose artwork was accepted, in the order sent.
 * Undefined when the body has no `decoration`. Throws 422 for artwork of which nothing would lie on its print area: it
 * would be billed as a print.
 */
export function designedAreas(
  base: BaseProduct,
  { decoration }: Pick<ProductMembers, 'decoration'>,
  artworks: Pick<Artworks, 'pictureAt'>,
): DesignedArea[] | undefined {
  if (decoration === undefined) return undefined;
  const problems: Problem[] = [];
  const areas = decoration.areas.map(({ print_area, method, position: asked }, index) => {
    const { hash, report } = artworks.pictureAt(index);
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
