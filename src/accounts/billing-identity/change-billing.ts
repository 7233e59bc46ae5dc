import { isCountryCode, unknownCountry } from '../../lib/countries.ts';
import type { Db } from '../../lib/db.ts';
import { noSuch, type Problem, validationFailed } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type AccessContext, type Actor, actOnAccess } from '../access/act-on-access.ts';
import { emailProblems } from '../create-user.ts';
import { lockAccountTax } from '../task-sql.ts';
import type { BillingIdentity, ChangeBillingBody } from './schema.ts';
import { type BillingRow, findBilling, saveBilling } from './sql.ts';
import { billingView } from './view.ts';

/**
 * Changes whom the invoices of an account are addressed to; what is left out stays.
 * Invoices issued from now on name it; no issued document changes. Blanks around texts are not kept. The audit log
 * has which members were changed and none of their values. Locks the account. Throws 404 for an unknown account, and
 * 422 for a text with control characters, an unknown country, an address of e-mail that is none, and while name or
 * address are missing.
 */
export async function changeBillingIdentity(
  ctx: AccessContext,
  actor: Actor,
  accountId: Uuid,
  body: ChangeBillingBody,
): Promise<BillingIdentity> {
  const detail = { account_id: publicId('acct', accountId), changed: Object.keys(body) };
  const act = { action: 'change_billing', subjectId: accountId, detail, reason: undefined };
  await actOnAccess(ctx, actor, act, async (tx, now) => {
    await applyBilling(tx, accountId, body, now);
  });
  const row = await findBilling(ctx.database, accountId);
  if (row === undefined) throw noSuch('account');
  return billingView(row);
}

/** Writes such a change in the caller's transaction, which records who made it; throws as above. */
export async function applyBilling(tx: Db, accountId: Uuid, body: ChangeBillingBody, now: Date): Promise<void> {
  const given = rowOf(body);
  refuseTexts(body, given);
  if ((await lockAccountTax(tx, accountId)) === undefined) throw noSuch('account');
  const row = { ...NOTHING, ...(await findBilling(tx, accountId)), ...given };
  refuseIncomplete(row);
  await saveBilling(tx, accountId, row, now);
}

const NOTHING: BillingRow = {
  legal_name: '',
  line1: '',
  line2: '',
  city: '',
  county: '',
  postcode: '',
  country_code: '',
  company_number: '',
  contact_name: '',
  contact_email: '',
};

/** The columns that a body changes. */
function rowOf({
  legal_name: name,
  address,
  company_number: company,
  contact,
}: ChangeBillingBody): Partial<BillingRow> {
  return {
    ...(name === undefined ? {} : { legal_name: name.trim() }),
    ...(address === undefined
      ? {}
      : {
          line1: address.line1.trim(),
          line2: (address.line2 ?? '').trim(),
          city: address.city.trim(),
          county: (address.county ?? '').trim(),
          postcode: address.postcode.trim(),
          country_code: address.country_code,
        }),
    ...(company === undefined ? {} : { company_number: (company ?? '').trim() }),
    ...(contact === undefined
      ? {}
      : { contact_name: (contact?.name ?? '').trim(), contact_email: (contact?.email ?? '').trim() }),
  };
}

/** Where the body has the text of a column. */
const PATHS: Readonly<Record<keyof BillingRow, string>> = {
  legal_name: 'legal_name',
  line1: 'address.line1',
  line2: 'address.line2',
  city: 'address.city',
  county: 'address.county',
  postcode: 'address.postcode',
  country_code: 'address.country_code',
  company_number: 'company_number',
  contact_name: 'contact.name',
  contact_email: 'contact.email',
};

// Line breaks, and characters that change the direction of the text beside them, would let one line look like another.
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

function refuseTexts(body: ChangeBillingBody, given: Partial<BillingRow>): void {
  const problems: Problem[] = Object.entries(PATHS).flatMap(([column, path]) =>
    CONTROL.test(given[column as keyof BillingRow] ?? '')
      ? [{ path, code: 'pattern', message: 'must be one line without control characters.' }]
      : [],
  );
  const { country_code: country, contact_email: email } = given;
  if (country !== undefined && !isCountryCode(country)) problems.push(unknownCountry(country, PATHS.country_code));
  if (email !== undefined && body.contact !== null && !problems.some(({ path }) => path === PATHS.contact_email)) {
    problems.push(...emailProblems(email).map((problem) => ({ ...problem, path: PATHS.contact_email })));
  }
  if (problems.length > 0) throw validationFailed(problems);
}

/** Nothing is known of a new one, so the first change has both. */
function refuseIncomplete(row: BillingRow): void {
  const missing = [...(row.legal_name === '' ? ['legal_name'] : []), ...(row.line1 === '' ? ['address'] : [])];
  if (missing.length === 0) return;
  const message = 'is required: the account has neither a legal name nor an address yet.';
  throw validationFailed(missing.map((path) => ({ path, code: 'required', message })));
}
