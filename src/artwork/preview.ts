import { readFile, rm, stat } from 'node:fs/promises';
import type { StoredBlob } from '../lib/blobs.ts';
import type { ArtworkContext } from './context.ts';
import { CHILD_BYTES, ImageTaskLate, PIPELINE_BYTES, runImageTask } from './image-pool.ts';
import { reserveBlobs } from './reserve-blobs.ts';
import { markPreviewed } from './sql.ts';

/** The largest template takes two seconds. */
const CPU_MS_MAX = 15_000;
const WALL_MS_MAX = 30_000;
/** Noise of 192 by 192 pixels takes some 50 KiB, and artwork a tenth of it. */
const PREVIEW_BYTES_MAX = 96 * 1024;

/**
 * Makes and stores the preview of a print file, in a child that can be killed.
 * `path` is where the file can be read. A preview that cannot be made is logged and is undefined; no
 * file waits for it. The caller must record the stored preview, by `markPrintFileReady` or below.
 */
export async function makePreview(ctx: ArtworkContext, key: string, path: string): Promise<StoredBlob | undefined> {
  const targetPath = ctx.blobs.scratchPath();
  try {
    const outcome = await runImageTask(
      ctx.images,
      { kind: 'preview', sourcePath: path, targetPath },
      { bytes: CHILD_BYTES + PIPELINE_BYTES, cpuMs: CPU_MS_MAX, fallbackMs: WALL_MS_MAX, wallMs: WALL_MS_MAX },
    ).catch(asLate);
    if (outcome.kind === 'previewed') return await ctx.blobs.adopt(targetPath, (hash) => reserveBlobs(ctx, [hash]));
    const error = outcome.kind === 'failed' || outcome.kind === 'unanswered' ? outcome.message : outcome.kind;
    ctx.log.warn({ print_file: key, error }, 'a small picture of a print file could not be made');
    return undefined;
  } finally {
    await rm(targetPath, { force: true });
  }
}

/** No file waits for its preview, so a machine that is too busy for it makes none. */
function asLate(error: unknown): { readonly kind: 'unanswered'; readonly message: string } {
  if (error instanceof ImageTaskLate) return { kind: 'unanswered', message: error.message };
  throw error;
}

/**
 * Makes the preview of a print file that is ready without one, as those of earlier versions are.
 * Records it with the file. Returns its hash. Idempotent.
 */
export async function makeMissingPreview(
  ctx: ArtworkContext,
  file: { readonly key: string; readonly outputHash: string },
): Promise<string | undefined> {
  const preview = await makePreview(ctx, file.key, await ctx.blobs.path(file.outputHash));
  if (preview === undefined) return undefined;
  await markPreviewed(ctx.database, { key: file.key, preview, now: ctx.clock.now() });
  return preview.hash;
}

/**
 * The bytes of a preview, a JPEG.
 * Undefined when the store lacks it or it is larger than any made here.
 */
export async function readPreview(
  ctx: Pick<ArtworkContext, 'blobs'>,
  previewHash: string,
): Promise<Uint8Array | undefined> {
  if (!(await ctx.blobs.has(previewHash))) return undefined;
  const path = await ctx.blobs.path(previewHash);
  return (await stat(path)).size > PREVIEW_BYTES_MAX ? undefined : readFile(path);
}
