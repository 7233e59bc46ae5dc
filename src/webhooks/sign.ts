import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and the base64 of 32 random bytes (decisions, "Signing secret"). */
export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** One attempt, as far as its headers show it. Ids are the public ones. */
export type Attempt = {
  readonly event: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly deliveryId: string;
  readonly at: Date;
  readonly body: Buffer;
};

/**
 * The headers of one attempt, both signatures over the exact bytes sent (spec 6.4).
 * The service's own signature is keyed by the whole secret string. The one of the Standard Webhooks specification is
 * keyed by the bytes that the secret encodes.
 */
export function signedHeaders(secret: string, attempt: Attempt): Record<string, string> {
  const timestamp = String(Math.floor(attempt.at.getTime() / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const own = hmacSha256(secret, `${timestamp}.`, attempt.body).toString('hex');
  const standard = hmacSha256(key, `${attempt.eventId}.${timestamp}.`, attempt.body).toString('base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1',
    'svc-signature': own,
    'svc-timestamp': timestamp,
    'svc-event': attempt.event,
    'svc-webhook-id': attempt.subscriptionId,
    'svc-delivery-id': attempt.deliveryId,
    'webhook-id': attempt.eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  };
}

function hmacSha256(key: string | Buffer, head: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(head).update(body).digest();
}
