import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf, pageSchema, TIMESTAMP_PATTERN, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { Event } from '../event-schema.ts';
import { EVENT_NAMES } from '../events.ts';

const STATUSES = ['pending', 'retrying', 'succeeded', 'abandoned', 'cancelled'] as const;

const deliveryMembers = {
  id: Type.String({ description: 'The same as the header svc-delivery-id.' }),
  event_id: Type.String({ description: 'The id of the event: the same for all its deliveries.' }),
  event: Type.String(),
  kind: oneOf(['event', 'redelivery', 'replay'], {
    description: 'Why it was made. Failures of redeliveries and of replays do not count towards the 15 that disable.',
  }),
  status: oneOf(STATUSES),
  attempts: Type.Integer(),
  response_code: nullable(Type.Integer({ description: 'Of the last attempt; null when no answer came.' })),
  error: nullable(Type.String({ description: 'Why the last attempt failed.' })),
  created_at: Timestamp,
  attempted_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
};

/** A delivery as lists show it. */
export const Delivery = Type.Object(deliveryMembers, { title: 'WebhookDelivery' });
export type Delivery = Static<typeof Delivery>;

export const DeliveryPage = pageSchema(Delivery);

/** A delivery with what was sent. */
export const DeliveryDetail = Type.Object(
  {
    ...deliveryMembers,
    answer: nullable(
      Type.String({
        description:
          'The beginning of the answer to the last attempt, at most 1,024 bytes as text; null after a success, and where the answer was empty or none came.',
      }),
    ),
    request: nullable(
      Type.Object(
        {
          headers: Type.Unsafe<Record<string, string>>({
            type: 'object',
            additionalProperties: { type: 'string' },
            description: 'Those that are the same at each attempt; time and signatures are new each time.',
          }),
          body: Event,
        },
        { title: 'WebhookDeliveryRequest', description: 'Null once the event has left the log.' },
      ),
    ),
  },
  { title: 'WebhookDeliveryDetail' },
);
export type DeliveryDetail = Static<typeof DeliveryDetail>;

const timeOf = (description: string) =>
  Type.String({
    pattern: TIMESTAMP_PATTERN,
    description,
    'x-message': 'must be a time such as 2026-11-21T09:30:00.000Z.',
  });

export const ListDeliveriesQuery = Type.Object({
  ...pageQuery('dlv'),
  status: Type.Optional(oneOf(STATUSES, { description: 'Only deliveries with this status.' })),
  event: Type.Optional(oneOf(EVENT_NAMES, { description: 'Only deliveries of this event.' })),
  since: Type.Optional(
    timeOf('Only deliveries created at this time or later; some of the minute before are among them.'),
  ),
  until: Type.Optional(timeOf('Only deliveries whose cause began before this time.')),
});
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>;
