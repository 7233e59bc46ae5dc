import { pageQuery } from '../lib/paging.ts';
import { Moment, Money, nullable, oneOf, pageSchema, Timestamp } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { Customs } from './customs.ts';
import { EXTERNAL_REFERENCE_MAX, LineStatus, Order, StoredAddress } from './schema.ts';
import { ORDER_STATES, type OrderState } from './status.ts';

const [FIRST_STATE, ...OTHER_STATES] = ORDER_STATES;
if (FIRST_STATE === undefined) throw new Error('there are no states');

/** The internal states, which are finer than the public status. */
const State = oneOf<readonly [OrderState, ...OrderState[]]>([FIRST_STATE, ...OTHER_STATES]);

const OpsPrintJob = Type.Object(
  {
    area: Type.String(),
    method: Type.String(),
    station: nullable(Type.String({ description: 'Where it is worked; null until the order is promoted.' })),
    quantity_done: Type.Integer(),
    quantity_spoiled: Type.Integer(),
    artwork_state: oneOf(['pending', 'ready', 'failed', 'expired'], {
      description: 'The state of its print file; expired: its time was over, and it was deleted.',
    }),
    failure: nullable(Type.String({ description: 'Why the print file could not be made.' })),
  },
  { title: 'OpsPrintJob' },
);

const OpsLine = Type.Object(
  {
    id: Type.String(),
    product_id: Type.String(),
    variant_sku: Type.String(),
    name: Type.String(),
    colour: Type.String(),
    size: Type.String(),
    status: LineStatus,
    quantity: Type.Integer({ description: 'Pieces ordered.' }),
    quantity_cancelled: Type.Integer(),
    quantity_shipped: Type.Integer(),
    quantity_finished: Type.Integer({
      description:
        'Pieces done at every print job, shipped ones included. Pieces of a blank line count once it has started.',
    }),
    quantity_spoiled: Type.Integer({ description: 'Pieces that were spoiled and made again at no charge.' }),
    quantity_short: Type.Integer({
      description:
        'Pieces that the line is short of: spoiled, with no blank left to make them again. It has the next blanks.',
    }),
    quantity_to_start: Type.Integer({
      description: 'Pieces whose blanks are allocated and on the shelf: start the line to take them.',
    }),
    unit_price: Money,
    line_price: Money,
    artwork_ready: Type.Boolean({
      description: 'True once every print file of the line is ready, so that the line can start.',
    }),
    started_at: nullable(Timestamp),
    hold: { ...Order.properties.items.items.properties.hold, description: 'Set while the line is paused.' },
    allocation: nullable(
      Type.Object(
        { allocated: Type.Integer(), consumed: Type.Integer(), released: Type.Integer() },
        { description: 'Pieces of stock allocated to the line; null before the order is promoted.' },
      ),
    ),
    print_jobs: Type.Array(OpsPrintJob),
  },
  { title: 'OpsLine' },
);

const PaymentDispute = Type.Object(
  {
    id: Type.String({ description: 'The id at the payment provider.' }),
    state: oneOf(['open', 'lost', 'won'], { description: 'A lost dispute may give back a part.' }),
    withdrawn_gbp: { ...Money, description: 'What it took, as booked.' },
    reinstated_gbp: { ...Money, description: 'What of that was given back, as booked.' },
    opened_at: { ...Timestamp, description: 'When it was first reported.' },
    updated_at: { ...Timestamp, description: 'When a report last changed it.' },
  },
  { title: 'PaymentDispute' },
);

const PaymentAttempt = Type.Object(
  {
    id: Type.String(),
    method: oneOf(['card', 'direct_debit']),
    amount_gbp: Money,
    state: oneOf(['open', 'unknown', 'succeeded', 'failed'], {
      description: 'open and unknown: the outcome is not known yet, and nothing else may pay the order.',
    }),
    reason: Type.String({ description: 'Why it failed.' }),
    created_at: Timestamp,
    settled_at: nullable(Timestamp),
    returned_at: nullable({
      ...Timestamp,
      description:
        'When the provider took the money back (a direct debit that failed late, or a dispute), or when a collection of it was corrected.',
    }),
    recovered_at: nullable({
      ...Timestamp,
      description: 'When that money was collected after all, or its disputes were won.',
    }),
    disputes: Type.Array(PaymentDispute, { description: 'The disputes of the payment, the oldest first.' }),
  },
  { title: 'PaymentAttempt' },
);

const OrderMove = Type.Object(
  {
    action: Type.String({ description: 'What was done: place, promote, start, ship, cancel and so on.' }),
    from: nullable(State),
    to: State,
    actor: Type.String({ description: 'customer, system, or operator and an address.' }),
    reason: Type.String(),
    at: Timestamp,
  },
  { title: 'OrderMove' },
);

