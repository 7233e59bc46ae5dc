import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { findAutoTopUp } from '../auto-top-ups/auto-top-up-sql.ts';
import { readOwnLowBalanceMail } from '../low-balance/own-low-balance-mail.ts';
import type { MoneyTrouble } from './money-trouble-schema.ts';

/**
 * What of the account's money needs a person: top-ups that have stopped, and a low balance.
 * While the balance is topped up by itself a low one needs no one, as no mail is sent then.
 */
export async function readMoneyTrouble(
  ctx: Pick<Context, 'database' | 'clock' | 'config'>,
  caller: SignedIn,
): Promise<MoneyTrouble> {
  const topUps = await findAutoTopUp(ctx.database, caller.accountId);
  const { threshold, is_low: isLow, is_topped_up: isToppedUp } = await readOwnLowBalanceMail(ctx, caller);
  return {
    stopped_top_ups:
      topUps?.state === 'stopped'
        ? { reason: topUps.reason, threshold: toPounds(pence(topUps.threshold_pence)) }
        : null,
    low_balance: threshold !== null && isLow && !isToppedUp ? { threshold } : null,
  };
}
