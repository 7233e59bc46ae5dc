import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { ERRORS } from '../lib/error-catalogue.ts';
import { messageOf } from '../lib/error-message.ts';
import { ApiError, unavailable } from '../lib/errors.ts';
import { newId, publicId } from '../lib/ids.ts';
import { stackOf } from '../lib/log/stack.ts';
import type { Log } from '../lib/log.ts';
import type { Operator } from '../lib/operator.ts';
import type { AnyRoute, OpsRoute, PortalRoute, Route } from '../lib/route.ts';
import type { Asker } from '../lib/turns/owner.ts';
import { TurnRefused } from '../lib/turns/refusal.ts';
import { createAdmission } from './admission/admission.ts';
import type { Authenticate } from './authenticate.ts';
import { BODY_BYTES_MAX, hasBody } from './body.ts';
import { handleClientErrors } from './client-errors.ts';
import { answerUnread } from './close-after-reply.ts';
import { watchConnections } from './drain.ts';
import { errorBody, toApiError } from './error-reply.ts';
import { mountProbes, PROBE_PATHS, type Readiness } from './health.ts';
import { createMetrics } from './metrics.ts';
import { handleNotFound, type MountedPath } from './not-found.ts';
import type { Sessions } from './portal/take-session.ts';
import { ipKey, openRateLimits, type RateLimits, rejectLimited, tighter } from './rate-limit.ts';
import { routeOf, sendJson } from './request-state.ts';
import { securityHeaders, type TransportSettings } from './security-headers.ts';
import { serveRoute } from './serve-route.ts';
import { type ServedRequest, traceFields, trackRequest } from './tracking/track-request.ts';

/** The base path of the public API (spec 1, rule 1). */
export const API_PREFIX = '/api/v1';
/** The base path of the operations API (operating, "Addresses"). */
export const OPS_PREFIX = '/ops/v1';

/** The base path of what only the portal has (operating, "Addresses"). */
export const PORTAL_PREFIX = '/portal/api/v1';

export type Timeouts = {
  /** For a request to arrive whole, head and body (bad input A16). */
  readonly requestMs: number;
  /**
   * For a connection to stay open between requests.
   * Longer than a balancer's usual minute, so that the balancer closes first.
   */
  readonly keepAliveMs: number;
  /** For a connection without any traffic: longer than the slowest request. */
  readonly silenceMs: number;
};

const TIMEOUTS: Timeouts = { requestMs: 30_000, keepAliveMs: 72_000, silenceMs: 180_000 };
const HEAD_BYTES_MAX = 16_384;

export type ServerOptions<Ctx> = {
  readonly ctx: Ctx;
  /** The public API, mounted under `/api/v1`. */
  readonly routes: readonly Route<Ctx>[];
  readonly authenticate: Authenticate<Caller>;
  /** The operations API, mounted under `/ops/v1`. */
  readonly operations?: {
    readonly routes: readonly OpsRoute<Ctx>[];
    readonly authenticate: Authenticate<Operator>;
  };
  /**
   * What only the portal has, mounted under `/portal/api/v1`.
   * The public API takes its sessions, too.
   */
  readonly portal?: {
    readonly routes: readonly PortalRoute<Ctx>[];
    readonly sessions: Omit<Sessions, 'baseUrl'>;
  };
  readonly log: Log;
  readonly clock: Clock;
  readonly settings: TransportSettings & {
    /**
     * Which proxies `X-Forwarded-For` is believed from; unset, it is ignored.
     * `true`, a number of proxies, or their addresses with commas between.
     */
    readonly trustProxy: string | undefined;
    /** 0 turns a limit off. */
    readonly rateLimitTokenPerMinute: number;
    readonly rateLimitIpPerMinute: number;
  };
  /**
   * Limits over a store that several nodes share.
   * They replace those of this process that `settings` ask for.
   */
  readonly limits?: RateLimits;
  /**
   * The context for one request: its resources wait for the turn of its caller.
   * `ctx` itself when left out.
   */
  readonly contextFor?: (ctx: Ctx, asker: Asker, isRead: boolean) => Ctx;
  /** Gets each request of a customer's token after its answer; must not throw. */
  readonly noteRequest?: (request: ServedRequest) => void;
  readonly ready: () => Promise<Readiness>;
  /** False while the service starts: then every path but the probes is 503. Always true when left out. */
  readonly isOpen?: () => boolean;
  /**
   * Mounts other paths: files, OAuth, pages.
   * They get the request id, the address limit and the error replies.
   */
  readonly extend?: (app: FastifyInstance) => void;
  readonly timeouts?: Partial<Timeouts>;
};

