import type { Context } from '../lib/context.ts';
import { validationFailed } from '../lib/errors.ts';
import { supplyShortLines } from './short/supply.ts';
import { recordCount } from './sql.ts';

/**
 * Records a count of a blank variant. Throws 422 for an unknown SKU.
 * The movement records the difference, who counted and why. Lines that are short have what was found first.
 */
export async function setStock(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { sku: string; onHand: number; reason: string; actor: string },
): Promise<void> {
  const now = ctx.clock.now();
  const known = await ctx.database.transaction(async (tx) => {
    const isKnown = await recordCount(tx, { ...input, now });
    if (isKnown) await supplyShortLines(tx, [input.sku], now);
    return isKnown;
  });
  if (!known) {
    throw validationFailed([
      { path: 'sku', code: 'unknown_variant', message: `There is no blank variant ${input.sku} in the catalogue.` },
    ]);
  }
}
