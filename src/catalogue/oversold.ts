import { ApiError } from '../lib/errors.ts';

/**
 * A variant of which there is not enough (decisions, "`oversold`").
 * `lines` are indexes into the items of the order.
 */
export type Oversold = {
  readonly variant_sku: string;
  readonly requested: number;
  readonly available: number;
  readonly lines: readonly number[];
};

/**
 * The variants that are short when all these pieces are taken, in the order of the lines.
 * All lines of a variant count together.
 */
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

/** At most this many are named in the message; `oversold` has all of them. */
const NAMED_MAX = 5;

/** The 409 that lists everything that is short. */
export function outOfStock(oversold: readonly Oversold[]): ApiError {
  const short = oversold.map((entry) => `${entry.variant_sku} (${entry.available} of ${entry.requested})`);
  return new ApiError('out_of_stock', `Not enough in stock: ${short.slice(0, NAMED_MAX).join(', ')}. See oversold.`, {
    extras: { oversold },
  });
}