export type PlatenServer = {
  readonly app: FastifyInstance;
  /** Port 0 picks a free one. */
  readonly listen: (port: number, host: string) => Promise<{ port: number }>;
  /** Turns `/readyz` to 503, lets running requests finish for `graceMs`, and ends. */
  readonly drain: (graceMs: number) => Promise<void>;
};

/**
 * Builds the HTTP server and what every request passes before and after its operation.
 * Every answer, to whatever arrives on the socket, has a request id and the security headers, and every
 * refusal the one JSON body (spec 7; decisions, "Shapes and codes"). Nothing listens yet.
 */
export function buildServer<Ctx>(options: ServerOptions<Ctx>): PlatenServer {
  const { log, clock, settings } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const limits = openRateLimits(options);
  const state = { isDraining: false };
  const metrics = createMetrics();
  const security = securityHeaders(settings);
  const app = createApp(timeouts, settings.trustProxy);
  const endConnections = watchConnections(app.server);

  handleClientErrors(app.server, { ipLimiter: limits.ip, clock, newRequestId, log, headers: security.always });
  const handleShadowed = handleNotFound(app);
  app.decorateRequest('state');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(security.of(request));
    trackRequest(request, reply, { log, metrics, noteRequest: options.noteRequest });
    if (state.isDraining) reply.header('connection', 'close');
    if (options.isOpen?.() === false && !PROBE_PATHS.has(routeOf(request))) throw unavailable(STARTING);
    await applyIpLimit(request, reply, limits, clock);
    rejectHost(request);
  });
  app.setErrorHandler((thrown, request, reply) => sendError(thrown, request, reply, log));

  handleShadowed(mountRoutes(app, options, limits));
  const ready = async (): Promise<Readiness> =>
    state.isDraining ? { ready: false, reason: 'The service is draining.' } : await options.ready();
  mountProbes(app, { ready, metrics });
  options.extend?.(app);

  return {
    app,
    listen: (port, host) => listen(app, port, host),
    drain: async (graceMs) => {
      state.isDraining = true;
      if (app.server.listening) await endConnections(graceMs);
      await app.close();
    },
  };
}

const STARTING = 'The service waits for its database. Try again in a few seconds.';
const NO_OPERATIONS = { routes: [], authenticate: async () => undefined };

/** Mounts the three APIs on the same pipeline, and returns what was mounted. */
function mountRoutes<Ctx>(app: FastifyInstance, options: ServerOptions<Ctx>, limits: RateLimits): MountedPath[] {
  const { ctx, clock, authenticate, operations = NO_OPERATIONS, portal, settings } = options;
  const authenticateOperator = operations.authenticate;
  const { contextFor = (one: Ctx) => one } = options;
  const admission = createAdmission();
  const pipeline = {
    ctx,
    clock,
    tokenLimiter: limits.token,
    authenticate,
    authenticateOperator,
    sessions: portal === undefined ? undefined : { ...portal.sessions, baseUrl: settings.baseUrl },
    admission,
    contextFor,
  };
  const mount = (prefix: string, route: AnyRoute<Ctx>) => ({
    method: route.method,
    url: prefix + route.path,
    handler: serveRoute(route, pipeline),
  });
  const mounted = [
    ...options.routes.map((route) => mount(API_PREFIX, route)),
    ...operations.routes.map((route) => mount(OPS_PREFIX, route)),
    ...(portal?.routes ?? []).map((route) => mount(PORTAL_PREFIX, route)),
  ];
  for (const route of mounted) app.route(route);
  return mounted;
}

function createApp(timeouts: Timeouts, trustProxy: string | undefined): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: newRequestId,
    trustProxy: trustProxy === undefined ? false : parseTrustProxy(trustProxy),
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionTimeout: timeouts.silenceMs,
    forceCloseConnections: false,
    return503OnClosing: false,
    exposeHeadRoutes: true,
    rewriteUrl: (request) => decodableUrl(request.url ?? '/'),
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      // Bounded by the head; a parameter that is too long is an unknown path, refused where the others are.
      maxParamLength: HEAD_BYTES_MAX,
    },
    http: {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: timeouts.requestMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: Math.min(1_000, Math.ceil(timeouts.requestMs / 4)),
      // A second Authorization then makes an invalid token, and a second Host an invalid host; by default they are
      // dropped.
      joinDuplicateHeaders: true,
      // Checked by rejectHost, whose refusal has a body.
      requireHostHeader: false,
    },
    // `handleClientErrors` answers; it is added beside this handler.
    clientErrorHandler: () => {},
  });
  // The operation reads its body, after its token and scope have been checked; the framework never does.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  return app;
}

