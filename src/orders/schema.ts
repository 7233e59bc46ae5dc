import { PositionBody } from '../artwork/schema.ts';
import { URL_LENGTH_MAX } from '../lib/outbound/addresses.ts';
import { dictionary, EmailAddress, Money, nullable, oneOf, pageSchema, Timestamp, Warnings } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { Inputs } from '../products/schema.ts';
import { CancellationRequest } from './asking/request-schema.ts';
import { Charge, Refund, SetupFee } from './charge-schema.ts';
import { CustomsNumbers, CustomsNumbersBody, DeclaredUnitPrice, DeclaredUnitPriceBody } from './customs-schema.ts';
import { LineArtwork, PlannedArtwork, ThumbnailUrl } from './line-artwork/artwork-schema.ts';
import { Block, ExpectedDelivery, Hold, OrderBrand, OrderName, Shipment } from './reading/order-parts-schema.ts';
import { PUBLIC_STATUSES } from './status.ts';

/** Lengths count Unicode code points (decisions, "Bounds"). */
const NAME_MAX = 200;
const LABEL_MAX = 100;
const ADDRESS_LINE_MAX = 200;
const NOTES_MAX = 1_000;
/** A unique index refuses keys over 2,704 bytes; four bytes a code point stay well below. */
export const EXTERNAL_REFERENCE_MAX = 255;
export const LINES_MAX = 1_000;
const PRINT_JOBS_MAX = 20;
const METADATA_PAIRS_MAX = 50;
export const METADATA_NAME_MAX = 100;

/** A text that is not blank. */
export const NonBlank = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description });
const Optional = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }));

/** Spec 2.4. */
export const Address = Type.Object(
  {
    contact_name: NonBlank(ADDRESS_LINE_MAX, 'Who receives the parcel.'),
    line1: NonBlank(ADDRESS_LINE_MAX, 'Street and number.'),
    city: NonBlank(ADDRESS_LINE_MAX, 'Town or city.'),
    postcode: NonBlank(20, 'Postcode; where a country has none, any non-blank text.'),
    country_code: Type.String({
      pattern: '^[A-Z]{2}$',
      description: 'ISO 3166-1 alpha-2, upper case.',
      'x-message': 'must be an ISO 3166-1 alpha-2 code in capitals, such as GB.',
    }),
    company_name: Optional(ADDRESS_LINE_MAX, 'Company.'),
    line2: Optional(ADDRESS_LINE_MAX, 'Second address line.'),
    county: Optional(ADDRESS_LINE_MAX, 'County, state or province.'),
    phone: Optional(50, 'Phone number; carriers ask for it abroad.'),
    email: Type.Optional(EmailAddress),
  },
  { title: 'Address', description: 'A postal address.' },
);
export type Address = Static<typeof Address>;

const Code = (description: string) => Type.String({ minLength: 1, maxLength: 40, description });
const Url = (description: string) => Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX, description });

const PrintJob = Type.Object(
  { area: Code('A print area of the product.'), method: Code('A method of that area.') },
  { title: 'PrintJob' },
);

const DecorationArea = Type.Object(
  {
    print_area: Code('A print area configured on the product.'),
    method: Code('Decoration method for that area.'),
    artwork_url: Url('Print-ready artwork, fetched over https.'),
    mock_url: Type.Optional(Url('Garment mock; the first one becomes the mock of the line.')),
    position: Type.Optional(PositionBody),
  },
  { title: 'DecorationArea' },
);

// Exactly one of the two (spec 4.2): a union's own message would not say so, hence the check in `basket-request.ts`.
const Decoration = Type.Object(
  {
    areas: Type.Optional(
      Type.Array(DecorationArea, {
        minItems: 1,
        maxItems: PRINT_JOBS_MAX,
        description: 'Artwork for this order: these areas are printed and billed, whatever print_jobs says.',
      }),
    ),
    personalisation: Type.Optional(
      Type.Object(
        {
          inputs: Inputs,
        },
        { title: 'PersonalisationInputs', description: 'For a personalised product.' },
      ),
    ),
  },
  { title: 'Decoration', description: 'Exactly one of areas and personalisation.' },
);

