import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/error-message.ts';
import { ApiError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

/** What a key has left in its current minute. */
export type Allowance = {
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, Unix seconds. */
  readonly resetUnixSeconds: number;
  readonly allowed: boolean;
};

/**
 * Counts requests by key.
 * `take` must count in one atomic step, so that no more concurrent requests pass than the limit, from
 * however many processes share a store. Undefined means that the count is not known; the request then
 * passes.
 */
export type RateLimiter = { readonly take: (key: string) => Promise<Allowance | undefined> };

/** The two limits of spec 7; undefined where a limit is off. */
export type RateLimits = { readonly ip: RateLimiter | undefined; readonly token: RateLimiter | undefined };

export type LimitScope = 'ip' | 'token';

const WINDOW_MS = 60_000;

/**
 * About 15 MB at the worst. Past it the oldest window is forgotten, which gives one key a fresh
 * minute and does no harm.
 */
const KEYS_MAX = 100_000;

/**
 * Opens the two limits of a server.
 * They are of this process, by the settings, or over a store that is passed in, whose failure stops
 * nothing.
 */
export function openRateLimits(options: {
  readonly limits?: RateLimits;
  readonly settings: { readonly rateLimitTokenPerMinute: number; readonly rateLimitIpPerMinute: number };
  readonly clock: Clock;
  readonly log: Log;
}): RateLimits {
  const { limits, settings, clock, log } = options;
  if (limits === undefined) {
    return {
      ip: createRateLimiter({ limit: settings.rateLimitIpPerMinute, clock }),
      token: createRateLimiter({ limit: settings.rateLimitTokenPerMinute, clock }),
    };
  }
  const { ip, token } = limits;
  return {
    ip: ip === undefined ? undefined : failOpen(ip, log),
    token: token === undefined ? undefined : failOpen(token, log),
  };
}

/**
 * Makes a limiter of this process.
 * Each key has a window of a minute, from its first request on. Windows are measured on the monotonic
 * clock, so that a jump of the wall clock neither freezes them nor opens them all at once (bad input
 * M196). `limit` 0 turns it off.
 */
export function createRateLimiter(options: {
  limit: number;
  clock: Clock;
  monotonicMs?: () => number;
  keysMax?: number;
}): { readonly take: (key: string) => Promise<Allowance> } | undefined {
  const { limit, clock, monotonicMs = () => performance.now(), keysMax = KEYS_MAX } = options;
  if (limit === 0) return undefined;
  // All windows are equally long and a new one goes to the end, so the map is ordered by their ends.
  const windows = new Map<string, { count: number; readonly endsMs: number }>();

  function open(key: string, nowMs: number): { count: number; readonly endsMs: number } {
    for (const [oldest, window] of windows) {
      if (window.endsMs > nowMs && windows.size < keysMax) break;
      windows.delete(oldest);
    }
    windows.delete(key);
    const opened = { count: 0, endsMs: nowMs + WINDOW_MS };
    windows.set(key, opened);
    return opened;
  }

  return {
    take: async (key) => {
      const nowMs = monotonicMs();
      const known = windows.get(key);
      const window = known !== undefined && known.endsMs > nowMs ? known : open(key, nowMs);
      window.count += 1;
      return {
        limit,
        remaining: Math.max(0, limit - window.count),
        resetUnixSeconds: Math.ceil((clock.now().getTime() + window.endsMs - nowMs) / 1000),
        allowed: window.count <= limit,
      };
    },
  };
}

/** A store that has not answered by then counts as unavailable: every request would wait as long. */
const STORE_WAIT_MS = 200;
/** An unavailable store is logged this often. */
const STORE_WARNING_MS = 60_000;

/**
 * Wraps a limiter whose store can be unavailable.
 * While it is, requests of every kind pass uncounted (bad input M197): what a limit protects against
 * is rarer than a store that fails, and an order is guarded by its reference, the stock and the
 * balance, not by a limit. Logs a warning once a minute.
 */
function failOpen(limiter: RateLimiter, log: Log): RateLimiter {
  let quietUntilMs = 0;
  function warn(reason: string): undefined {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + STORE_WARNING_MS;
    log.warn({ error: reason }, 'requests are not counted: the store of the rate limits does not answer');
  }
  return {
    take: async (key) => {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(warn(`no answer within ${STORE_WAIT_MS} ms`)), STORE_WAIT_MS);
      });
      const taken = limiter.take(key).catch((error: unknown) => warn(messageOf(error)));
      try {
        return await Promise.race([taken, tooLate]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/**
 * The key of an address; undefined for what is not an address.
 * IPv4 as it is, an IPv4-mapped address as its IPv4, any other IPv6 as its /64, which is what one
 * subscriber is given (bad input M193).
 */
export function ipKey(address: string): string | undefined {
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/**
 * Throws 429 with `Retry-After` when nothing is left (spec 7; decisions, "429").
 * `subject` names what is limited.
 */
export function rejectLimited(allowance: Allowance | undefined, subject: string, clock: Clock): void {
  if (allowance === undefined || allowance.allowed) return;
  const untilReset = Math.ceil(allowance.resetUnixSeconds - clock.now().getTime() / 1000);
  const waitSeconds = Math.min(Math.max(untilReset, 1), WINDOW_MS / 1000);
  throw new ApiError(
    'rate_limited',
    `More than ${allowance.limit} requests a minute from this ${subject}. Try again in ${waitSeconds} s.`,
    { headers: { 'retry-after': String(waitSeconds) } },
  );
}

/** The headers of the limit with the smaller share left: what a client must watch (decisions, "429"). */
export function tighter(ip: Allowance | undefined, token: Allowance | undefined): LimitHeaders {
  if (ip === undefined && token === undefined) return {};
  if (token === undefined || (ip !== undefined && share(ip) < share(token))) return limitHeaders('ip', ip);
  return limitHeaders('token', token);
}

export type LimitHeaders = Readonly<Record<string, string>>;

function share(allowance: Allowance): number {
  return allowance.remaining / allowance.limit;
}

function limitHeaders(scope: LimitScope, allowance: Allowance | undefined): LimitHeaders {
  if (allowance === undefined) return {};
  return {
    'x-ratelimit-limit': String(allowance.limit),
    'x-ratelimit-remaining': String(allowance.remaining),
    'x-ratelimit-reset': String(allowance.resetUnixSeconds),
    'x-ratelimit-scope': scope,
  };
}
