import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BlobLost } from '../../lib/blobs/failures.ts';
import { awayFor } from '../../lib/turns/owner.ts';
import type { ProofContext } from '../context.ts';
import { orUnavailable } from '../fetch-image.ts';
import {
  CHILD_BYTES,
  type ImageTask,
  type MockupShape,
  PIPELINE_BYTES,
  type PictureShape,
  runImageTask,
} from '../image-pool.ts';
import { removeMade } from '../passing-files.ts';
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
  return drawnOnce(ctx, { hash, name, mime }, (file) => ({ kind: 'picture', ...file, ...shape }));
}

/** Opens stored artwork on the picture of a garment, likewise. Equal mockups are drawn once in an hour. */
export async function showMockup(
  ctx: ProofContext,
  hash: string,
  shape: MockupShape,
): Promise<PictureFile | undefined> {
  const { garment, title, printArea, position, template, ground, widthPx } = shape;
  const place = [position.x, position.y, position.scale, position.rotation];
  const size = [template.widthPx, template.heightPx];
  const material = JSON.stringify([garment, printArea, ...place, ...size, ...(garment === 'panel' ? [title] : [])]);
  const digest = createHash('sha256').update(material).digest('hex').slice(0, 16);
  const name = [hash, widthPx, ground.slice(1), digest].join('.');
  return drawnOnce(ctx, { hash, name, mime: 'image/jpeg' }, (file) => ({ kind: 'mockup', ...file, ...shape }));
}

type Wanted = { readonly hash: string; readonly name: string; readonly mime: string };
type TaskFile = { readonly sourcePath: string; readonly targetPath: string; readonly decodeBytes: number };
type TaskOf = (file: TaskFile) => ImageTask;

async function drawnOnce(ctx: ProofContext, wanted: Wanted, taskOf: TaskOf): Promise<PictureFile | undefined> {
  const { name, mime } = wanted;
  const before = await ctx.blobs.passing.open(name);
  if (before !== undefined) return { ...before, mime };
  if (!(await draw(ctx, wanted, taskOf))) return undefined;
  const file = await ctx.blobs.passing.open(name);
  return file && { ...file, mime };
}

async function draw(ctx: ProofContext, { hash, name }: Wanted, taskOf: TaskOf): Promise<boolean> {
  const targetPath = ctx.blobs.scratchPath();
  return orUnavailable(async () => {
    const release = await awayFor(ctx.asker, () => ctx.proofs.take(ctx.asker));
    try {
      // Another request for the same picture may have waited before this one.
      if (await ctx.blobs.passing.renew(name)) return true;
      const sourcePath = await ctx.blobs.path(hash);
      const header = await sniffImage(sourcePath);
      if (header.kind === 'refused') return false;
      const { decodeBytes } = header;
      const limits = { cpuMs: CPU_MS_MAX, fallbackMs: WALL_MS_MAX, wallMs: WALL_MS_MAX };
      const bytes = CHILD_BYTES + PIPELINE_BYTES + decodeBytes;
      const task = taskOf({ sourcePath, targetPath, decodeBytes });
      const outcome = await runImageTask(ctx.images, task, { bytes, ...limits });
      if (outcome.kind !== 'previewed') return false;
      await ctx.blobs.passing.keep(targetPath, name);
      return true;
    } catch (error) {
      if (error instanceof BlobLost) return false;
      throw error;
    } finally {
      release();
      await removeMade(targetPath);
    }
  });
}