const Item = Type.Object(
  {
    product_id: Type.String({ minLength: 1, maxLength: 100, description: 'A customer product of the account.' }),
    variant_sku: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "A blank_variant_sku of the product's variants.",
    }),
    quantity: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Pieces.' }),
    name: Optional(NAME_MAX, 'Label of the line; the product name when left out.'),
    colour: Optional(LABEL_MAX, 'Display label recorded on the line.'),
    size: Optional(LABEL_MAX, 'Display label recorded on the line.'),
    print_jobs: Type.Optional(
      Type.Array(PrintJob, {
        maxItems: PRINT_JOBS_MAX,
        description: 'The areas to print and bill. Send every one; [] is a deliberately blank garment.',
      }),
    ),
    decoration: Type.Optional(Decoration),
    declared_unit_price: Type.Optional(DeclaredUnitPriceBody),
  },
  { title: 'OrderItem' },
);

/** The body of `POST /orders` and `POST /orders/estimate` (spec 4.1). */
export const PlaceOrderBody = Type.Object(
  {
    type: Type.Optional(oneOf(['sample', 'bulk'], { description: 'bulk by default.' })),
    items: Type.Array(Item, { minItems: 1, maxItems: LINES_MAX, description: 'The lines of the order.' }),
    shipping_address: Address,
    billing_address: Type.Optional({ ...Address, description: 'The shipping_address when left out.' }),
    external_reference: Type.Optional(
      NonBlank(EXTERNAL_REFERENCE_MAX, "The caller's own order id: unique over the platform, and the idempotency key."),
    ),
    expected_total: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'The total that was agreed, in GBP: an order at any other is not placed, and 409 has the present one. An estimate ignores it.',
      }),
    ),
    notes: Optional(NOTES_MAX, 'Free text for ops.'),
    brand: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            "The brand that the packing slip carries; the account's default when left out. null is none: the slip then names the print shop.",
        }),
      ),
    ),
    customs: Type.Optional(CustomsNumbersBody),
    shipping_service: Optional(
      100,
      'A service of shipping_options, or its id; the cheapest tracked one when left out.',
    ),
    metadata: Type.Optional(
      dictionary(Type.String({ maxLength: 500 }), {
        maxProperties: METADATA_PAIRS_MAX,
        description: "The caller's own data: up to 50 pairs of strings; a name has at most 100 characters.",
      }),
    ),
  },
  { title: 'PlaceOrderBody' },
);
export type PlaceOrderBody = Static<typeof PlaceOrderBody>;
export type PlaceOrderItem = PlaceOrderBody['items'][number];

const PrintJobs = Type.Array(Type.Object({ area: Type.String(), method: Type.String() }));

const PricedLine = Type.Object(
  {
    variant_sku: Type.String(),
    quantity: Type.Integer(),
    unit_price: { ...Money, description: 'Of one piece with its prints, in GBP, net of VAT.' },
    line_price: { ...Money, description: 'unit_price times quantity.' },
    print_jobs: PrintJobs,
  },
  { title: 'PricedLine' },
);

const EstimatedLine = Type.Object(
  { ...PricedLine.properties, artwork: Type.Array(PlannedArtwork, { description: 'How large and sharp it prints.' }) },
  { title: 'EstimatedLine' },
);

