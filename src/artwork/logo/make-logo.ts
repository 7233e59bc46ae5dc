import { readFile, stat } from 'node:fs/promises';
import type { ArtworkContext } from '../context.ts';
import { orUnavailable } from '../fetch-image.ts';
import { CHILD_BYTES, PIPELINE_BYTES, runImageTask } from '../image-pool.ts';
import { removeMade } from '../passing-files.ts';
import { reserveBlobs } from '../reserve-blobs.ts';
import { sniffImage } from '../sniff/sniff.ts';
import { keepMadePicture } from '../sql.ts';

/** 300 dots an inch at the size in which a packing slip prints a logo, 60 by 20 millimetres. */
export const LOGO_MAX = { widthPx: 709, heightPx: 236 } as const;
/** Noise of that size in three channels, and some more. */
const LOGO_BYTES_MAX = 640 * 1_024;
const CPU_MS_MAX = 10_000;
const WALL_MS_MAX = 30_000;

/** A logo that is stored, or why none could be made of a picture. */
export type MadeLogo =
  | { readonly kind: 'made'; readonly hash: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Makes and stores the small PNG of a picture in a file, in a child that can be killed.
 * Equal pictures are one file. A process that dies before a row refers to it leaves bytes that the collection of unused
 * ones finds. Throws 503 when the children or the store are too busy.
 */
export async function makeLogo(ctx: ArtworkContext, path: string): Promise<MadeLogo> {
  const targetPath = ctx.blobs.scratchPath();
  try {
    return await orUnavailable(async () => {
      const header = await sniffImage(path);
      if (header.kind === 'refused') return { kind: 'failed', message: header.message };
      const outcome = await runImageTask(
        ctx.images,
        { kind: 'logo', sourcePath: path, targetPath, ...LOGO_MAX },
        {
          bytes: CHILD_BYTES + PIPELINE_BYTES + header.decodeBytes,
          cpuMs: CPU_MS_MAX,
          fallbackMs: WALL_MS_MAX,
          wallMs: WALL_MS_MAX,
        },
      );
      if (outcome.kind !== 'previewed') return { kind: 'failed', message: 'must be a picture that can be drawn.' };
      const stored = await ctx.blobs.adopt(targetPath, (hash) => reserveBlobs(ctx, [hash]));
      await keepMadePicture(ctx.database, stored, ctx.clock.now());
      return { kind: 'made', hash: stored.hash };
    });
  } finally {
    await removeMade(targetPath);
  }
}

/** The bytes of a logo, a PNG; undefined when the store lacks it or it is larger than any made here. */
export async function readLogo(ctx: Pick<ArtworkContext, 'blobs'>, hash: string): Promise<Uint8Array | undefined> {
  if (!(await ctx.blobs.has(hash))) return undefined;
  const path = await ctx.blobs.path(hash);
  return (await stat(path)).size > LOGO_BYTES_MAX ? undefined : readFile(path);
}
