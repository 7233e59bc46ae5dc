import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { publicId } from '../../lib/ids.ts';
import { findOpsAccount } from '../task-sql.ts';
import type { AccountBilling } from './schema.ts';
import { billingView } from './view.ts';

/** Whom the invoices of the caller's account are addressed to, with its VAT number. */
export async function getBilling(ctx: Pick<Context, 'database'>, caller: Caller): Promise<AccountBilling> {
  const account = await findOpsAccount(ctx.database, caller.accountId);
  if (account === undefined) throw new Error('the calling account is not there');
  return {
    account_id: publicId('acct', account.id),
    vat_number: account.vat_number,
    billing: account.billing === null ? null : billingView(account.billing),
  };
}
