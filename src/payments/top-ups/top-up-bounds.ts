import type { Config } from '../../lib/config.ts';
import { type Pence, pence } from '../../lib/money.ts';

/** Each top-up costs a fee: many small ones would cost more than they bring. */
const TOP_UP_PENCE_MIN = 500;
/** The most that the provider takes at once. */
const TOP_UP_PENCE_MAX = 99_999_999;

/** What a top-up by card may be: at most TOP_UP_MAX_GBP, where that is set. */
export function topUpBounds({ topUpMaxGbp }: Pick<Config, 'topUpMaxGbp'>): { minPence: Pence; maxPence: Pence } {
  const most = topUpMaxGbp === 0 ? TOP_UP_PENCE_MAX : Math.min(TOP_UP_PENCE_MAX, topUpMaxGbp * 100);
  return { minPence: pence(TOP_UP_PENCE_MIN), maxPence: pence(most) };
}
