import type { Context } from '../lib/context.ts';
import { noSuch, validationFailed } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import type { Once, Operator } from '../lib/operator.ts';
import { actOnce } from './act-once.ts';
import { closeTasks } from './close-task.ts';
import { findVatProposal } from './company/company-sql.ts';
import { mailPeople, type NoticeContext } from './notices/mail-people.ts';
import { onceAbout } from './notices/security-notices.ts';
import type { ChangeAccountBody, OpsAccount } from './ops-schema.ts';
import { opsAccountView } from './ops-view.ts';
import { findOpsAccount, lockAccountTax, updateAccountTax } from './task-sql.ts';
import { isEuVatNumber, readVatNumber, VAT_NUMBER_RULE } from './vat-number.ts';

/**
 * Changes what an account is for VAT and customs, for an operator.
 * Orders placed and invoices issued from now on use them; nothing earlier is rewritten. Throws 404 for an unknown
 * account, 422 for an invalid VAT number, and 422 for reverse charge without a number of a member of the EU.
 */
export async function changeAccount(
  ctx: NoticeContext & Pick<Context, 'database'>,
  operator: Operator,
  id: string,
  request: { readonly body: ChangeAccountBody; readonly once: Once },
): Promise<OpsAccount> {
  const accountId = parseId('acct', id);
  if (accountId === undefined) throw noSuch('account');
  const { body, once } = request;
  const given = body.vat_number === undefined ? undefined : vatNumberFromBody(body.vat_number);
  const act = {
    action: 'change_account',
    orderId: null,
    subjectId: accountId,
    detail: { account_id: id, ...body },
    once,
  };
  await actOnce(ctx, operator, act, async (tx, now) => {
    const account = await lockAccountTax(tx, accountId);
    if (account === undefined) throw noSuch('account');
    const tax = {
      vat_number: given ?? account.vat_number,
      vat_status: body.vat_status ?? account.vat_status,
      eori_number: numberOr(body.eori_number, account.eori_number),
      ioss_number: numberOr(body.ioss_number, account.ioss_number),
    };
    refuseReverseCharge(tax.vat_status, tax.vat_number);
    await updateAccountTax(tx, accountId, tax);
    // What the customer has proposed is decided by it, taken or not.
    const proposal = given === undefined ? undefined : await findVatProposal(tx, accountId);
    if (proposal !== undefined) await closeTasks(tx, [proposal.task_id], now);
    if (given === undefined && body.vat_status === undefined) return;
    // Not the number itself: the key stays when the mail is gone.
    const about = onceAbout('vat', now);
    await mailPeople(ctx, tx, { accountId, kind: 'vat_decided', about }, (shop) => ({
      subject: 'Your VAT details have changed',
      paragraphs: [
        `${shop} has entered ${tax.vat_number === '' ? 'that you have no VAT number' : `the VAT number ${tax.vat_number}`}. Orders from now on are charged ${tax.vat_status === 'reverse_charge_eu' ? 'without VAT where reverse charge applies' : 'VAT as usual'}.`,
      ],
      link: { label: 'See your company', path: '/company' },
    }));
  });
  const account = await findOpsAccount(ctx.database, accountId);
  if (account === undefined) throw noSuch('account');
  return opsAccountView(account);
}

/** The number of a body, which null removes; what is kept where the body has none. */
function numberOr(given: string | null | undefined, kept: string): string {
  return given === undefined ? kept : (given ?? '');
}

function vatNumberFromBody(text: string | null): string {
  if (text === null) return '';
  const vatNumber = readVatNumber(text);
  if (vatNumber !== undefined) return vatNumber;
  throw validationFailed([{ path: 'vat_number', code: 'pattern', message: VAT_NUMBER_RULE }]);
}

function refuseReverseCharge(vatStatus: string, vatNumber: string): void {
  if (vatStatus !== 'reverse_charge_eu' || isEuVatNumber(vatNumber)) return;
  const message = 'must be that of a member of the EU while vat_status is reverse_charge_eu.';
  throw validationFailed([{ path: 'vat_number', code: 'required', message }]);
}
