import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, noSuch } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Pence } from '../lib/money.ts';
import { findTopUp, postTopUp } from './ledger.ts';

/** Money received for an account, and the reference of the transfer. */
export type TopUp = { readonly accountId: Uuid; readonly amountPence: Pence; readonly reference: string };

/**
 * Adds money to an account's balance, once for each reference.
 * It commits alone: orders that wait for payment are settled afterwards, each in a transaction of its own (domain,
 * "Placing an order"). Throws 404 for an unknown account, 409 for a reference that was posted with another amount.
 */
export async function creditAccount(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: TopUp,
): Promise<{ posted: boolean }> {
  return creditAccountWithin(ctx.database, input, ctx.clock.now());
}

/**
 * As `creditAccount`, inside the caller's transaction.
 * The caller must post nothing else: the balance is the last lock.
 */
export async function creditAccountWithin(db: Db, credit: TopUp, now: Date): Promise<{ posted: boolean }> {
  const result = await postTopUp(db, { ...credit, from: 'bank', now });
  if (result === undefined) throw noSuch('account');
  if (!result.posted) {
    const before = await findTopUp(db, credit.accountId, credit.reference);
    if (before !== credit.amountPence) {
      throw new ApiError('conflict', `The reference "${credit.reference}" was posted before with another amount.`);
    }
  }
  return { posted: result.posted };
}
