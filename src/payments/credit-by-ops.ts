import { idOr } from '../accounts/access/act-on-access.ts';
import { actOnce } from '../accounts/act-once.ts';
import { getOpsAccount } from '../accounts/read-for-ops.ts';
import { creditAccountWithin } from '../billing/credit-account.ts';
import { aboveTopUpLimit } from '../billing/top-up-limit.ts';
import { type ApiError, noSuch, validationFailed } from '../lib/errors.ts';
import { fromPounds } from '../lib/money.ts';
import type { Once, Operator } from '../lib/operator.ts';
import type { PaymentsContext } from './context.ts';
import type { AccountCredit, CreditBody } from './ops-schema.ts';
import { settleWaitingOrders } from './settle-waiting.ts';

/**
 * Credits money received by bank to an account, once per reference, and settles its orders.
 * The orders that wait for it are settled oldest first, each in a transaction of its own; a repeat settles what an
 * interrupted call left. Returns the account as it is afterwards. Throws 404 for an unknown account, 409 for a
 * reference that was posted with another amount, 422 for an invalid amount and for one above `TOP_UP_MAX_GBP`.
 */
export async function creditByOps(
  ctx: PaymentsContext,
  operator: Operator,
  id: string,
  request: { readonly body: CreditBody; readonly once: Once },
): Promise<AccountCredit> {
  const { body, once } = request;
  const accountId = idOr(noSuch('account'), 'acct', id);
  const amountPence = fromPounds(body.amount_gbp);
  if (amountPence === undefined || amountPence === 0) {
    const message = 'must be pounds with at most two decimals.';
    throw validationFailed([{ path: 'amount_gbp', code: 'decimals', message }]);
  }
  const detail = { account_id: id, ...body };
  const act = { action: 'credit_account', orderId: null, subjectId: accountId, detail, once };
  const limit = aboveTopUpLimit(ctx.config, amountPence);
  const acted = await actOnce(ctx, operator, act, async (tx, now) => {
    const credited = await creditAccountWithin(tx, { accountId, amountPence, reference: body.reference }, now);
    // Only what is new is judged: a repeat is answered as before, also where the limit was lowered meanwhile.
    if (credited.posted && limit !== undefined) throw tooMuch(limit);
    return credited;
  });
  const settled = await settleWaitingOrders(ctx, accountId);
  const posted = acted.kind === 'done' && acted.result.posted;
  return { ...(await getOpsAccount(ctx, id)), posted, settled_orders: settled };
}

function tooMuch(limit: string): ApiError {
  const message = `must be at most ${limit}. Check the amount. If it is right, have it entered with platen account credit, or raise the setting.`;
  return validationFailed([{ path: 'amount_gbp', code: 'out_of_bounds', message }]);
}