const OpsShipment = Type.Object(
  {
    ...Order.properties.shipments.items.properties,
    customs: nullable({
      ...Customs,
      description: 'What was declared; null for a parcel that stays in the customs territory.',
    }),
  },
  { title: 'OpsShipment' },
);

const OrderName = Type.Object({ id: Type.String(), reference: Type.String() });

/** An order as operators see it: what its owner sees, and its internal data. */
export const OpsOrder = Type.Object(
  {
    ...Order.properties,
    shipments: Type.Array(OpsShipment),
    state: State,
    account: Type.Object({ id: Type.String(), name: Type.String() }),
    replaced_by: Type.Array(OrderName, { description: 'Replacement orders that make good for this one.' }),
    billing_address: StoredAddress,
    shipping_service: Type.String(),
    quantity_short: Type.Integer({
      description: 'Pieces that its lines are short of: spoiled, with no blank left to make them again.',
    }),
    paid_gbp: { ...Money, description: 'What was paid, from the balance and by card or direct debit.' },
    refunded_gbp: { ...Money, description: 'What was refunded.' },
    refund_owed_gbp: { ...Money, description: 'What is still to be paid out by hand.' },
    due_gbp: { ...Money, description: 'What is still to be paid before the order can be promoted.' },
    payment_attempts: Type.Array(PaymentAttempt),
    lines: Type.Array(OpsLine, { description: 'The same lines as items, with quantities, stock and print jobs.' }),
    history: Type.Array(OrderMove, { description: 'Everything that happened to the order, oldest first.' }),
    tasks: Type.Array(
      Type.Object({ id: Type.String(), kind: Type.String(), note: Type.String(), opened_at: Timestamp }),
      { description: 'Open tasks, for a person to look at.' },
    ),
  },
  { title: 'OpsOrder' },
);
export type OpsOrder = Static<typeof OpsOrder>;

export const OpsOrderPage = pageSchema(OpsOrder);

export const OpsOrderParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, of any account.' }),
});

/** For read-only operations: the barcodes of an order's documents lead to it. */
export const ScannedOrderParams = Type.Object({
  id: Type.String({ description: 'Order id or reference, or the id of one of its lines, of any account.' }),
});

const Known = (description: string, maxLength = 100) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', description, 'x-message': 'must not be blank.' });

export const ListOpsOrdersQuery = Type.Object({
  ...pageQuery('ord'),
  state: Type.Optional({ ...State, description: 'Only orders in this state.' }),
  account: Type.Optional(Type.String({ maxLength: 100, description: 'Only orders of this account.' })),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: EXTERNAL_REFERENCE_MAX,
      description:
        'Only the order with this reference: ours, or the external_reference of its owner; or the order of the line with this id.',
    }),
  ),
  needs: Type.Optional(
    oneOf(['stock', 'artwork', 'refund', 'payment', 'resume'], {
      description: [
        'Only orders that lack something: stock, too little to promote them; artwork, which could not be made; a refund, to be',
        'paid out by hand; payment; resume, since a line of them is paused.',
      ].join(' '),
    }),
  ),
  tracking_number: Type.Optional(Known('Only orders with a parcel of this tracking number, in any case and spacing.')),
  recipient: Type.Optional(
    Known('Only orders whose recipient or company has all of these words, in any order, case and accents.'),
  ),
  postcode: Type.Optional(Known('Only orders that go to this postcode, in any case and spacing.')),
  phone: Type.Optional(Known('Only orders with this phone number, in any spacing, with or without +44.')),
  email: Type.Optional(Known('Only orders with this e-mail address, in any case.', 254)),
  external_reference: Type.Optional(
    Known("Only orders with this reference of their owner's, in any case and spacing.", EXTERNAL_REFERENCE_MAX),
  ),
  amount_gbp: Type.Optional(
    Type.String({
      pattern: '^\\d{1,9}(\\.\\d{1,2})?$',
      description: 'Only orders of this total, in GBP.',
      'x-message': 'must be an amount in pounds with at most two decimals, such as 15.98.',
    }),
  ),
  placed_from: Type.Optional(
    Moment('Only orders placed at this time or later. A date alone is the beginning of its day where the seller is.'),
  ),
  placed_to: Type.Optional(
    Moment('Only orders placed at this time or earlier. A date alone is the end of its day where the seller is.'),
  ),
  sort: Type.Optional(oneOf(['newest', 'oldest'], { description: 'Which come first; newest by default.' })),
});
export type ListOpsOrdersQuery = Static<typeof ListOpsOrdersQuery>;
