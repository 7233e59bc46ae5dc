import { nullable, publicIdPattern } from '../lib/schemas.ts';
import { Type } from '../lib/typebox.ts';

const LINES_MAX = 1_000;
const QUANTITY_MAX = 10_000;
const PLACE_CHARACTERS_MAX = 200;
const POSTCODE_CHARACTERS_MAX = 20;

const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'ISO 3166-1 alpha-2, upper case.',
  examples: ['US'],
  'x-message': 'must be an ISO 3166-1 alpha-2 country code in capitals, such as GB.',
});

const Postcode = Type.String({
  minLength: 1,
  maxLength: POSTCODE_CHARACTERS_MAX,
  pattern: '\\S',
  description: 'Required for all countries; where a country has none, any non-blank text.',
  examples: ['94107'],
  'x-message': `must be 1 to ${POSTCODE_CHARACTERS_MAX} characters and not blank.`,
});

const State = (description: string) => Type.String({ maxLength: PLACE_CHARACTERS_MAX, description, examples: ['CA'] });

const Currency = (description: string) =>
  Type.String({
    pattern: '^[A-Z]{3}$',
    description,
    examples: ['GBP'],
    'x-message': 'must be an ISO 4217 currency code in capitals, such as GBP.',
  });

const variantMembers = {
  variant_id: Type.String({
    pattern: publicIdPattern('var'),
    description: 'The id of a variant of a base product.',
    'x-message': 'must be the id of a variant of a base product, var_….',
    'x-openapi': { type: 'string', minLength: 1 },
  }),
  qty: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, description: 'Pieces.' }),
};

/**
 * The body of `POST /shipping/rates` (spec 4.6).
 * What depends on the country is checked in `quote-request.ts`.
 */
export const ShippingRatesBody = Type.Object(
  {
    destination: Type.Object(
      {
        country: Country,
        postcode: Postcode,
        state: Type.Optional(nullable(State('Two letters for US and CA, two or three for AU.'))),
        city: Type.Optional(Type.String({ maxLength: PLACE_CHARACTERS_MAX, description: 'Town or city.' })),
      },
      { description: 'Where to.' },
    ),
    items: Type.Array(Type.Object(variantMembers), {
      minItems: 1,
      maxItems: LINES_MAX,
      description: 'What is shipped.',
    }),
    currency: Type.Optional(Currency('ISO 4217; GBP when left out.')),
  },
  { title: 'ShippingRatesBody' },
);

/** The body of `POST /tax/rates` (spec 4.6). */
export const TaxRatesBody = Type.Object(
  {
    destination: Type.Object(
      {
        country: Country,
        postcode: Postcode,
        state: Type.Optional(State('Required for US, CA, AU and IN: two letters, or three for AU.')),
      },
      { description: 'Where to.' },
    ),
    lines: Type.Array(
      Type.Object({
        ...variantMembers,
        unit_price: Type.Number({ minimum: 0, description: 'Sale price of one, in `currency`.', examples: [19.99] }),
      }),
      { minItems: 1, maxItems: LINES_MAX, description: 'What is sold.' },
    ),
    currency: Currency('ISO 4217.'),
  },
  { title: 'TaxRatesBody' },
);

/** The planned reply of `POST /shipping/rates` (spec 2.9). */
export const ShippingRates = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        service: Type.String(),
        carrier: Type.String(),
        amount: Type.Number({ description: 'In `currency`, major units.' }),
        currency: Type.String(),
        eta_days: Type.Object({ min: Type.Integer(), max: Type.Integer() }),
      }),
    ),
  },
  { title: 'ShippingRates', description: 'Planned: today the endpoint answers 501 to every call.' },
);

/** The planned reply of `POST /tax/rates` (spec 2.9). */
export const TaxRates = Type.Object(
  {
    currency: Type.String(),
    subtotal: Type.Number(),
    tax_total: Type.Number(),
    lines: Type.Array(
      Type.Object({
        variant_id: Type.String(),
        tax_rate: Type.Number(),
        tax_amount: Type.Number(),
        jurisdictions: Type.Array(Type.Object({ name: Type.String(), rate: Type.Number(), amount: Type.Number() })),
      }),
    ),
  },
  { title: 'TaxRates', description: 'Planned: today the endpoint answers 501 to every call.' },
);
