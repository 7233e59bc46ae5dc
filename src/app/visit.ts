import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Uuid } from '../lib/ids.ts';
import type { Allowance } from './rate-limit.ts';

/** What the doors remember of a request from its first check to its log line. */
export type Visit = {
  readonly startedMs: number;
  ipAllowance: Allowance | undefined;
  accountId: Uuid | undefined;
};

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}

/** The pattern of the route that a request has met, `unmatched` when there is none: never an id, never a query string. */
export function routeOf(request: FastifyRequest): string {
  return request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
}

/**
 * Ends a request with a status, the headers gathered so far and these, and a body of JSON text or none. Written straight to
 * the socket: the framework's own sending costs more than its routing, and would add a charset to the type.
 */
export function sendJson(
  reply: FastifyReply,
  answer: { status: number; headers?: Readonly<Record<string, string>> | undefined; text: string | undefined },
): void {
  const { raw } = reply.hijack();
  // The client has gone: there is nobody to answer, and writing would only fail.
  if (raw.destroyed || raw.headersSent) return;
  const headers: Record<string, string | number | string[] | undefined> = { ...reply.getHeaders(), ...answer.headers };
  if (answer.text === undefined) {
    if (answer.status !== 204) headers['content-length'] = 0;
    raw.writeHead(answer.status, headers).end();
    return;
  }
  headers['content-type'] = 'application/json';
  headers['content-length'] = Buffer.byteLength(answer.text);
  raw.writeHead(answer.status, headers).end(answer.text);
}
