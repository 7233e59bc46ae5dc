import type { ArtworkContext } from '../../artwork/context.ts';
import { makeMissingPreview, readPreview } from '../../artwork/preview.ts';
import { messageOf } from '../../lib/error-message.ts';
import { mapBounded } from '../../lib/map-bounded.ts';
import type { PaperJobRow } from '../sql.ts';

/** Different pictures on one sheet; 4 MB of PDF. A sheet with more shows the first of them. */
const PICTURES_MAX = 400;
/**
 * Files older than previews get theirs now, as many as fit into this time.
 * The next sheet continues from there.
 */
const MAKING_MS_MAX = 10_000;
const READ_AT_ONCE = 8;

/**
 * The previews of the print files of some print jobs, by the key of the file.
 * They are JPEGs, the same array for the same picture. A file that is not ready has none, and neither
 * has one whose preview could not be made in time.
 */
export async function readJobPictures(
  ctx: ArtworkContext,
  jobs: readonly PaperJobRow[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const ready = jobs.filter(({ state }) => state === 'ready');
  const distinct = [...new Map(ready.map((job) => [job.file_key, job])).values()].slice(0, PICTURES_MAX);
  const endsAt = performance.now() + MAKING_MS_MAX;
  const hashes = new Map<string, string>();
  for (const job of distinct) {
    const hash = job.preview_hash ?? (performance.now() < endsAt ? await makeMissing(ctx, job) : undefined);
    if (hash !== undefined) hashes.set(job.file_key, hash);
  }
  const read = await mapBounded([...new Set(hashes.values())], READ_AT_ONCE, async (hash) => ({
    hash,
    jpeg: await readPreview(ctx, hash),
  }));
  const pictures = new Map(read.map(({ hash, jpeg }) => [hash, jpeg]));
  return new Map(
    [...hashes].flatMap(([key, hash]) => {
      const jpeg = pictures.get(hash);
      return jpeg === undefined ? [] : [[key, jpeg] as const];
    }),
  );
}

async function makeMissing(ctx: ArtworkContext, job: PaperJobRow): Promise<string | undefined> {
  if (job.output_hash === null) return undefined;
  try {
    return await makeMissingPreview(ctx, { key: job.file_key, outputHash: job.output_hash });
  } catch (error) {
    // The children are busy or the disk is full: the shop can work without a picture.
    const why = messageOf(error);
    ctx.log.warn({ print_file: job.file_key, error: why }, 'a small picture of a print file could not be made');
    return undefined;
  }
}
