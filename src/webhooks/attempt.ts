import type { Context } from '../lib/context.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import type { PostResult } from '../lib/outbound/outbound.ts';
import type { ClaimedDelivery, Outcome } from './delivery-sql.ts';
import { envelope } from './envelope.ts';
import { signedHeaders } from './sign.ts';

/** At most this much of a response is read (decisions, "Attempts"). */
const ANSWER_BYTES_MAX = 65_536;

/**
 * Makes one attempt of a delivery: a signed POST to its subscription's URL (spec 6.4 to 6.6).
 * The address is checked again and redirects are not followed. A failure of the receiver is an outcome; an exception is
 * a fault of ours.
 */
export async function attemptDelivery(
  ctx: Pick<Context, 'config' | 'clock' | 'outbound' | 'secrets'>,
  delivery: ClaimedDelivery,
  leaseToken: Uuid,
): Promise<Outcome> {
  const body = envelope({
    id: delivery.event_id,
    event: delivery.event,
    createdAt: delivery.created_at,
    data: delivery.data,
    sequence: delivery.sequence,
  });
  const secret = ctx.secrets.unseal({ bytes: delivery.secret_sealed, keyId: delivery.secret_sealed_with });
  const headers = signedHeaders(secret, {
    event: delivery.event,
    eventId: publicId('evt', delivery.event_id),
    subscriptionId: publicId('whk', delivery.subscription_id),
    deliveryId: publicId('dlv', delivery.id),
    at: ctx.clock.now(),
    body,
  });
  const timeoutMs = ctx.config.webhookTimeoutMs;
  const result = await ctx.outbound.post(delivery.url, { headers, body, timeoutMs, answerBytesMax: ANSWER_BYTES_MAX });
  const attemptedAt = ctx.clock.now();
  const error = errorOf(result);
  const waitMs =
    error === null
      ? undefined
      : retryWaitMs(ctx.config.webhookRetrySeconds, delivery.attempts, retryAfterSeconds(result), Math.random());
  return {
    account: delivery.account_id,
    delivery: delivery.id,
    subscription: delivery.subscription_id,
    leaseToken,
    succeeded: error === null,
    attemptedAt,
    responseCode: result.kind === 'answered' ? result.status : null,
    error,
    retryAt: waitMs === undefined ? null : new Date(attemptedAt.getTime() + waitMs),
  };
}

/**
 * The error of an attempt as the customer sees it; null for a success.
 * It is in our own words and holds nothing that the receiver sent.
 */
function errorOf(result: PostResult): string | null {
  if (result.kind === 'failed') return result.error;
  if (result.status >= 200 && result.status < 300) return null;
  const isRedirect = result.status >= 300 && result.status < 400;
  return `The receiver answered ${result.status}; only 2xx counts as delivered${isRedirect ? ', and redirects are not followed' : ''}.`;
}

/** The receiver's `Retry-After`, for the statuses that may set it (decisions, "Attempts"). */
function retryAfterSeconds(result: PostResult): number {
  const isHonoured = result.kind === 'answered' && (result.status === 429 || result.status === 503);
  return isHonoured ? (result.retryAfterSeconds ?? 0) : 0;
}

/** Retries are spread by a tenth to either side, so that an outage does not end in a burst. */
const JITTER = 0.1;
const RETRY_AFTER_SECONDS_MAX = 86_400;

/**
 * Milliseconds from a failed attempt to the next; undefined after the last attempt (spec 6.6).
 * `attemptsBefore` counts the attempts before this one, `random` is from 0 to 1. `Retry-After` only ever lengthens the
 * wait.
 */
export function retryWaitMs(
  retrySeconds: readonly number[],
  attemptsBefore: number,
  retryAfter: number,
  random: number,
): number | undefined {
  const seconds = retrySeconds[attemptsBefore];
  if (seconds === undefined) return undefined;
  const spread = seconds * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(spread, Math.min(retryAfter, RETRY_AFTER_SECONDS_MAX)) * 1_000);
}