const ShippingOption = Type.Object(
  {
    id: Type.String({ description: 'Stays the same while the name of the service may change.' }),
    service: Type.String({ description: 'Send it, or the id, as shipping_service to pick this option.' }),
    carrier: Type.String(),
    amount: Money,
    currency: oneOf(['GBP']),
    eta_days: Type.Object({ min: Type.Integer(), max: Type.Integer() }, { description: 'Days until it arrives.' }),
    tracked: Type.Boolean(),
    expected_delivery: nullable({
      ...ExpectedDelivery,
      description:
        'When it arrives: of an estimate, if it is placed now. Null of an order that waits for its payment or is cancelled.',
    }),
  },
  { title: 'ShippingOption' },
);
export type ShippingOption = Static<typeof ShippingOption>;

const Amounts = {
  currency: oneOf(['GBP']),
  lines: Type.Array(PricedLine),
  subtotal: { ...Money, description: 'The sum of the lines, in GBP, net of VAT.' },
  setup_total: { ...Money, description: 'Setups that are due for the first time: one for each design and method.' },
  setups: Type.Array(SetupFee, {
    description:
      'Each setup that the lines need, one for each design and method: those charged with this order, then those paid before. While the order waits for payment and another pays the same setup, it comes off the price.',
  }),
  shipping_cost: { ...Money, description: 'In GBP, net of VAT.' },
  shipping_service: Type.String(),
  shipping_option: { ...ShippingOption, description: 'The chosen service, named by shipping_service.' },
  vat_amount: { ...Money, description: 'VAT in GBP. Read it; do not derive it by subtraction.' },
  duty_amount: { ...Money, description: 'Duty charged with the order, in GBP.' },
  total: { ...Money, description: 'subtotal + setup_total + shipping_cost + vat_amount + duty_amount.' },
};

/** Spec 2.5. */
export const Estimate = Type.Object(
  {
    ...Amounts,
    lines: Type.Array(EstimatedLine),
    estimate: Type.Boolean({ description: 'Always true.' }),
    notice: Type.String({ description: 'Says that prices, stock and shipping can change and nothing is reserved.' }),
    shipping_options: Type.Array(ShippingOption, {
      description: 'The other services for the destination, the cheapest first.',
    }),
    warnings: Warnings,
    existing_order: Type.Optional(
      Type.Object(
        { id: Type.String(), reference: Type.String() },
        { description: 'The order that already has this external_reference.' },
      ),
    ),
  },
  { title: 'Estimate' },
);
export type Estimate = Static<typeof Estimate>;

export const StoredAddress = Type.Object(
  {
    contact_name: Type.String(),
    company_name: Type.String(),
    line1: Type.String(),
    line2: Type.String(),
    city: Type.String(),
    county: Type.String(),
    postcode: Type.String(),
    country_code: Type.String(),
    phone: Type.String(),
    email: Type.String(),
  },
  { title: 'OrderAddress', description: 'A member that was not given is "".' },
);

const PaymentStatus = oneOf(['paid', 'processing', 'failed', 'refunded', 'part_refunded'], {
  description: 'failed: the order is kept and waits; it moves on once it is paid.',
});
export const LineStatus = oneOf(['queued', 'printing', 'part_shipped', 'shipped', 'cancelled']);
const SignedUrl = nullable(Type.String({ description: 'Signed, valid for one hour.' }));
const Metadata = dictionary(Type.String(), { maxProperties: METADATA_PAIRS_MAX });
const Status = oneOf(PUBLIC_STATUSES);

const OrderLine = Type.Object(
  {
    blank_variant_sku: Type.String(),
    qty: Type.Integer(),
    qty_shipped: Type.Integer({ description: 'Pieces of these that are in parcels on their way.' }),
    qty_cancelled: Type.Integer({ description: 'Pieces of these that are not made any more.' }),
    product_id: Type.String({ description: 'The product that was ordered; it may have changed since.' }),
    id: Type.String(),
    name: Type.String(),
    print_jobs: PrintJobs,
    artwork_ready: Type.Boolean({ description: 'True once every print file of the line is ready.' }),
    artwork: Type.Optional(LineArtwork),
    mock_url: SignedUrl,
    thumbnail_url: ThumbnailUrl,
    declared_unit_price: DeclaredUnitPrice,
    status: LineStatus,
    hold: nullable(Hold),
  },
  { title: 'OrderLine' },
);
export type OrderLine = Static<typeof OrderLine>;

