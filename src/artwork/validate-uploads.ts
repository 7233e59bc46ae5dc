import { validationFailed } from '../lib/errors.ts';
import { mapBounded } from '../lib/map-bounded.ts';
import type { ArtworkContext } from './context.ts';
import { type FetchedImage, fetchImage, type ImageFailure } from './fetch-image.ts';
import type { UploadResult, UploadValidation, ValidateUploadsBody } from './schema.ts';

const FETCHES_AT_ONCE = 8;

/**
 * Runs the checks of order intake as a dry run (spec 4.3); nothing is stored.
 * The answer is a value whatever it says; only a request with neither or both of `url` and `urls` is
 * refused. A repeated address is fetched once and answered each time.
 */
export async function validateUploads(
  ctx: ArtworkContext,
  body: ValidateUploadsBody,
  signal: AbortSignal,
): Promise<UploadValidation> {
  const urls = urlsOf(body);
  const results = new Map<string, UploadResult>();
  await mapBounded([...new Set(urls)], FETCHES_AT_ONCE, async (url) => {
    const fetched = await fetchImage(ctx, url, signal);
    if (fetched.kind === 'ok') await fetched.staged.discard();
    results.set(url, resultOf(url, fetched));
  });
  const inOrder = urls.flatMap((url) => results.get(url) ?? []);
  return { valid: inOrder.every((result) => result.valid), results: inOrder };
}

function urlsOf(body: ValidateUploadsBody): readonly string[] {
  const { url, urls } = body;
  if (url !== undefined && urls === undefined) return [url];
  if (url === undefined && urls !== undefined) return urls;
  throw validationFailed([
    { path: url === undefined ? 'url' : 'urls', code: 'one_of', message: 'Send exactly one of url and urls.' },
  ]);
}

function resultOf(url: string, fetched: FetchedImage | ImageFailure): UploadResult {
  if (fetched.kind === 'failed') return { url, valid: false, code: fetched.code, message: fetched.message };
  const { report } = fetched;
  return {
    url,
    valid: true,
    mime: report.mime,
    width: report.widthPx,
    height: report.heightPx,
    bytes: fetched.bytes,
    sha256: fetched.hash,
    warnings: report.animated ? [ANIMATED_FIRST_FRAME] : [],
  };
}

const ANIMATED_FIRST_FRAME = {
  code: 'animated_first_frame',
  message: 'The picture is animated; only its first frame is used.',
};
