import { rm } from 'node:fs/promises';
import type { ArtworkContext } from './context.ts';
import { normalisePicture } from './normalise.ts';
import { findPrintFile, markPrintFileReady } from './sql.ts';

/**
 * Makes one print-ready file: the design of its recipe at the template's size, DPI and colour space (spec 3.2). Safe to
 * repeat: equal recipes give equal bytes, which are stored by their hash, and a file that is ready stays as it is.
 */
export async function makePrintFile(ctx: ArtworkContext, key: string): Promise<void> {
  const file = await findPrintFile(ctx.database, key);
  if (file === undefined || file.state === 'ready') return;
  const { recipe } = file;
  const targetPath = ctx.blobs.scratchPath();
  try {
    const made = await normalisePicture(ctx.pictures, {
      sourcePath: await ctx.blobs.path(recipe.designHash),
      targetPath,
      template: recipe.template,
      position: recipe.position,
    });
    if (made.kind === 'failed') throw new Error(made.message);
    const { hash, bytes } = await ctx.blobs.adopt(targetPath);
    await markPrintFileReady(ctx.database, { key, outputHash: hash, outputBytes: bytes, now: ctx.clock.now() });
  } finally {
    await rm(targetPath, { force: true });
  }
}
