import { rm } from 'node:fs/promises';
import type { ArtworkContext } from './context.ts';
import { type NormaliseOutcome, normalisePicture } from './normalise.ts';
import { personalise } from './personalise.ts';
import type { Recipe } from './recipe.ts';
import { findPrintFile, markPrintFileReady } from './sql.ts';

/**
 * Makes one print-ready file at the template's size, DPI and colour space (spec 3.2), from the design of its recipe or from
 * the inputs of a personalised piece. Safe to repeat: equal recipes give equal bytes, which are stored by their hash, and a
 * file that is ready stays as it is.
 */
export async function makePrintFile(ctx: ArtworkContext, key: string): Promise<void> {
  const file = await findPrintFile(ctx.database, key);
  if (file === undefined || file.state === 'ready') return;
  const { recipe } = file;
  const targetPath = ctx.blobs.scratchPath();
  try {
    const made = await make(ctx, recipe, targetPath);
    if (made.kind === 'failed') throw new Error(made.message);
    const { hash, bytes } = await ctx.blobs.adopt(targetPath);
    await markPrintFileReady(ctx.database, { key, outputHash: hash, outputBytes: bytes, now: ctx.clock.now() });
  } finally {
    await rm(targetPath, { force: true });
  }
}

async function make(ctx: ArtworkContext, recipe: Recipe, targetPath: string): Promise<NormaliseOutcome> {
  if (recipe.kind === 'personalised') {
    const { template, drawings } = recipe;
    return personalise(ctx.pictures, { template, drawings, pathOf: ctx.blobs.path, targetPath });
  }
  return normalisePicture(ctx.pictures, {
    sourcePath: await ctx.blobs.path(recipe.designHash),
    targetPath,
    template: recipe.template,
    position: recipe.position,
  });
}
