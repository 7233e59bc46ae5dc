import { Event } from '../../webhooks/event-schema.ts';
import { EVENT_NAMES, type EventData } from '../../webhooks/events.ts';
import { EVENT_EXAMPLES } from '../../webhooks/recovery/sample-events.ts';
import type { Components, JsonObject } from './schemas.ts';

type EventName = keyof EventData;

const FIRES_WHEN: { readonly [Name in EventName]: string } = {
  'order.created': 'The order was placed and paid for.',
  'order.payment_failed': 'The charge failed. The order exists, but waits until it is paid.',
  'order.in_production': 'At least one line has started production.',
  'order.shipment_created':
    'A shipment was sent, with its tracking. One event for each shipment, including the last. It is not sent again when the tracking is corrected.',
  'order.dispatched': 'Every line that is not cancelled has shipped. It carries the final, corrected tracking.',
  'order.cancelled': 'The order was cancelled, through the API within the window or by the print shop.',
  'order.on_hold': 'The order is paid, but held before production.',
};

/**
 * The webhooks section, one entry for each event.
 * An entry is the request that a subscription's URL receives (spec 6).
 */
export function webhookItems(components: Components): JsonObject {
  return Object.fromEntries(EVENT_NAMES.map((event) => [event, { post: delivery(event, components) }]));
}

function delivery(event: EventName, components: Components): JsonObject {
  const example = {
    id: 'evt_01k9zq5w2m5c8d1e4f7g0h3j6k',
    event,
    created_at: '2026-11-21T09:30:00.000Z',
    data: EVENT_EXAMPLES[event],
    sequence: 1,
  };
  const name = event.split(/[._]/).map(capitalised).join('');
  const schema = Event.anyOf.find((each) => 'title' in each && each.title === `${name}Event`);
  if (schema === undefined) throw new Error(`${event} has no schema`);
  return {
    operationId: `on${name}`,
    tags: ['Events'],
    summary: event,
    description: FIRES_WHEN[event],
    security: [],
    parameters: Object.keys(deliveryHeaders()).map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: components.lift(schema), example } },
    },
    responses: {
      '2XX': { description: 'Received.' },
      default: {
        description:
          'Any other status, redirects included, is a failure. The delivery is retried up to six times over about 22 hours. After 15 failures in a row the subscription is disabled.',
      },
    },
  };
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The headers of a delivery (spec 6.4), as parameters that the webhooks share. */
export function deliveryHeaders(): JsonObject {
  return Object.fromEntries(
    Object.entries(DELIVERY_HEADERS).map(([name, { description, required }]) => [
      name,
      { name, in: 'header', required, description, schema: { type: 'string' } },
    ]),
  );
}

const DELIVERY_HEADERS: Readonly<Record<string, { description: string; required: boolean }>> = {
  'svc-signature': {
    description:
      'HMAC-SHA256 of the timestamp, a dot and the raw body, in lower-case hex. The key is the whole secret, whsec_ included.',
    required: true,
  },
  'svc-signature-next': {
    description:
      'Only for 24 hours after POST /webhooks/{id}/rotate-secret: the same by the new secret. Accept a delivery if either fits.',
    required: false,
  },
  'svc-timestamp': {
    description: 'Unix seconds; covered by the signature. Refuse a delivery more than 300 seconds from your clock.',
    required: true,
  },
  'svc-event': { description: 'The name of the event.', required: true },
  'svc-webhook-id': { description: 'The id of the subscription.', required: true },
  'svc-delivery-id': { description: 'The same for all attempts of one delivery.', required: true },
  'webhook-id': { description: 'The id of the event, for libraries of Standard Webhooks.', required: true },
  'webhook-timestamp': { description: 'As svc-timestamp.', required: true },
  'webhook-signature': {
    description:
      'The signature of Standard Webhooks: `v1,` and base64. The key is the decoded secret. While a secret is being replaced, both signatures with a blank between.',
    required: true,
  },
};
