import type { FastifyRequest } from 'fastify';

/** What decides about `Strict-Transport-Security`. */
export type TransportSettings = {
  /** The service's origin, as clients reach it. */
  readonly baseUrl: string;
  readonly trustProxy: string | undefined;
};

export type SecurityHeaders = {
  /** The headers of every answer. */
  readonly always: Readonly<Record<string, string>>;
  /** Those of the answer to a request; a route may replace single ones. */
  readonly of: (request: FastifyRequest) => Readonly<Record<string, string>>;
};

/**
 * The strictest value of each header.
 * A page states a policy of its own, and what every client may keep states its caching: a route that says nothing is
 * not stored by any cache, because most answers hold orders, addresses or amounts.
 */
const STRICTEST = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // Signed addresses and those of a sign-in must not reach other sites.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** A year. Not for subdomains, which may be other services. */
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000' } as const;

/**
 * Makes the security headers of every answer.
 * `Strict-Transport-Security` is sent when `BASE_URL` is https, except where a trusted proxy reports that the client
 * came by http: there it must not be sent (RFC 6797 7.2).
 */
export function securityHeaders({ baseUrl, trustProxy }: TransportSettings): SecurityHeaders {
  if (!baseUrl.startsWith('https:')) return { always: STRICTEST, of: () => STRICTEST };
  const always = { ...STRICTEST, ...HTTPS_ONLY };
  if (trustProxy === undefined || trustProxy === 'false') return { always, of: () => always };
  return { always, of: (request) => (cameByHttp(request) ? STRICTEST : always) };
}

/** Whether a proxy says so; `protocol` reads the header of a trusted proxy only, and else is http. */
function cameByHttp(request: FastifyRequest): boolean {
  return request.headers['x-forwarded-proto'] !== undefined && request.protocol !== 'https';
}
