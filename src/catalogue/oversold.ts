import { ApiError } from '../lib/errors.ts';

/** A variant of which there is not enough (decisions, "`oversold`"). `lines` are indexes into the items of the order. */
export type Oversold = {
  readonly variant_sku: string;
  readonly requested: number;
  readonly available: number;
  readonly lines: readonly number[];
};

/** What is short when these pieces are all taken: over all lines of a variant together, in the order of the lines. */
export function findOversold(
  wanted: readonly { readonly sku: string; readonly quantity: number; readonly line: number }[],
  availableOf: (sku: string) => number,
): Oversold[] {
  const bySku = new Map<string, { requested: number; lines: number[] }>();
  for (const { sku, quantity, line } of wanted) {
    const sum = bySku.get(sku) ?? { requested: 0, lines: [] };
    sum.requested += quantity;
    sum.lines.push(line);
    bySku.set(sku, sum);
  }
  return [...bySku]
    .map(([sku, { requested, lines }]) => ({ variant_sku: sku, requested, available: availableOf(sku), lines }))
    .filter(({ requested, available }) => requested > available);
}

/** Named in the sentence; all of them stand in `oversold`. */
const NAMED_MAX = 5;

/** 409 with everything that is short. */
export function outOfStock(oversold: readonly Oversold[]): ApiError {
  const short = oversold.map((entry) => `${entry.variant_sku} (${entry.available} of ${entry.requested})`);
  return new ApiError('out_of_stock', `Not enough in stock: ${short.slice(0, NAMED_MAX).join(', ')}. See oversold.`, {
    extras: { oversold },
  });
}
