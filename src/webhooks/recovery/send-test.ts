import type { Caller } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, notFound, unavailable } from '../../lib/errors.ts';
import { newId, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { errorOf } from '../attempt.ts';
import type { Event } from '../event-schema.ts';
import type { EventData } from '../events.ts';
import { type Delivered, type SigningSecrets, signedHeaders } from '../sign.ts';
import { keepBeginning } from './keep-beginning.ts';
import { findSigning } from './next-secret-sql.ts';
import { openSecrets } from './open-secrets.ts';
import type { TestBody, WebhookTest } from './recovery-schema.ts';
import { EVENT_EXAMPLES } from './sample-events.ts';

/** A person waits for it. */
const TIMEOUT_MS_MAX = 5_000;
/** As of a real attempt. */
const ANSWER_BYTES_MAX = 65_536;
/** Enough for the message of a framework. */
const ANSWER_KEPT_BYTES = 2_048;
/** No order has it: references have no zero. */
const TEST_REFERENCE = 'PF-00000000';

/** Accounts whose test is under way in this process: each has one at a time. */
const testing = new Set<Uuid>();

type TestContext = Pick<Context, 'config' | 'database' | 'clock' | 'outbound' | 'secrets'>;

/**
 * Sends a made-up event to a subscription now; returns what was sent and how it was answered.
 * Of a host that the operator trusts although it is private the text of the answer is left out. Signed and guarded as
 * a delivery is, and marked `test` in its body. Nothing is recorded and nothing counted, and a paused subscription
 * gets it, too. Throws 404 when the subscription is not the account's, 409 while another test of the account is under
 * way or when the secret is lost, 503 when no call can be made now.
 */
export async function sendTest(
  ctx: TestContext,
  caller: Caller,
  subscriptionId: string,
  { event = 'order.created' }: TestBody,
): Promise<WebhookTest> {
  const id = parseId('whk', subscriptionId);
  const signing = id === undefined ? undefined : await findSigning(ctx.database, caller.accountId, id);
  if (signing === undefined) throw notFound();
  const secrets = openSecrets(ctx, signing);
  if (secrets === undefined) throw new ApiError('conflict', SECRET_LOST);
  if (testing.has(caller.accountId)) throw new ApiError('conflict', UNDER_WAY);
  testing.add(caller.accountId);
  try {
    return await send(ctx, caller, { url: signing.url, subscriptionId, event, secrets });
  } finally {
    testing.delete(caller.accountId);
  }
}

const SECRET_LOST = 'The signing secret of this subscription cannot be read any more. Rotate it.';
const UNDER_WAY = 'Another test of this account is under way. Wait for its answer.';

type Test = {
  readonly url: string;
  readonly subscriptionId: string;
  readonly event: keyof EventData;
  readonly secrets: SigningSecrets;
};

async function send(
  ctx: TestContext,
  { accountId }: Caller,
  { url, subscriptionId, event, secrets }: Test,
): Promise<WebhookTest> {
  const at = ctx.clock.now();
  const body = testEvent(event, at);
  const delivered: Delivered = { event, eventId: body.id, subscriptionId, deliveryId: publicId('dlv', newId()) };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = signedHeaders(secrets[0], { ...delivered, at, body: bytes }, secrets[1]);
  const kept = keepBeginning(ANSWER_KEPT_BYTES);
  const startedMs = performance.now();
  const result = await ctx.outbound.post(url, {
    owner: accountId,
    headers,
    body: bytes,
    timeoutMs: Math.min(TIMEOUT_MS_MAX, ctx.config.webhookTimeoutMs),
    answerBytesMax: ANSWER_BYTES_MAX,
    takeAnswer: kept.take,
  });
  if (result.kind === 'unavailable') throw unavailable(`The test could not be sent: ${result.reason}. Try again.`);
  const error = errorOf(result);
  return {
    delivered: error === null,
    request: { url, headers, body },
    response_code: result.kind === 'answered' ? result.status : null,
    answer: kept.text(),
    error,
    duration_ms: Math.round(performance.now() - startedMs),
  };
}

/** An event that never happened: of an order that cannot be, and marked. */
function testEvent(event: keyof EventData, at: Date): Event {
  const data = { ...EVENT_EXAMPLES[event], reference: TEST_REFERENCE };
  // The examples have the data of their names.
  return { id: publicId('evt', newId()), event, created_at: isoTime(at), data, sequence: 1, test: true } as Event;
}
