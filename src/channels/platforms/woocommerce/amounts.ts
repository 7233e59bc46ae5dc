import { textOf } from '../members.ts';

// Amounts of a shop are decimal texts, of any currency: they are counted in millionths, and written as in the line.

export const DECIMALS = 6;
const SCALE = 10n ** BigInt(DECIMALS);

/** An amount in millionths; none where it is no amount. Pure. */
export function toScale(value: unknown): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(textOf(value)) ?? [];
  const count = BigInt(whole) * SCALE + BigInt(fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS));
  return sign === '-' ? -count : count;
}

/** How many decimals an amount is written with. Pure. */
export function decimalsOf(value: unknown): number {
  return Math.min(/\.(\d+)$/.exec(textOf(value))?.[1]?.length ?? 0, DECIMALS);
}

/** Writes millionths with so many decimals, rounded down: what is left comes with the last piece. Pure. */
export function fromScale(value: bigint, decimals: number): string {
  const fraction = String(value % SCALE)
    .padStart(DECIMALS, '0')
    .slice(0, decimals);
  return decimals === 0 ? String(value / SCALE) : `${value / SCALE}.${fraction}`;
}
