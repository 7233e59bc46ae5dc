import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { BlobLost } from '../../lib/blobs/failures.ts';
import { awayFor } from '../../lib/turns/owner.ts';
import type { ProofContext } from '../context.ts';
import { orUnavailable } from '../fetch-image.ts';
import { CHILD_BYTES, PIPELINE_BYTES, type PictureShape, runImageTask } from '../image-pool.ts';
import { sniffImage } from '../sniff/sniff.ts';

const CPU_MS_MAX = 5_000;
const WALL_MS_MAX = 15_000;

export type PictureFile = { readonly stream: Readable; readonly bytes: number; readonly mime: string };

/**
 * Opens a stored picture at a width, drawn when it is first asked for and kept for an hour.
 * Undefined when the store lacks it or it is no picture. Waits for its turn among proofs; throws 503 when it has none
 * in time.
 */
export async function showPicture(
  ctx: ProofContext,
  hash: string,
  shape: PictureShape,
): Promise<PictureFile | undefined> {
  const name = [hash, shape.widthPx, shape.ground?.slice(1) ?? 'clear'].join('.');
  const mime = shape.ground === null ? 'image/webp' : 'image/jpeg';
  const drawn = await ctx.blobs.passing.open(name);
  if (drawn !== undefined) return { ...drawn, mime };
  if (!(await draw(ctx, hash, shape, name))) return undefined;
  const file = await ctx.blobs.passing.open(name);
  return file && { ...file, mime };
}

async function draw(ctx: ProofContext, hash: string, shape: PictureShape, name: string): Promise<boolean> {
  const targetPath = ctx.blobs.scratchPath();
  return orUnavailable(async () => {
    const release = await awayFor(ctx.asker, () => ctx.proofs.take(ctx.asker));
    try {
      // Another request for the same picture may have waited before this one.
      if (await ctx.blobs.passing.renew(name)) return true;
      const sourcePath = await ctx.blobs.path(hash);
      const header = await sniffImage(sourcePath);
      if (header.kind === 'refused') return false;
      const limits = { cpuMs: CPU_MS_MAX, fallbackMs: WALL_MS_MAX, wallMs: WALL_MS_MAX };
      const outcome = await runImageTask(
        ctx.images,
        { kind: 'picture', sourcePath, targetPath, ...shape },
        { bytes: CHILD_BYTES + PIPELINE_BYTES + header.decodeBytes, ...limits },
      );
      if (outcome.kind !== 'previewed') return false;
      await ctx.blobs.passing.keep(targetPath, name);
      return true;
    } catch (error) {
      if (error instanceof BlobLost) return false;
      throw error;
    } finally {
      release();
      await rm(targetPath, { force: true });
    }
  });
}
