import { rm } from 'node:fs/promises';
import { BlobLost } from '../lib/blobs/failures.ts';
import { JobFault } from '../lib/queue.ts';
import type { ArtworkContext } from './context.ts';
import { closeFailure } from './give-up.ts';
import { ImageTaskLate } from './image-pool.ts';
import { countPrintFile } from './metrics.ts';
import { forgetNeeds } from './needs/need-sql.ts';
import { type NormaliseOutcome, normaliseImage } from './normalise.ts';
import { personalise } from './personalise.ts';
import { makePreview } from './preview.ts';
import type { Recipe } from './recipe.ts';
import { reserveBlobs } from './reserve-blobs.ts';
import { findPrintFile, markPrintFileReady } from './sql.ts';

/**
 * Makes one print-ready file (spec 3.2) and its preview.
 * The file has the template's size, DPI and colour space. It is made from the design of its recipe or
 * from the inputs of a personalised piece. Idempotent: equal recipes give equal bytes, which are
 * stored by their hash, and a file that is ready stays as it is.
 */
export async function makePrintFile(ctx: ArtworkContext, key: string): Promise<void> {
  const file = await findPrintFile(ctx.database, key);
  if (file === undefined || file.is_dropped) return;
  // An order may have asked for it in the moment in which it was made.
  if (file.state === 'ready') return forgetNeeds(ctx.database, key);
  const { recipe } = file;
  const targetPath = ctx.blobs.scratchPath();
  try {
    const made = await make(ctx, recipe, targetPath);
    if (made.kind === 'failed') throw new JobFault(made.message);
    const preview = await makePreview(ctx, key, targetPath);
    const output = await ctx.blobs.adopt(targetPath, (hash) => reserveBlobs(ctx, [hash]));
    const now = ctx.clock.now();
    await ctx.database.transaction(async (tx) => {
      await markPrintFileReady(tx, { key, output, preview, now });
      await closeFailure(tx, key, now);
    });
    countPrintFile('made');
    await forgetNeeds(ctx.database, key);
  } catch (error) {
    // Waiting does not bring it back, as it does while the whole store is away.
    if (error instanceof BlobLost) throw new JobFault(LOST, { cause: error });
    // Counted as an attempt: otherwise one that never ends in time would be tried for ever.
    if (error instanceof ImageTaskLate) throw new JobFault(error.message, { cause: error });
    throw error;
  } finally {
    await rm(targetPath, { force: true });
  }
}

const LOST = 'A picture that it is made from is no longer stored.';

async function make(ctx: ArtworkContext, recipe: Recipe, targetPath: string): Promise<NormaliseOutcome> {
  if (recipe.kind === 'personalised') {
    const { version, template, drawings } = recipe;
    return personalise(ctx.images, { version, template, drawings, pathOf: ctx.blobs.path, targetPath });
  }
  return normaliseImage(ctx.images, {
    version: recipe.version,
    sourcePath: await ctx.blobs.path(recipe.designHash),
    targetPath,
    template: recipe.template,
    position: recipe.position,
  });
}
