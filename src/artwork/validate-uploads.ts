import { type CatalogueReference, minDpiOf } from '../catalogue/reference.ts';
import { findOfferedBase, printAreaProblems, unknownBaseProblem, variantProblems } from '../catalogue/resolve-names.ts';
import type { Caller } from '../lib/caller.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { mapBounded } from '../lib/map-bounded.ts';
import type { PreflightContext } from './context.ts';
import { type FetchedImage, fetchImage, type ImageFailure } from './fetch-image.ts';
import { placeArtwork } from './place.ts';
import { artworkView, printView } from './preflight/artwork-view.ts';
import { colourRemarks, type PrintSpot, printRemarks, printReport } from './preflight/preflight.ts';
import { positionOf } from './recipe.ts';
import type { UploadResult, UploadValidation, ValidateUploadsBody } from './schema.ts';

const FETCHES_AT_ONCE = 8;

/**
 * Runs the checks of order intake as a dry run (spec 4.3); nothing is stored.
 * The answer is a value whatever it says about the addresses. A request with neither or both of `url` and `urls` is
 * refused, and one whose print area is not named in full or is unknown. A repeated address is fetched once and answered
 * each time.
 */
export async function validateUploads(
  ctx: PreflightContext,
  { accountId }: Pick<Caller, 'accountId'>,
  body: ValidateUploadsBody,
  signal: AbortSignal,
): Promise<UploadValidation> {
  const addresses = addressesOf(body);
  const place = await placeOf(ctx, body);
  const fetched = new Map<string, FetchedImage | ImageFailure>();
  await mapBounded([...new Set(addresses.map(({ url }) => url))], FETCHES_AT_ONCE, async (url) => {
    // Each file is discarded before the answer, so they are not counted together.
    const image = await fetchImage(ctx, { url, accountId, signal, taken: { bytes: 0 } });
    if (image.kind === 'ok') await image.staged.discard();
    fetched.set(url, image);
  });
  const results = addresses.flatMap(({ url, path }) => {
    const image = fetched.get(url);
    return image === undefined ? [] : [resultOf(url, path, image, place)];
  });
  return { valid: results.every((result) => result.valid), results };
}

type Address = { readonly url: string; readonly path: string };

function addressesOf({ url, urls }: ValidateUploadsBody): readonly Address[] {
  if (url !== undefined && urls === undefined) return [{ url, path: 'url' }];
  if (url === undefined && urls !== undefined) return urls.map((each, at) => ({ url: each, path: `urls[${at}]` }));
  throw validationFailed([
    { path: url === undefined ? 'url' : 'urls', code: 'one_of', message: 'Send exactly one of url and urls.' },
  ]);
}

type Place = { readonly spot: PrintSpot; readonly position: ReturnType<typeof positionOf> };

/** The print area that a request names, if any. Throws 422 for one that is unknown or named in part. */
async function placeOf(ctx: PreflightContext, body: ValidateUploadsBody): Promise<Place | undefined> {
  const { base_product_id: baseProductId, print_area: printArea } = body;
  if (baseProductId !== undefined && printArea !== undefined) {
    return resolvePlace(await ctx.catalogue.latest(), {
      ...body,
      base_product_id: baseProductId,
      print_area: printArea,
    });
  }
  const isAsked = [baseProductId, printArea, body.method, body.variant_sku, body.position].some(
    (member) => member !== undefined,
  );
  if (!isAsked) return undefined;
  const message = 'To check artwork for a print area, send both base_product_id and print_area.';
  const problems: Problem[] = [];
  if (baseProductId === undefined) problems.push({ path: 'base_product_id', code: 'required', message });
  if (printArea === undefined) problems.push({ path: 'print_area', code: 'required', message });
  throw validationFailed(problems);
}

type PlacedBody = ValidateUploadsBody & { readonly base_product_id: string; readonly print_area: string };

function resolvePlace(catalogue: CatalogueReference, body: PlacedBody): Place {
  const { print_area: printArea, method, variant_sku: sku } = body;
  const base = findOfferedBase(catalogue, body.base_product_id);
  if (base === undefined) throw validationFailed([unknownBaseProblem(body.base_product_id)]);
  const problems = [
    ...printAreaProblems({ print_area: printArea, method }, base, ''),
    ...(sku === undefined ? [] : variantProblems([sku], base, () => 'variant_sku')),
  ];
  const area = base.areas.get(printArea);
  if (area === undefined || problems.length > 0) throw validationFailed(problems);
  const methods = method === undefined ? area.methods : [method];
  return {
    spot: {
      printArea,
      template: { widthPx: area.width_px, heightPx: area.height_px, dpi: area.dpi },
      minDpi: Math.max(...methods.map((name) => minDpiOf(catalogue, name))),
      ground: sku === undefined ? undefined : catalogue.bySku.get(sku)?.variant.entry.colour_hex,
    },
    position: positionOf(body.position),
  };
}

function resultOf(
  url: string,
  path: string,
  image: FetchedImage | ImageFailure,
  place: Place | undefined,
): UploadResult {
  if (image.kind === 'failed') return { url, valid: false, code: image.code, message: image.message };
  const { report, hash, bytes } = image;
  if (place !== undefined && placeArtwork(report, place.spot.template, place.position).kind === 'nothing') {
    return { url, valid: false, ...OUTSIDE_PRINT_AREA };
  }
  const remarks =
    place === undefined ? colourRemarks(report, undefined) : printRemarks(report, place.spot, place.position);
  const warnings = report.animated ? [ANIMATED_FIRST_FRAME, ...remarks] : remarks;
  const { width, height, ...others } = artworkView({ ...report, hash });
  return {
    url,
    valid: true,
    mime: report.mime,
    width,
    height,
    bytes,
    ...others,
    ...(place === undefined ? {} : { print: printView(printReport(report, place.spot.template, place.position)) }),
    warnings: warnings.map(({ code, message }) => ({ code, path, message })),
  };
}

const OUTSIDE_PRINT_AREA = {
  code: 'outside_print_area',
  message: 'Nothing of the artwork would lie on the print area. 0.5, 0.5 is its middle.',
};

const ANIMATED_FIRST_FRAME = {
  code: 'animated_first_frame',
  message: 'The picture is animated; only its first frame is used.',
};
