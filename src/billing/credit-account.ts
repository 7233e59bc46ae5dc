import type { Context } from '../lib/context.ts';
import { ApiError, notFound } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Pence } from '../lib/money.ts';
import { findTopUp, postTopUp } from './ledger.ts';

/**
 * Adds money to an account's balance, once for each reference. It commits alone: orders that wait for payment are settled
 * afterwards, each in a transaction of its own (domain, "Placing an order"). Unknown account: 404; a reference that was
 * posted with another amount: 409.
 */
export async function creditAccount(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { accountId: Uuid; amountPence: Pence; reference: string },
): Promise<{ posted: boolean }> {
  const result = await postTopUp(ctx.database, { ...input, now: ctx.clock.now() });
  if (result === undefined) throw notFound();
  if (!result.posted) {
    const before = await findTopUp(ctx.database, input.accountId, input.reference);
    if (before !== input.amountPence) {
      throw new ApiError('conflict', `The reference "${input.reference}" was posted before with another amount.`);
    }
  }
  return { posted: result.posted };
}
