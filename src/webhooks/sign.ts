import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and the base64 of 32 random bytes (decisions, "Signing secret"). */
export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** A delivery, as far as its headers show it. Ids are the public ones. */
export type Delivered = {
  readonly event: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly deliveryId: string;
};

/** One attempt of a delivery. */
export type Attempt = Delivered & { readonly at: Date; readonly body: Buffer };

/** The headers that all attempts of a delivery have alike. */
export function stableHeaders({ event, eventId, subscriptionId, deliveryId }: Delivered): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1',
    'svc-event': event,
    'svc-webhook-id': subscriptionId,
    'svc-delivery-id': deliveryId,
    'webhook-id': eventId,
  };
}

/** The secret that signs; while another replaces it, that one comes second. */
export type SigningSecrets = readonly [present: string, next?: string];

/**
 * The headers of one attempt, the signatures over the exact bytes sent (spec 6.4).
 * The service's own signature is keyed by the whole secret string. The one of the Standard Webhooks specification is
 * keyed by the bytes that the secret encodes; it lists one for each secret. `next` is what is replacing `present`.
 */
export function signedHeaders(present: string, attempt: Attempt, next?: string): Record<string, string> {
  const timestamp = String(Math.floor(attempt.at.getTime() / 1_000));
  const own = (secret: string) => hmacSha256(secret, `${timestamp}.`, attempt.body).toString('hex');
  const standard = (secret: string) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${hmacSha256(key, `${attempt.eventId}.${timestamp}.`, attempt.body).toString('base64')}`;
  };
  return {
    ...stableHeaders(attempt),
    'svc-signature': own(present),
    ...(next === undefined ? {} : { 'svc-signature-next': own(next) }),
    'svc-timestamp': timestamp,
    'webhook-timestamp': timestamp,
    'webhook-signature': next === undefined ? standard(present) : `${standard(present)} ${standard(next)}`,
  };
}

function hmacSha256(key: string | Buffer, head: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(head).update(body).digest();
}
