import type { Context } from '../lib/context.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import type { PostResult } from '../lib/outbound/outbound.ts';
import type { ClaimedDelivery } from './claim-sql.ts';
import type { Outcome, PutBack } from './delivery-sql.ts';
import { envelope } from './envelope.ts';
import { keepBeginning } from './recovery/keep-beginning.ts';
import { openSecrets } from './recovery/open-secrets.ts';
import { signedHeaders } from './sign.ts';

/** At most this much of a response is read (decisions, "Attempts"). */
const ANSWER_BYTES_MAX = 65_536;
/** So much is kept of an answer that is a failure: the message of a framework without its trace. */
const ANSWER_KEPT_BYTES = 1_024;

/** What became of a claimed delivery: an attempt to record, or a failure of ours. */
export type AttemptResult =
  | { readonly kind: 'attempted'; readonly outcome: Outcome }
  | { readonly kind: 'put_back'; readonly putBack: PutBack; readonly blame: 'busy' | 'down'; readonly reason: string };

/**
 * Makes one attempt of a delivery: a signed POST to its subscription's URL (spec 6.4 to 6.6).
 * The address is checked again and redirects are not followed. A failure of the receiver is an outcome. A failure of
 * ours puts the delivery back (docs/decisions/0029-what-counts-against-a-receiver.md); an exception is a bug. A secret
 * whose key was given up counts as a failure: so its subscription ends, and says why.
 */
export async function attemptDelivery(
  ctx: Pick<Context, 'config' | 'clock' | 'outbound' | 'secrets'>,
  delivery: ClaimedDelivery,
  leaseToken: Uuid,
): Promise<AttemptResult> {
  const body = envelope({
    id: delivery.event_id,
    event: delivery.event,
    createdAt: delivery.created_at,
    data: delivery.data,
    sequence: delivery.sequence,
  });
  const secrets = openSecrets(ctx, delivery);
  if (secrets === undefined) {
    const lost = { error: SECRET_LOST, answer: null, responseCode: null, retryAfter: 0, attemptedAt: ctx.clock.now() };
    return { kind: 'attempted', outcome: outcomeOf(ctx, delivery, leaseToken, lost) };
  }
  const [present, next] = secrets;
  const attempt = {
    event: delivery.event,
    eventId: publicId('evt', delivery.event_id),
    subscriptionId: publicId('whk', delivery.subscription_id),
    deliveryId: publicId('dlv', delivery.id),
    at: ctx.clock.now(),
    body,
  };
  const headers = signedHeaders(present, attempt, next);
  const timeoutMs = ctx.config.webhookTimeoutMs;
  const kept = keepBeginning(ANSWER_KEPT_BYTES);
  const limits = { timeoutMs, answerBytesMax: ANSWER_BYTES_MAX, takeAnswer: kept.take };
  const request = { owner: delivery.account_id, headers, body, ...limits };
  const result = await ctx.outbound.post(delivery.url, request);
  const attemptedAt = ctx.clock.now();
  if (result.kind === 'unavailable') {
    const { blame, reason } = result;
    const dueAt = new Date(attemptedAt.getTime() + putBackWaitMs(Math.random()));
    const putBack = { account: delivery.account_id, delivery: delivery.id, leaseToken, dueAt };
    return { kind: 'put_back', putBack, blame, reason };
  }
  const error = errorOf(result);
  const text = error === null ? '' : kept.text();
  const end = {
    error,
    answer: text === '' ? null : text,
    responseCode: result.kind === 'answered' ? result.status : null,
    retryAfter: retryAfterSeconds(result),
    attemptedAt,
  };
  return { kind: 'attempted', outcome: outcomeOf(ctx, delivery, leaseToken, end) };
}

const SECRET_LOST =
  'The signing secret of this subscription cannot be read any more, so nothing is sent. Rotate the secret, or remove the subscription and create it anew.';

/** How an attempt ended; without an error it succeeded. */
type End = {
  readonly error: string | null;
  readonly answer: string | null;
  readonly responseCode: number | null;
  readonly retryAfter: number;
  readonly attemptedAt: Date;
};

function outcomeOf(
  { config }: Pick<Context, 'config'>,
  delivery: ClaimedDelivery,
  leaseToken: Uuid,
  { error, answer, responseCode, retryAfter, attemptedAt }: End,
): Outcome {
  const waitMs =
    error === null ? undefined : retryWaitMs(config.webhookRetrySeconds, delivery.attempts, retryAfter, Math.random());
  return {
    account: delivery.account_id,
    delivery: delivery.id,
    subscription: delivery.subscription_id,
    leaseToken,
    succeeded: error === null,
    attemptedAt,
    responseCode,
    error,
    answer,
    retryAt: waitMs === undefined ? null : new Date(attemptedAt.getTime() + waitMs),
  };
}

/**
 * A failure of ours is usually short.
 * The spread keeps what was put back from coming due at one moment.
 */
const PUT_BACK_MS_MIN = 10_000;
const PUT_BACK_MS_MAX = 20_000;

function putBackWaitMs(random: number): number {
  return Math.round(PUT_BACK_MS_MIN + (PUT_BACK_MS_MAX - PUT_BACK_MS_MIN) * random);
}

export type HostResult = Exclude<PostResult, { kind: 'unavailable' }>;

/**
 * The error of an attempt as the customer sees it; null for a success.
 * It is in our own words and holds nothing that the receiver sent.
 */
export function errorOf(result: HostResult): string | null {
  if (result.kind === 'failed') return result.error;
  if (result.status >= 200 && result.status < 300) return null;
  const isRedirect = result.status >= 300 && result.status < 400;
  return `The receiver answered ${result.status}; only 2xx counts as delivered${isRedirect ? ', and redirects are not followed' : ''}.`;
}

/** The receiver's `Retry-After`, for the statuses that may set it (decisions, "Attempts"). */
function retryAfterSeconds(result: HostResult): number {
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
