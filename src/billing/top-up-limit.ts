import type { Config } from '../lib/config.ts';
import { type Pence, pence, poundsText } from '../lib/money.ts';

/**
 * Says what is the most for one top-up, for an amount that is above it; undefined for any other.
 * An amount with two zeros too many would only be found once the customer has spent it.
 */
export function aboveTopUpLimit({ topUpMaxGbp }: Pick<Config, 'topUpMaxGbp'>, amountPence: Pence): string | undefined {
  const mostPence = pence(topUpMaxGbp * 100);
  if (topUpMaxGbp === 0 || amountPence <= mostPence) return undefined;
  return `£${poundsText(mostPence)}, the most for one top-up (TOP_UP_MAX_GBP)`;
}
