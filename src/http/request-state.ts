import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Uuid } from '../lib/ids.ts';
import type { RouteReply } from '../lib/route.ts';
import type { Allowance } from './rate-limit.ts';

/** What is remembered of a request from its first check to its log line. */
export type RequestState = {
  readonly startedMs: number;
  ipAllowance: Allowance | undefined;
  accountId: Uuid | undefined;
  operatorId: Uuid | undefined;
};

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}

/**
 * The pattern of the route that a request has met, `unmatched` when there is none: never an id,
 * never a query string.
 */
export function routeOf(request: FastifyRequest): string {
  return request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
}

/**
 * Ends a request with a status, the headers gathered so far and these, and a body of JSON text or
 * none. The text is sent as it is; without a serialiser of its own a reply would get a charset
 * added to its type.
 */
export function sendJson(
  reply: FastifyReply,
  answer: { status: number; headers?: Readonly<Record<string, string>> | undefined; text: string | undefined },
): void {
  reply.code(answer.status);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.text !== undefined) reply.header('content-type', 'application/json').serializer(asItIs);
  void reply.send(answer.text);
}

/**
 * Ends a request with what its operation returned: bytes as they are, under the `content-type`
 * among the headers or else the media type given here; anything else as JSON.
 */
export function sendResult(reply: FastifyReply, result: RouteReply, mediaType?: string): void {
  const { status, headers, body } = result;
  if (!Buffer.isBuffer(body)) {
    sendJson(reply, { status, headers, text: body === undefined ? undefined : JSON.stringify(body) });
    return;
  }
  if (mediaType !== undefined) reply.header('content-type', mediaType);
  reply.code(status).headers({ ...headers });
  void reply.send(body);
}

function asItIs(text: string): string {
  return text;
}
