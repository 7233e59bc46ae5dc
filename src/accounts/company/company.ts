import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import { publicId } from '../../lib/ids.ts';
import { recordAct } from '../access/record-act.ts';
import { applyBilling } from '../billing-identity/change-billing.ts';
import type { ChangeBillingBody } from '../billing-identity/schema.ts';
import { billingView } from '../billing-identity/view.ts';
import { closeTasks } from '../close-task.ts';
import { openTask } from '../open-task.ts';
import { findOpsAccount, lockAccountTax } from '../task-sql.ts';
import { hasFormOfCountry, readVatNumber, VAT_NUMBER_RULE } from '../vat-number.ts';
import type { Company } from './company-schema.ts';
import { findVatProposal, saveVatProposal } from './company-sql.ts';

type CompanyContext = Pick<Context, 'database' | 'clock'>;

/** Whom the account's invoices are addressed to, how it is treated for VAT, and what it has proposed. */
export async function readCompany(ctx: CompanyContext, { accountId }: SignedIn): Promise<Company> {
  const account = await findOpsAccount(ctx.database, accountId);
  if (account === undefined) throw new Error('the account of a session is not there');
  const proposal = await findVatProposal(ctx.database, accountId);
  return {
    name: account.name,
    billing: account.billing === null ? null : billingView(account.billing),
    vat_number: account.vat_number,
    vat_status: account.vat_status,
    vat_proposal:
      proposal === undefined ? null : { vat_number: proposal.vat_number, proposed_at: isoTime(proposal.proposed_at) },
  };
}

/**
 * Changes whom the invoices of the account are addressed to; what is left out stays.
 * Documents that were issued keep what they had. The audit log has who changed which members, and none of their values.
 * Locks the account. Throws 422 as `changeBillingIdentity` does.
 */
export async function changeCompany(ctx: CompanyContext, caller: SignedIn, body: ChangeBillingBody): Promise<Company> {
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await applyBilling(tx, caller.accountId, body, now);
    const act = { action: 'change_billing', subjectId: caller.accountId, detail: { changed: Object.keys(body) } };
    await recordAct(tx, caller, act, now);
  });
  return readCompany(ctx, caller);
}

/**
 * Proposes another VAT number, which an operator checks and enters.
 * It changes what orders are charged, so the account cannot do it alone. A newer proposal replaces an earlier one,
 * whose task is closed. Throws 422 for what has not the form of a number of its country, and 409 for the number that
 * the account has. Locks the account.
 */
export async function proposeVatNumber(ctx: CompanyContext, caller: SignedIn, given: string | null): Promise<Company> {
  const vatNumber = given === null ? '' : vatNumberOf(given);
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    const account = await lockAccountTax(tx, accountId);
    if (account === undefined) throw new Error('the account of a session is not there');
    if (account.vat_number === vatNumber) throw new ApiError('conflict', 'The account has this VAT number already.');
    const earlier = await findVatProposal(tx, accountId);
    if (earlier?.vat_number === vatNumber) return;
    if (earlier !== undefined) await closeTasks(tx, [earlier.task_id], now);
    const note = `The customer proposes ${vatNumber === '' ? 'to have no VAT number' : `the VAT number ${vatNumber}`}; on record is ${account.vat_number === '' ? 'none' : account.vat_number}, treated as ${account.vat_status}. Check that it is in force, then enter it with its treatment: PATCH /ops/v1/accounts/${publicId('acct', accountId)}. To refuse, close this task and tell the customer why.`;
    const task = { accountId, orderId: null, kind: 'vat_number_proposed', note };
    const taskId = await openTask(tx, task, now);
    await saveVatProposal(tx, accountId, { vat_number: vatNumber, task_id: taskId, proposed_at: now });
    await recordAct(tx, caller, { action: 'propose_vat_number', subjectId: accountId, detail: {} }, now);
  });
  return readCompany(ctx, caller);
}

function vatNumberOf(text: string): string {
  const vatNumber = readVatNumber(text);
  if (vatNumber !== undefined && hasFormOfCountry(vatNumber)) return vatNumber;
  const message =
    vatNumber === undefined ? VAT_NUMBER_RULE : 'has not the form of a VAT number of its country. Check the digits.';
  throw validationFailed([{ path: 'vat_number', code: 'pattern', message }]);
}
