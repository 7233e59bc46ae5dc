import { nullable } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

// Lengths count Unicode code points, as those of the addresses of orders.
const LINE_MAX = 200;
const POSTCODE_MAX = 20;
const COMPANY_NUMBER_MAX = 40;
const EMAIL_MAX = 254;

const Required = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description });
const Optional = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }));

const CountryCode = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'ISO 3166-1 alpha-2, upper case.',
  'x-message': 'must be an ISO 3166-1 alpha-2 code in capitals, such as GB.',
});

/** Whom the invoices of an account are addressed to. */
export const BillingIdentity = Type.Object(
  {
    legal_name: Type.String({ description: 'The name of the business, or of the person who trades.' }),
    address: Type.Object(
      {
        line1: Type.String(),
        line2: Type.String({ description: '"" where there is none.' }),
        city: Type.String(),
        county: Type.String({ description: '"" where there is none.' }),
        postcode: Type.String(),
        country_code: CountryCode,
      },
      { title: 'BillingAddress' },
    ),
    company_number: Type.String({ description: 'Its number in the register of companies; "" where there is none.' }),
    contact: nullable(Type.Object({ name: Type.String(), email: Type.String() }, { title: 'BillingContact' })),
  },
  { title: 'BillingIdentity', description: 'Whom the invoices of an account are addressed to.' },
);
export type BillingIdentity = Static<typeof BillingIdentity>;

/** What may be changed of it; a member that is left out stays. */
export const ChangeBillingBody = Type.Object(
  {
    legal_name: Type.Optional(Required(LINE_MAX, 'The name of the business, or of the person who trades.')),
    address: Type.Optional(
      Type.Object(
        {
          line1: Required(LINE_MAX, 'Street and number.'),
          line2: Optional(LINE_MAX, 'Second address line.'),
          city: Required(LINE_MAX, 'Town or city.'),
          county: Optional(LINE_MAX, 'County, state or province.'),
          postcode: Required(POSTCODE_MAX, 'Postcode; where a country has none, any non-blank text.'),
          country_code: CountryCode,
        },
        { title: 'BillingAddressBody', description: 'The whole address.' },
      ),
    ),
    company_number: Type.Optional(
      nullable(Type.String({ maxLength: COMPANY_NUMBER_MAX, description: 'Its number in the register of companies.' })),
    ),
    contact: Type.Optional(
      nullable(
        Type.Object(
          {
            name: Required(LINE_MAX, 'Who looks after the accounts.'),
            email: Required(EMAIL_MAX, 'Their address.'),
          },
          { title: 'BillingContactBody', description: 'Whom to write to about invoices. Null removes it.' },
        ),
      ),
    ),
  },
  { title: 'ChangeBillingRequest' },
);
export type ChangeBillingBody = Static<typeof ChangeBillingBody>;

/** Whom the invoices of an account are addressed to, as the account itself reads it. */
export const AccountBilling = Type.Object(
  {
    account_id: Type.String(),
    vat_number: Type.String({ description: '"" where there is none.' }),
    billing: nullable({ ...BillingIdentity, description: 'Null while it is not known.' }),
  },
  { title: 'AccountBilling' },
);
export type AccountBilling = Static<typeof AccountBilling>;
