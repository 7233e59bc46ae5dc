import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { BlobLost } from '../../lib/blobs/failures.ts';
import { ApiError, unavailable, validationFailed } from '../../lib/errors.ts';
import { awayFor } from '../../lib/turns/owner.ts';
import type { ProofContext } from '../context.ts';
import { orUnavailable } from '../fetch-image.ts';
import type { ProofShape } from '../image-pool.ts';
import { personalise } from '../personalise.ts';
import type { PersonalisedRecipe, PrintFileOrder } from '../recipe.ts';

/** A proof is for looking at, not for printing. */
const PROOF_PX_MAX = 800;

/** A print file of a personalised piece that is not made yet, and where its pictures can be read. */
export type PieceToProve = {
  readonly file: PrintFileOrder & { readonly recipe: PersonalisedRecipe };
  readonly pathOf: (designHash: string) => Promise<string>;
  /** The colour of the product, `#rrggbb`. */
  readonly ground: string;
};

/**
 * Draws the proof of a personalised piece, by the code that makes its print file. Returns its name.
 * It is kept for an hour. Equal pieces of an account have one proof, which is drawn once in that time. Waits for its
 * turn among proofs; throws 503 when it has none in time or the children that draw were killed. What a repeat cannot
 * change is another refusal: 422 for inputs that cannot be drawn, 409 when a stored picture of the product is lost.
 */
export async function drawProof(ctx: ProofContext, piece: PieceToProve): Promise<string> {
  const { key, recipe } = piece.file;
  const shape = shapeOf(recipe.template, piece.ground);
  const material = ['proof', key, shape.widthPx, shape.heightPx, shape.ground].join('|');
  const name = createHash('sha256').update(material).digest('hex');
  if (await ctx.blobs.passing.renew(name)) return name;
  const targetPath = ctx.blobs.scratchPath();
  return orUnavailable(async () => {
    const release = await awayFor(ctx.asker, () => ctx.proofs.take(ctx.asker));
    try {
      const { version, template, drawings } = recipe;
      const request = { version, template, drawings, pathOf: piece.pathOf, targetPath, proof: shape };
      const made = await personalise(ctx.images, request);
      if (made.kind === 'failed' && made.hasDied === true) throw unavailable(NOT_DRAWN, new Error(made.message));
      if (made.kind === 'failed') throw validationFailed([{ ...NOT_DRAWABLE, message: made.message }]);
      await ctx.blobs.passing.keep(targetPath, name);
      return name;
    } catch (error) {
      if (!(error instanceof BlobLost)) throw error;
      ctx.log.error({ error: error.message }, 'a stored picture of a product is lost');
      throw new ApiError('conflict', PICTURE_LOST);
    } finally {
      release();
      await rm(targetPath, { force: true });
    }
  });
}

const NOT_DRAWN = 'The proof could not be drawn right now. Try again in a few seconds.';
const NOT_DRAWABLE = { path: 'inputs', code: 'not_drawable' } as const;
const PICTURE_LOST =
  'A picture of this product that these inputs use is no longer stored, so they cannot be drawn or printed. Create the product anew with its pictures.';

function shapeOf({ widthPx, heightPx }: PersonalisedRecipe['template'], ground: string): ProofShape {
  const scale = Math.min(1, PROOF_PX_MAX / Math.max(widthPx, heightPx));
  return {
    widthPx: Math.max(1, Math.round(widthPx * scale)),
    heightPx: Math.max(1, Math.round(heightPx * scale)),
    ground,
  };
}
