import type { Secrets } from '../../lib/secrets.ts';

/**
 * By what a shop is known again whose address was forgotten.
 * A mark for each key, that of the present one first, in place of the address, which nothing leads back to.
 */
export function marksOf({ everyDigest }: Pick<Secrets, 'everyDigest'>, address: string): string[] {
  return everyDigest.map((digest) => `gone ${digest(address).toString('base64url')}`);
}
