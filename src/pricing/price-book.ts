import { VAT_STATUSES } from '../accounts/vat-number.ts';
import { Code, SHIPPING_CLASSES, SIZE_CLASSES, Sku, VAT_CLASSES } from '../catalogue/document.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { checkShape, type Shaped } from '../lib/validation/validate.ts';
import { POSTCODE_PREFIX_LENGTH_MAX, TERRITORIES } from './territory.ts';

/**
 * Bounds that keep the dearest order exact.
 * 1,000 lines of 10,000 pieces with a blank, 10 surcharges and 20 prints at the highest price are 3.1 × 10^13 pence;
 * 20,000 setups add 2 × 10^10; 5 × 10^11 grams in parcels of `PARCEL_ROOM_GRAMS_MIN` at the highest postage 5 × 10^14;
 * VAT and duty at 100 % can quadruple that. Declared values are at most 10^13 pence. All below 2^53 = 9 × 10^15.
 */
const PRICE_PENCE_MAX = 100_000;
const SETUP_PENCE_MAX = 1_000_000;
const POSTAGE_PENCE_MAX = 100_000;
const WEIGHT_GRAMS_MAX = 1_000_000;
/** A service's largest parcel must leave this much for goods beside the packaging. */
export const PARCEL_ROOM_GRAMS_MIN = 100;
const QUANTITY_MAX = 10_000_000;

const Title = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' });
const CountryCode = Type.String({ pattern: '^[A-Z]{2}$' });
const Instant = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
  description: 'ISO 8601 in UTC with milliseconds, 2026-01-31T00:00:00.000Z.',
});
const BasisPoints = Type.Integer({
  minimum: 0,
  maximum: 10_000,
  description: 'Hundredths of a per cent; 2000 is 20 %.',
});
const PostagePence = Type.Integer({ minimum: 0, maximum: POSTAGE_PENCE_MAX });
const closed = { additionalProperties: false } as const;

const Breaks = Type.Array(
  Type.Object(
    {
      from_quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }),
      unit_pence: Type.Integer({ minimum: 0, maximum: PRICE_PENCE_MAX }),
    },
    closed,
  ),
  { minItems: 1, maxItems: 50, description: 'Quantity breaks: the first from 1, each later one higher and no dearer.' },
);

const Blank = Type.Object(
  {
    master_sku: Sku,
    breaks: Breaks,
    surcharges: Type.Array(
      Type.Object(
        {
          sizes: Type.Optional(Type.Array(Title, { minItems: 1, maxItems: 100 })),
          colours: Type.Optional(Type.Array(Title, { minItems: 1, maxItems: 200 })),
          unit_pence: Type.Integer({ minimum: 1, maximum: PRICE_PENCE_MAX }),
        },
        closed,
      ),
      { maxItems: 10, description: 'Added to the blank of each variant that is of these sizes and of these colours.' },
    ),
  },
  closed,
);

const Print = Type.Object(
  {
    method: Code,
    print_area: Type.Optional(Code),
    size_class: Type.Optional(Type.Enum([...SIZE_CLASSES])),
    master_sku: Type.Optional(Sku),
    breaks: Breaks,
  },
  { ...closed, description: 'Names a print area or a size class; a base product makes it hold for that one only.' },
);

const Setup = Type.Object(
  {
    method: Code,
    basis: Type.Enum(['design'], { description: 'What the fee is counted by.' }),
    pence: Type.Integer({ minimum: 1, maximum: SETUP_PENCE_MAX }),
    included_units: Type.Integer({ minimum: 1, maximum: 1, description: 'Units of the basis that the fee covers.' }),
  },
  closed,
);

const VatRate = Type.Object(
  {
    vat_statuses: Type.Array(Type.Enum([...VAT_STATUSES]), { minItems: 1 }),
    territories: Type.Array(Type.Enum([...TERRITORIES]), { minItems: 1 }),
    vat_classes: Type.Array(Type.Enum([...VAT_CLASSES]), { minItems: 1 }),
    rate_bp: BasisPoints,
    note: Type.Optional({
      ...Title,
      description:
        'Stands on invoices beside what is charged at this rate: why it is zero-rated, reverse charge and so on.',
    }),
  },
  { ...closed, description: 'The rate of every combination of its three lists.' },
);

const ZoneEntry = Type.Object(
  {
    zone: Code,
    title: Title,
    country_codes: Type.Array(CountryCode, { maxItems: 300 }),
    postcodes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            country_code: CountryCode,
            prefixes: Type.Array(Type.String({ pattern: `^[A-Z0-9]{1,${POSTCODE_PREFIX_LENGTH_MAX}}$` }), {
              minItems: 1,
              maxItems: 500,
              description:
                'Beginnings of well-formed postcodes; for GB an area (BT), a district (PA20) or an outward code (EC1A).',
            }),
          },
          closed,
        ),
        { maxItems: 300 },
      ),
    ),
  },
  closed,
);

