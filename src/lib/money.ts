/** Integer pence. The only unit of money inside; pounds exist in `schema.ts` and `view.ts` alone. */
export type Pence = number & { readonly __unit: 'pence' };

/** Basis points: 2000 is 20 %. */
export type BasisPoints = number & { readonly __unit: 'basis points' };

/**
 * Checks that a number is a whole, exactly representable count of pence.
 * Throws on our own bug (a fraction, NaN, over 2^53).
 */
export function pence(value: number): Pence {
  if (!Number.isSafeInteger(value)) throw new Error(`money must be whole pence below 2^53, got ${value}`);
  // -0 would print as "-0" in some places and compare oddly in tests.
  return (value === 0 ? 0 : value) as Pence;
}

export const ZERO_PENCE: Pence = pence(0);

/** Sums pence exactly. */
export function sumPence(values: Iterable<Pence>): Pence {
  let total = 0;
  for (const value of values) total += value;
  return pence(total);
}

/** `unit × quantity`, exact. */
export function timesQuantity(unit: Pence, quantity: number): Pence {
  return pence(unit * quantity);
}

/**
 * `amount × numerator ÷ denominator`, rounded once, half away from zero.
 * (Half up for the positive amounts that prices are.) Exact: the product is a big integer, so no
 * precision is lost above 2^53.
 */
export function ratioOf(amount: Pence, numerator: number, denominator: number): Pence {
  const product = BigInt(amount) * BigInt(numerator);
  const divisor = BigInt(denominator);
  if (divisor <= 0n) throw new Error('the denominator of a money ratio must be positive');
  const magnitude = product < 0n ? -product : product;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return pence(Number(product < 0n ? -rounded : rounded));
}

/** A share of an amount in basis points, rounded half up to the penny. */
export function basisPointsOf(amount: Pence, rate: BasisPoints): Pence {
  return ratioOf(amount, rate, 10_000);
}

/**
 * Splits `amount` over `weights` so that the parts sum to it exactly.
 * Each part is rounded down; the pence left over go to the largest remainders, the earlier first. All
 * weights zero: everything goes to the first. Throws on a negative one.
 */
export function apportion(amount: Pence, weights: readonly Pence[]): Pence[] {
  if (weights.length === 0) throw new Error('cannot apportion over nothing');
  if (amount < 0 || weights.some((weight) => weight < 0)) throw new Error('cannot apportion what is below zero');
  const total = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  if (total === 0n) return weights.map((_, index) => (index === 0 ? amount : ZERO_PENCE));
  const shares = weights.map((weight, index) => {
    const exact = BigInt(amount) * BigInt(weight);
    return { index, floor: exact / total, remainder: exact % total };
  });
  let left = Number(BigInt(amount) - shares.reduce((sum, share) => sum + share.floor, 0n));
  const parts = shares.map((share) => Number(share.floor));
  const byRemainder = shares.toSorted((a, b) => Number(b.remainder - a.remainder) || a.index - b.index);
  for (const share of byRemainder) {
    if (left === 0) break;
    parts[share.index] = (parts[share.index] ?? 0) + 1;
    left -= 1;
  }
  return parts.map(pence);
}

/**
 * Pence to the wire's pounds.
 * A JSON number that prints with at most two decimals (1598 → 15.98, never -0).
 */
export function toPounds(amount: Pence): number {
  return amount === 0 ? 0 : amount / 100;
}

/**
 * Pounds from the wire or a command line to pence.
 * Undefined when there are more than two decimals, a sign, an exponent or anything but digits. Decided
 * on the shortest decimal text of the number, so 1.1 is 110 and not 110.00000000000001.
 */
export function fromPounds(value: number | string): Pence | undefined {
  const match = /^(\d{1,11})(?:\.(\d{1,2}))?$/.exec(String(value));
  if (match === null) return undefined;
  return pence(Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')));
}

/** Pence as documents show them: `1,234.50`. */
export function poundsText(amount: Pence): string {
  const [whole, rest] = [Math.trunc(Math.abs(amount) / 100), Math.abs(amount) % 100];
  return `${amount < 0 ? '-' : ''}${String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${String(rest).padStart(2, '0')}`;
}
