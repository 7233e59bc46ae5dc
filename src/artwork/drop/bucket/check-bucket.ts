import type { Clock } from '../../../lib/clock.ts';
import type { Config } from '../../../lib/config.ts';
import type { Context } from '../../../lib/context.ts';
import type { CallResult } from '../../../lib/outbound/call.ts';
import type { DropBucket } from '../../../lib/settings/drop.ts';
import { SERVICE } from '../../../lib/turns/owner.ts';
import { presign } from './presign.ts';

const TIMEOUT_MS = 10_000;
/** A bucket has at most a thousand rules of its lifecycle. */
const ANSWER_BYTES_MAX = 1_048_576;
const HEADERS = ['content-type', 'if-none-match'];

/**
 * Looks whether a bucket serves the pages of this service, and forgets what it is given.
 * Asks as a browser of `baseUrl` would, and reads the lifecycle. Returns what is wrong, a sentence each without a
 * signed address or a key. Changes nothing.
 */
export async function checkBucket(
  ctx: Pick<Context, 'outbound'> & {
    readonly clock: Pick<Clock, 'now'>;
    readonly config: Pick<Config, 'baseUrl'>;
  },
  bucket: DropBucket,
): Promise<readonly string[]> {
  const origin = new URL(ctx.config.baseUrl).origin;
  const preflight = await ctx.outbound.call(`${bucket.url}/${bucket.prefix}check`, {
    owner: SERVICE,
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': HEADERS.join(','),
    },
    timeoutMs: TIMEOUT_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  const lifecycle = await ctx.outbound.call(
    presign(bucket, { method: 'GET', key: '', query: { lifecycle: '' }, seconds: 60, now: ctx.clock.now() }),
    { owner: SERVICE, method: 'GET', headers: {}, timeoutMs: TIMEOUT_MS, answerBytesMax: ANSWER_BYTES_MAX },
  );
  return [...problemsOfOrigin(preflight, origin), ...problemsOfLifecycle(lifecycle, bucket.prefix)];
}

function problemsOfOrigin(answer: CallResult, origin: string): string[] {
  if (answer.kind !== 'answered') return [`The bucket cannot be reached. ${answer.error}`];
  const { status, headers } = answer;
  const listed = (name: string): string[] => (headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/);
  const allows = (name: string, wanted: string): boolean =>
    listed(name).some((each) => each === wanted || each === '*');
  const isAllowed =
    status < 300 &&
    allows('access-control-allow-origin', origin.toLowerCase()) &&
    allows('access-control-allow-methods', 'put') &&
    HEADERS.every((header) => allows('access-control-allow-headers', header));
  if (isAllowed) return [];
  return [
    `The bucket does not allow pages of ${origin} to PUT with the headers ${HEADERS.join(' and ')}: its CORS rules lack one for it (it answered ${status}).`,
  ];
}

function problemsOfLifecycle(answer: CallResult, prefix: string): string[] {
  // The first answer has said it already.
  if (answer.kind !== 'answered') return [];
  if (answer.status !== 200 && answer.status !== 404) {
    return [
      `The lifecycle of the bucket cannot be read (it answered ${answer.status}): the key must be of this bucket and region, and may have s3:GetLifecycleConfiguration.`,
    ];
  }
  const rules = answer.status === 404 ? [] : [...answer.text.matchAll(/<Rule>(.*?)<\/Rule>/gs)].map(([rule]) => rule);
  if (rules.some((rule) => isDaily(rule, prefix))) return [];
  return [`The bucket has no lifecycle rule that deletes what is under ${prefix} after one day.`];
}

/** Whether a rule deletes everything under a prefix after a day. */
function isDaily(rule: string, prefix: string): boolean {
  const isNarrower = /<(?:Tag|ObjectSizeGreaterThan|ObjectSizeLessThan)>/.test(rule);
  const [, of = ''] = /<Prefix>([^<]*)<\/Prefix>/.exec(rule) ?? [];
  return (
    !isNarrower &&
    /<Status>Enabled<\/Status>/.test(rule) &&
    /<Expiration>\s*<Days>1<\/Days>/.test(rule) &&
    prefix.startsWith(of)
  );
}
