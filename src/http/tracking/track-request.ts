import type { FastifyReply, FastifyRequest } from 'fastify';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { PROBE_PATHS } from '../health.ts';
import type { RequestMetrics } from '../metrics.ts';
import { type RequestState, routeOf } from '../request-state.ts';
import { beginSpan, traceparentOf } from '../trace-context.ts';

/** A request of a customer's token that was answered. */
export type ServedRequest = {
  readonly id: string;
  readonly accountId: Uuid | undefined;
  /** As in `Caller`. */
  readonly limitedAs: string;
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly code: string | undefined;
};

type Tracking = {
  readonly log: Log;
  readonly metrics: RequestMetrics;
  /** Gets each request of a customer's token after its answer; must not throw. */
  readonly noteRequest: ((request: ServedRequest) => void) | undefined;
};

/**
 * Sets up a request's state and id.
 * When its response or its client has gone, writes a log line and a measurement.
 */
export function trackRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, metrics, noteRequest }: Tracking,
): void {
  const state: RequestState = {
    startedMs: performance.now(),
    ipAllowance: undefined,
    accountId: undefined,
    operatorId: undefined,
    limitedAs: undefined,
    code: undefined,
    userId: undefined,
    span: beginSpan(request.headers.traceparent),
  };
  request.state = state;
  reply.header('x-request-id', request.id);
  if (state.span !== undefined) reply.header('traceparent', traceparentOf(state.span));
  reply.raw.once('close', () => {
    const ms = performance.now() - state.startedMs;
    const route = routeOf(request);
    const { statusCode: status, writableFinished } = reply.raw;
    metrics.observe(request.method, route, status, ms);
    const line = {
      method: request.method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      request_id: request.id,
      ...traceFields(state),
      account_id: state.accountId === undefined ? undefined : publicId('acct', state.accountId),
      user_id: state.userId === undefined ? undefined : publicId('user', state.userId),
      // The target of an operator's request: refused requests are not in the audit log.
      ...(state.operatorId === undefined
        ? {}
        : { operator_id: publicId('op', state.operatorId), named: request.params }),
      ...(writableFinished ? {} : { client_gone: true }),
    };
    if (PROBE_PATHS.has(route)) log.debug(line, 'request');
    else log.info(line, 'request');
    if (noteRequest === undefined || state.limitedAs === undefined) return;
    // Without an answer there is no status yet, and Node says 200; its developers look for exactly these.
    const served = servedRequest(request, line);
    noteRequest(writableFinished ? served : { ...served, ...CLIENT_GONE });
  });
}

/** No answer went out: what proxies log, since HTTP has no status for it. */
const GONE = 'client_gone';
const CLIENT_GONE = { status: 499, code: GONE };

/** A request without its query: that may hold what a body does. */
function servedRequest({ id, url, state }: FastifyRequest, line: Omit<ServedRequest, keyof Named>): ServedRequest {
  const { accountId, limitedAs = '', code } = state;
  const { method, route, status, ms } = line;
  return { id, method, route, status, ms, accountId, limitedAs, code, path: url.split('?', 1)[0] ?? '' };
}

type Named = Pick<ServedRequest, 'id' | 'accountId' | 'limitedAs' | 'code' | 'path'>;

/** The place of a request in a trace of its caller's, for log lines. */
export function traceFields({ span }: RequestState): object {
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
