import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { BillingIdentity } from '../billing-identity/schema.ts';
import { VAT_STATUSES } from '../vat-number.ts';

const Proposal = Type.Object(
  {
    vat_number: Type.String({ description: '"" for none any more.' }),
    proposed_at: Timestamp,
  },
  { title: 'VatProposal' },
);

/** The company of an account: whom its invoices are addressed to, and how it is treated for VAT. */
export const Company = Type.Object(
  {
    name: Type.String({ description: 'What the account is called here.' }),
    billing: nullable({ ...BillingIdentity, description: 'Null while it is not known.' }),
    vat_number: Type.String({ description: '"" where there is none.' }),
    vat_status: oneOf(VAT_STATUSES, { description: 'How orders are charged VAT. The print shop decides it.' }),
    vat_proposal: nullable({ ...Proposal, description: 'What was proposed and is not decided yet.' }),
  },
  { title: 'Company' },
);
export type Company = Static<typeof Company>;

/** A VAT number to be checked by the print shop. */
export const ProposeVatBody = Type.Object(
  {
    vat_number: nullable(
      Type.String({
        maxLength: 40,
        description: 'With its prefix, as DE123456789. Null: that there is none any more.',
      }),
    ),
  },
  { title: 'ProposeVatNumberRequest' },
);
