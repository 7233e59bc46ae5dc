import { ShopOrderReceived } from '../../channels/inbox-schema.ts';
import { ShopOrderBody } from '../../channels/shop-order.ts';
import type { ErrorCode } from '../../lib/error-catalogue.ts';
import { Type } from '../../lib/typebox.ts';
import { documentOf } from './document.ts';
import { PUBLIC_ERRORS } from './error-responses.ts';
import { sharedHeaders } from './headers.ts';
import type { DescribedOperation } from './operations.ts';
import type { JsonObject } from './schemas.ts';

const VERSION = '1.0.0';

const ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'payload_too_large',
  'validation_failed',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** What a shop of a customer calls that sends its orders itself. */
export const SHOP_OPERATIONS: readonly DescribedOperation[] = [
  {
    method: 'POST',
    path: '/channels/:id/orders',
    operationId: 'sendShopOrder',
    tag: 'Orders',
    summary: 'Send an order of a shop, or a change of one',
    description:
      'The same again changes nothing, and what is older than what came before changes nothing: send it until it is answered with 202. A wrong address or an item that is not known is no refusal: the order waits in the inbox of the shop with the reason.',
    security: [{ signature: [] }],
    params: Type.Object({ id: Type.String({ description: 'The channel, such as `chan_…`.' }) }),
    query: undefined,
    body: ShopOrderBody,
    headerParameters: ['webhook-id', 'webhook-timestamp'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    replies: { 202: ShopOrderReceived },
    errorCodes: ERRORS,
    examples: {
      request: {
        id: '5001',
        number: '#1001',
        ordered_at: '2026-11-25T10:00:00.000Z',
        updated_at: '2026-11-25T10:00:00.000Z',
        shipping_address: {
          contact_name: 'Ada Byron',
          line1: '12 Mill Lane',
          city: 'Leeds',
          postcode: 'LS1 4DY',
          country_code: 'GB',
        },
        items: [{ id: '1', variant_id: '9001', title: 'Fern tee', options: 'White / M', quantity: 1 }],
      },
    },
  },
];

/** Makes the OpenAPI 3.1 document of what a connected shop calls that sends its orders itself. */
export function shopOpenApiDocument(): JsonObject {
  const api = {
    title: 'Platen for connected shops',
    version: VERSION,
    summary: 'For a shop that sends its orders itself.',
    introduction: INTRODUCTION,
    server: { url: '/', description: 'This service.' },
    tags: [{ name: 'Orders', description: 'Orders of a shop, and changes of them.' }],
    errors: PUBLIC_ERRORS,
    headers: sharedHeaders(),
    parameters: { 'webhook-id': MESSAGE, 'webhook-timestamp': SENT_AT },
    securitySchemes: { signature: SIGNATURE },
  };
  return documentOf(api, SHOP_OPERATIONS);
}

const MESSAGE = {
  name: 'webhook-id',
  in: 'header',
  required: true,
  description: 'A text of your choice, new for each request. It is signed.',
  schema: { type: 'string', minLength: 1 },
};

const SENT_AT = {
  name: 'webhook-timestamp',
  in: 'header',
  required: true,
  description: 'When the request was signed, in Unix seconds. It is taken for five minutes. It is signed.',
  schema: { type: 'string', pattern: '^\\d+$' },
};

const SIGNATURE = {
  type: 'apiKey',
  in: 'header',
  name: 'webhook-signature',
  description:
    '`v1,` and the HMAC-SHA256 in Base64 of `webhook-id.webhook-timestamp.body`, over the exact bytes of the body. The key is what `whsec_…` encodes in Base64 (Standard Webhooks). Several signatures stand with a space between them.',
};

const INTRODUCTION = `A shop that no adapter reads sends its orders here: each order, and each change of one, in one signed request. Connect it in the portal, under *Connected shops*, which shows its address and its secret.

The walk-through at \`/docs/channels\` has a script that signs, what the members mean, and what becomes of an order. Tracking and cancels come by the webhooks of the public API, whose document is \`/api/v1/openapi.json\`.

A member that is not known is left out, as shops send much of their buyers that no order needs.`;
