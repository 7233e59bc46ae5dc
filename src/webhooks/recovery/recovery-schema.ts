import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { Event } from '../event-schema.ts';
import { EVENT_NAMES } from '../events.ts';

/** The reply of `POST /webhooks/{id}/rotate-secret`. */
export const RotatedSecret = Type.Object(
  {
    id: Type.String({ description: 'The id of the subscription.' }),
    secret: Type.String({ description: 'The new secret. It is shown this once.' }),
    previous_secret_until: {
      ...Timestamp,
      description: 'Until then deliveries are signed with both secrets, from then on with the new one alone.',
    },
  },
  { title: 'RotatedWebhookSecret' },
);
export type RotatedSecret = Static<typeof RotatedSecret>;

/** The body of `POST /webhooks/{id}/test`. */
export const TestBody = Type.Object(
  { event: Type.Optional(oneOf(EVENT_NAMES, { description: 'Which event to send; order.created by default.' })) },
  { title: 'TestWebhookBody' },
);
export type TestBody = Static<typeof TestBody>;

/** The reply of `POST /webhooks/{id}/test`. */
export const WebhookTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether a delivery that is answered so would count as succeeded.' }),
    request: Type.Object({
      url: Type.String(),
      headers: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
      body: Event,
    }),
    response_code: nullable(Type.Integer({ description: 'Null when no answer came.' })),
    answer: Type.String({
      description:
        'The beginning of the body of the answer, at most 2,048 bytes as text. Always empty for a host that is private and reached because the operator trusts it.',
    }),
    error: nullable(Type.String({ description: 'Why it would count as failed.' })),
    duration_ms: Type.Integer(),
  },
  { title: 'WebhookTest' },
);
export type WebhookTest = Static<typeof WebhookTest>;