/** Spec 2.2 with the additive fields of decisions. */
export const Order = Type.Object(
  {
    id: Type.String(),
    reference: Type.String(),
    type: oneOf(['sample', 'bulk']),
    source: oneOf(['api', 'portal', 'channel', 'replacement'], {
      description: 'Where it came from. replacement: the shop makes pieces of another order again, at a total of 0.',
    }),
    replaces: nullable(OrderName),
    status: Status,
    items: Type.Array(OrderLine),
    notes: Type.String(),
    brand: OrderBrand,
    external_reference: Type.String(),
    shop_number: Type.String({
      description:
        'The number that the buyer knows, as papers show it: of an order of a connected shop its number there, else external_reference.',
    }),
    payment_status: PaymentStatus,
    total: Money,
    currency: oneOf(['GBP']),
    shipping_address: StoredAddress,
    erased_at: nullable({
      ...Timestamp,
      description: 'When the personal data of the order was erased: its address has only the country left. Else null.',
    }),
    shipments: Type.Array(Shipment),
    expected_delivery: nullable({
      ...ExpectedDelivery,
      description:
        'When it is due to arrive: by the days of its service from the placing or a later payment; once it is dispatched, from its latest parcel. Null while it waits for payment, and once it is cancelled.',
    }),
    cancellable_until: Timestamp,
    actions: Type.Object({
      cancel: Type.Object({
        available: Type.Boolean({ description: 'Whether a cancel would be accepted now.' }),
        until: Timestamp,
      }),
      change_address: Type.Object({
        available: Type.Boolean({ description: 'Whether the delivery address could be changed now.' }),
        until: Timestamp,
      }),
      ask_to_cancel: Type.Object({
        available: Type.Boolean({
          description: 'Whether the shop can be asked to cancel it now: after its window, until it is dispatched.',
        }),
      }),
    }),
    cancellation_request: nullable(CancellationRequest),
    hold: nullable(Hold),
    blocked_by: Type.Array(Block, { description: 'All that keeps it from going on. Filter the list by `blocked_by`.' }),
    charges: Type.Array(Charge),
    refunds: Type.Array(Refund),
    customs: CustomsNumbers,
    metadata: Metadata,
    warnings: Warnings,
    version: Type.Integer({ description: 'Grows by one with each event of the order.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Order' },
);
export type Order = Static<typeof Order>;

/** The answer of `POST /orders`. */
export const CreatedOrder = Type.Object(
  {
    id: Type.String(),
    reference: Type.String(),
    type: oneOf(['sample', 'bulk']),
    status: Status,
    items: Type.Object({
      lineItems: Type.Array(
        Type.Object({
          id: Type.String(),
          product_id: Type.String(),
          variant_sku: Type.String(),
          quantity: Type.Integer(),
          name: Type.String(),
          colour: Type.String(),
          size: Type.String(),
          print_jobs: PrintJobs,
          unit_price: Money,
          line_price: Money,
          artwork_ready: Type.Boolean(),
          mock_url: SignedUrl,
          declared_unit_price: DeclaredUnitPrice,
        }),
      ),
      shippingAddress: StoredAddress,
    }),
    notes: Type.String(),
    brand: OrderBrand,
    external_reference: Type.String(),
    payment_status: PaymentStatus,
    charged: Type.Object(Amounts),
    cancellable_until: Timestamp,
    customs: CustomsNumbers,
    metadata: Metadata,
    warnings: Warnings,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'CreatedOrder' },
);
export type CreatedOrder = Static<typeof CreatedOrder>;

export const OrderPage = pageSchema(Order);

export const OrderParams = Type.Object({ id: Type.String({ description: 'Order id or reference.' }) });