function newRequestId(): string {
  return publicId('req', newId());
}

/**
 * Reads TRUST_PROXY: `true` for any peer, a number of proxies in front, or addresses and networks
 * with commas between.
 */
function parseTrustProxy(text: string): boolean | string | ((address: string, hop: number) => boolean) {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!/^\d{1,2}$/.test(text)) return text;
  const proxies = Number(text);
  return (_address, hop) => hop < proxies;
}

/**
 * Replaces a path that cannot be decoded with one that no route has.
 * It is then refused like any other unknown path.
 */
function decodableUrl(url: string): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const path = url.split('?', 1)[0] ?? '';
  if (!/^(\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(path)) return UNREADABLE_PATH;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return UNREADABLE_PATH;
  }
}

const UNREADABLE_PATH = '/unreadable';

async function applyIpLimit(
  request: FastifyRequest,
  reply: FastifyReply,
  limits: RateLimits,
  clock: Clock,
): Promise<void> {
  if (limits.ip === undefined || PROBE_PATHS.has(routeOf(request))) return;
  // An invalid forwarded address is the proxy's own fault, and counts for the proxy.
  const key = ipKey(request.ip) ?? ipKey(request.socket.remoteAddress ?? '') ?? 'unknown';
  const allowance = await limits.ip.take(key);
  request.state.ipAllowance = allowance;
  reply.headers(tighter(allowance, undefined));
  rejectLimited(allowance, 'address', clock);
}

/** HTTP/1.1 wants exactly one Host (RFC 9112 3.2). */
function rejectHost(request: FastifyRequest): void {
  const { host } = request.raw.headers;
  if (host === undefined ? request.raw.httpVersion === '1.1' : host.includes(',')) {
    throw new ApiError('invalid_request', 'The request must have exactly one Host header.');
  }
}

/**
 * The one way in which a refusal leaves the service. What is our own fault is logged with its
 * stack; the caller sees none of it.
 */
function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const error = toApiError(thrown);
  const { status } = ERRORS[error.code];
  request.state.code = error.code;
  if (status >= 500 && error.code !== 'not_implemented') logFailure(error, request, log);
  const text = errorBody(error, request.id);
  const declaredBytes = Number(request.raw.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  const isMuchUnread = !request.raw.complete && hasBody(request.raw) && declaredBytes > BODY_BYTES_MAX;
  if (!isMuchUnread) {
    sendJson(reply, { status, headers: error.headers, text });
    return;
  }
  reply.hijack();
  if (reply.raw.destroyed) return;
  const own = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  const gathered = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)] as const);
  answerUnread(request.raw, reply.raw, {
    status,
    headers: { ...Object.fromEntries(gathered), ...error.headers, ...own },
    text,
  });
}

function logFailure(error: ApiError, request: FastifyRequest, log: Log): void {
  const cause = error.cause ?? error;
  // Where an overload is refused, a stack says nothing and costs more than the refusal.
  const isFault = error.cause instanceof Error && !(error.cause instanceof TurnRefused);
  // Picked one by one: a database error also carries the values of the row.
  const failure = { message: messageOf(cause), ...(isFault ? { stack: stackOf(error.cause as Error) } : {}) };
  const fields = {
    code: error.code,
    request_id: request.id,
    ...traceFields(request.state),
    route: routeOf(request),
    failure,
  };
  if (error.code === 'internal_error') log.error(fields, 'request failed');
  else log.warn(fields, 'request refused by a failure');
}

/** Binds one address itself: the framework would open a second, unwatched server for `localhost`. */
async function listen(app: FastifyInstance, port: number, host: string): Promise<{ port: number }> {
  await app.ready();
  await new Promise<void>((resolve, reject) => {
    app.server.once('error', reject);
    app.server.listen({ port, host }, () => {
      app.server.off('error', reject);
      resolve();
    });
  });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return { port: address.port };
}