const Service = Type.Object(
  {
    id: { ...Code, description: 'Keep it when the name or the prices change: customers pick the service by it.' },
    zone: Code,
    service: Title,
    carrier: Title,
    tracked: Type.Boolean(),
    eta_days: Type.Object(
      { min: Type.Integer({ minimum: 0, maximum: 365 }), max: Type.Integer({ minimum: 0, maximum: 365 }) },
      closed,
    ),
    shipping_classes: Type.Array(Type.Enum([...SHIPPING_CLASSES]), { minItems: 1, description: 'What it can carry.' }),
    weight_bands: Type.Array(
      Type.Object(
        { up_to_grams: Type.Integer({ minimum: 1, maximum: WEIGHT_GRAMS_MAX }), pence: PostagePence },
        closed,
      ),
      {
        minItems: 1,
        maxItems: 50,
        description: 'Price of a parcel, packaging included; the last is the largest parcel.',
      },
    ),
  },
  closed,
);

const PackagingGrams = Type.Integer({ minimum: 0, maximum: 10_000, description: 'For each parcel.' });

const DutyRuleEntry = Type.Object(
  {
    territory: Type.Enum([...TERRITORIES]),
    country_code: Type.Optional(CountryCode),
    hs_prefix: Type.Optional(Type.String({ pattern: '^[0-9]{2,10}$' })),
    origin_country: Type.Optional(CountryCode),
    declared_over_pence: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    declared_up_to_pence: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    ad_valorem_bp: BasisPoints,
    per_hs_group_pence: PostagePence,
    per_parcel_pence: PostagePence,
    incoterm: Type.Enum(['DDP', 'DAP'], {
      description: 'DDP: duty is charged with the order. DAP: the recipient pays it.',
    }),
    valid_from: Instant,
  },
  closed,
);

/**
 * The prices, rates and rules behind an order's price, with the date from which they are valid.
 * Money is integer pence. Operators replace the demo's book by their own.
 */
export const PriceBook = Type.Object(
  {
    valid_from: Instant,
    note: Type.String({ maxLength: 1_000, pattern: '^[^\\u0000]*$' }),
    blanks: Type.Array(Blank, { minItems: 1, maxItems: 2_000 }),
    prints: Type.Array(Print, { maxItems: 5_000 }),
    setups: Type.Array(Setup, { maxItems: 50 }),
    vat_rates: Type.Array(VatRate, { minItems: 1, maxItems: 200 }),
    shipping: Type.Object(
      {
        packaging_grams: Type.Object({ flat: PackagingGrams, boxed: PackagingGrams, tube: PackagingGrams }, closed),
        zones: Type.Array(ZoneEntry, { minItems: 1, maxItems: 300 }),
        services: Type.Array(Service, { minItems: 1, maxItems: 1_000 }),
      },
      closed,
    ),
    duty_rules: Type.Array(DutyRuleEntry, { minItems: 1, maxItems: 2_000 }),
  },
  { ...closed, title: 'Platen price book' },
);
export type PriceBook = Static<typeof PriceBook>;
export type Breaks = PriceBook['prints'][number]['breaks'];

/**
 * Checks the shape of a price book; problems have paths below `root`.
 * Its meaning is checked by `priceBookProblems`.
 */
export function readPriceBook(value: unknown, root = ''): Shaped<PriceBook> {
  return checkShape(PriceBook, value, root);
}

/** What an area of a product costs to print by a method: the key of a price's own entry in the book. */
export function printScope(print: {
  readonly method: string;
  readonly print_area?: string | undefined;
  readonly size_class?: string | undefined;
  readonly master_sku?: string | undefined;
}): string {
  return [print.method, print.print_area ?? '', print.size_class ?? '', print.master_sku ?? ''].join(':');
}

/**
 * Creates the look-up of a print price by a product's area and method.
 * The most specific entry wins: the product's own area, its size class, then any product's area, then any size class.
 * It returns undefined when the book has no price.
 */
export function printPriceFinder(
  prints: PriceBook['prints'],
): (job: { method: string; printArea: string; sizeClass: string; masterSku: string }) => Breaks | undefined {
  const byScope = new Map(prints.map((print) => [printScope(print), print.breaks]));
  return ({ method, printArea, sizeClass, masterSku }) =>
    byScope.get(printScope({ method, print_area: printArea, master_sku: masterSku })) ??
    byScope.get(printScope({ method, size_class: sizeClass, master_sku: masterSku })) ??
    byScope.get(printScope({ method, print_area: printArea })) ??
    byScope.get(printScope({ method, size_class: sizeClass }));
}
