import { type Page, pageQuery } from '../lib/paging.ts';
import { Money, nullable, oneOf, pageSchema, publicIdPattern, TIMESTAMP_PATTERN, Timestamp } from '../lib/schemas.ts';
import { type Static, type TSchema, Type } from '../lib/typebox.ts';

const reference = Type.String({ description: 'The human reference of the order, PF-….' });
const status = Type.String({
  description: "The order's status when the event was recorded, not what has just happened.",
});
const order_id = Type.String({ description: 'The id of the order, ord_….' });

/** The `data` of each event: the fields of spec 6.3 and no others. Amounts are GBP in major units. */
export const EVENT_DATA = {
  'order.created': Type.Object({
    order_id,
    reference,
    external_reference: Type.String({ description: '"" when the order has none.' }),
    status,
    total: Money,
    currency: oneOf(['GBP']),
    item_count: Type.Integer({ description: 'The number of lines.' }),
  }),
  'order.payment_failed': Type.Object({
    order_id,
    reference,
    amount_gbp: Money,
    paid_gbp: Money,
    remaining_gbp: Money,
    failed_method: Type.String(),
    reason: Type.String(),
  }),
  'order.in_production': Type.Object({ order_id, reference, status }),
  'order.shipment_created': Type.Object({
    reference,
    status,
    shipment: Type.Object({
      tracking_number: Type.String(),
      carrier: Type.String(),
      tracking_url: nullable(Type.String()),
      items: Type.Array(Type.Object({ variant_sku: Type.String(), name: Type.String(), quantity: Type.Integer() })),
    }),
  }),
  'order.dispatched': Type.Object({
    reference,
    status,
    carrier: Type.String({ description: 'The carrier of the latest shipment.' }),
    tracking_numbers: Type.Array(Type.String()),
  }),
  'order.cancelled': Type.Object({
    order_id,
    reference,
    status,
    refunded_gbp: Money,
    cancelled_by: Type.String({ description: 'api or ops.' }),
  }),
  'order.on_hold': Type.Object({ reference, status, reason: Type.String() }),
} as const;

function eventSchema<const Name extends keyof typeof EVENT_DATA, Data extends TSchema>(
  title: string,
  name: Name,
  data: Data,
) {
  return Type.Object(
    {
      id: Type.String({ description: 'Stable across retries and replays: deduplicate by it.' }),
      event: oneOf([name]),
      created_at: Timestamp,
      data,
      sequence: Type.Integer({ description: 'Grows by one with each event of an order: put events in order by it.' }),
      test: Type.Optional(
        Type.Boolean({
          description: 'true in an event of POST /webhooks/{id}/test, which never happened; absent otherwise.',
        }),
      ),
    },
    { title },
  );
}

/** An event as it is delivered and as the log shows it (spec 6.2; decisions, "Event envelope"). */
export const Event = Type.Union(
  [
    eventSchema('OrderCreatedEvent', 'order.created', EVENT_DATA['order.created']),
    eventSchema('OrderPaymentFailedEvent', 'order.payment_failed', EVENT_DATA['order.payment_failed']),
    eventSchema('OrderInProductionEvent', 'order.in_production', EVENT_DATA['order.in_production']),
    eventSchema('OrderShipmentCreatedEvent', 'order.shipment_created', EVENT_DATA['order.shipment_created']),
    eventSchema('OrderDispatchedEvent', 'order.dispatched', EVENT_DATA['order.dispatched']),
    eventSchema('OrderCancelledEvent', 'order.cancelled', EVENT_DATA['order.cancelled']),
    eventSchema('OrderOnHoldEvent', 'order.on_hold', EVENT_DATA['order.on_hold']),
  ],
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

/** A page of the log, and since when the log is whole. */
export const EventPage = Type.Object(
  {
    ...pageSchema(Event).properties,
    log_begins_at: {
      ...Timestamp,
      description:
        'The log is whole from this time on; events that were recorded before have ended. If your cursor or since is older, read what you missed with GET /orders?updated_since=.',
    },
  },
  { title: 'EventPage' },
);
export type EventLogPage = Page<Event> & { readonly log_begins_at: string };

/** Longer than all names together with their commas. */
const NAMES_CHARACTERS_MAX = 500;

export const ListEventsQuery = Type.Object({
  limit: pageQuery('evt').limit,
  cursor: Type.Optional(
    Type.String({
      pattern: publicIdPattern('evt'),
      description:
        'Where to continue: the next_cursor of the previous page or, where that is null at the end of the log, the id of the last event that you have read here. The log never skips an event: poll with the same cursor until there is a new one.',
      'x-message': 'must be the next_cursor of a page of events, or the id of an event.',
      // Opaque: its form is no part of the contract.
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
  order: Type.Optional(
    Type.String({
      pattern: '^(ord_[0-7][0-9a-hjkmnp-tv-z]{25}|[Pp][Ff]-[2-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{8})$',
      description: 'Only events of this order: its id or its reference.',
      'x-message': 'must be the id or the reference of an order.',
      'x-openapi': { type: 'string', minLength: 1 },
    }),
  ),
  event: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: NAMES_CHARACTERS_MAX,
      description: `Only events of these names, with commas between: ${Object.keys(EVENT_DATA).join(', ')}.`,
      examples: ['order.created,order.payment_failed'],
    }),
  ),
  sort: Type.Optional(
    oneOf(['newest'], {
      description:
        'Newest first, to look at what has just happened; next_cursor then goes back in time. What must miss no event reads without it.',
    }),
  ),
  since: Type.Optional(
    Type.String({
      pattern: TIMESTAMP_PATTERN,
      description: 'Only events created at this time or later. The log reaches back to log_begins_at, 30 days or more.',
      'x-message': 'must be a time such as 2026-11-21T09:30:00.000Z.',
    }),
  ),
});
export type ListEventsQuery = Static<typeof ListEventsQuery>;
