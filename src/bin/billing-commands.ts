import { changeBillingIdentity } from '../accounts/billing-identity/change-billing.ts';
import { ChangeBillingBody } from '../accounts/billing-identity/schema.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { checkShape } from '../lib/validation/validate.ts';
import { commandLineActor } from './access-commands.ts';
import { type Output, withContext } from './commands.ts';
import { printResult, UsageError } from './report.ts';

/** The options of `platen account billing`, each with what it says. */
export const BILLING_OPTIONS = [
  ['--legal-name <name>', 'the name of the business, or of the person who trades'],
  ['--line1 <text>', 'street and number; an address is given as a whole'],
  ['--line2 <text>', 'second address line'],
  ['--city <name>', 'town or city'],
  ['--county <name>', 'county, state or province'],
  ['--postcode <postcode>', 'postcode'],
  ['--country <code>', 'ISO 3166-1 alpha-2, such as GB'],
  ['--company-number <number>', 'its number in the register of companies'],
  ['--contact-name <name>', 'who looks after the accounts, with --contact-email'],
  ['--contact-email <address>', 'their address, with --contact-name'],
] as const;

type BillingOptions = {
  readonly legalName?: string;
  readonly line1?: string;
  readonly line2?: string;
  readonly city?: string;
  readonly county?: string;
  readonly postcode?: string;
  readonly country?: string;
  readonly companyNumber?: string;
  readonly contactName?: string;
  readonly contactEmail?: string;
};

/** `platen account billing` */
export async function changeAccountBilling(options: Output & BillingOptions & { account: Uuid }): Promise<void> {
  const body = bodyOf(options);
  await withContext('migrated', async (ctx) => {
    const identity = await changeBillingIdentity(ctx, commandLineActor(), options.account, body);
    const id = publicId('acct', options.account);
    const { legal_name: name, address } = identity;
    printResult(options, { account_id: id, ...identity }, [
      `Invoices of ${id} are addressed to ${name}, ${address.city}, ${address.country_code} from now on.`,
    ]);
  });
}

function bodyOf(options: BillingOptions): ChangeBillingBody {
  const { line1, line2, city, county, postcode, country: country_code } = options;
  const address = given({ line1, line2, city, county, postcode, country_code });
  const contact = given({ name: options.contactName, email: options.contactEmail });
  const body = given({ legal_name: options.legalName, company_number: options.companyNumber, address, contact });
  if (body === undefined) throw new UsageError('nothing is to be changed: give a name, an address or another option');
  const shape = checkShape(ChangeBillingBody, body);
  if (shape.kind === 'refused') {
    throw new UsageError(shape.problems.map(({ path, message }) => `${path} ${message}`).join(' '));
  }
  return shape.value;
}

/** The members that have a value; undefined when none has. */
function given(members: Record<string, unknown>): Record<string, unknown> | undefined {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
