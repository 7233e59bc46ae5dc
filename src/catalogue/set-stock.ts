import type { Context } from '../lib/context.ts';
import { validationFailed } from '../lib/errors.ts';
import { recordCount } from './sql.ts';

/**
 * Records a count of a blank variant. Throws 422 for an unknown SKU.
 * The movement records the difference, who counted and why.
 */
export async function setStock(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { sku: string; onHand: number; reason: string; actor: string },
): Promise<void> {
  const known = await recordCount(ctx.database, { ...input, now: ctx.clock.now() });
  if (!known) {
    throw validationFailed([
      { path: 'sku', code: 'unknown_variant', message: `There is no blank variant ${input.sku} in the catalogue.` },
    ]);
  }
}
