/** What became of one attempt. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: { get(name: string): string | null };
      readonly bytes: ArrayBuffer;
    }
  | { readonly kind: 'lost'; readonly isTimeout: boolean; readonly cause: unknown };

/**
 * What a second sending of the same request does. `harmless`: nothing more than the first, so it is sent again
 * whenever that can help. `a second one`: it would make another product or subscription, so it is sent again only
 * when the service has refused the first before it did anything.
 */
export type Repeat = 'harmless' | 'a second one';

/** Given before any work was begun. */
const REFUSED_AT_THE_DOOR: readonly number[] = [408, 429];
/** May be over soon. 502 is a refund that failed, too, with the order unchanged. */
const MAY_PASS: readonly number[] = [500, 502, 503, 504];

/** Whether to send a request again after this. */
export function isWorthRepeating(outcome: Outcome, repeat: Repeat): boolean {
  if (outcome.kind === 'lost') return repeat === 'harmless';
  if (REFUSED_AT_THE_DOOR.includes(outcome.status)) return true;
  return repeat === 'harmless' && MAY_PASS.includes(outcome.status);
}

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 8_000;
/** The windows of the service's limits are a minute long; whoever asks for more is not waited for. */
const RETRY_AFTER_SECONDS_MAX = 60;

/**
 * How long to wait before the next attempt, in milliseconds; undefined when the service asks for more than a minute.
 * Full jitter over a doubling bound, so that many clients do not come back at once; `Retry-After` is a floor.
 * `random` is from 0 to 1.
 */
export function retryWaitMs(
  attemptsBefore: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number | undefined {
  const backoffMs = random * Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** attemptsBefore);
  if (retryAfterSeconds === undefined) return backoffMs;
  if (retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) return undefined;
  return retryAfterSeconds * 1_000 + backoffMs;
}

/**
 * The seconds of a `Retry-After` header in either of its forms (RFC 9110); undefined when there is none that can be
 * read.
 */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - nowMs) / 1_000);
}
