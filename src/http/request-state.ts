import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../lib/error-catalogue.ts';
import type { Uuid } from '../lib/ids.ts';
import type { RouteReply } from '../lib/route.ts';
import type { Asker } from '../lib/turns/owner.ts';
import { jsonInPieces } from './admission/json-in-pieces.ts';
import type { Allowance } from './rate-limit.ts';
import type { Span } from './trace-context.ts';

/** What is kept of a request from its first check to its log line. */
export type RequestState = {
  readonly startedMs: number;
  ipAllowance: Allowance | undefined;
  accountId: Uuid | undefined;
  operatorId: Uuid | undefined;
  /** For a token of a customer: what its limit counts it as. */
  limitedAs: string | undefined;
  /** The code of a refusal. */
  code: ErrorCode | undefined;
  /** The person, for a session of the portal. */
  userId: Uuid | undefined;
  /** Its place in a trace of its caller's. */
  readonly span: Span | undefined;
};

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}

/** The pattern of a request's route, `unmatched` when there is none. Never an id, never a query string. */
export function routeOf(request: FastifyRequest): string {
  return request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
}

/**
 * Ends a request with a status, headers, and a body of JSON text or none.
 * The headers set so far are kept. The text is sent as it is; without a serialiser of its own a reply
 * would get a charset added to its type.
 */
export function sendJson(
  reply: FastifyReply,
  answer: { status: number; headers?: Readonly<Record<string, string>> | undefined; text: string | Buffer | undefined },
): void {
  reply.code(answer.status);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.text !== undefined) reply.header('content-type', 'application/json').serializer(asItIs);
  void reply.send(answer.text);
}

/**
 * Ends a request with the result of its operation.
 * Bytes and streams are sent as they are, under the `content-type` of the result's headers or else `mediaType`;
 * anything else is sent as JSON. Returns about how long the body is.
 */
export async function sendResult(
  reply: FastifyReply,
  result: RouteReply,
  { asker, mediaType }: { asker: Asker; mediaType: string | undefined },
): Promise<number> {
  const { status, headers, body, isLarge = false } = result;
  if (!Buffer.isBuffer(body) && !(body instanceof Readable)) {
    const plain = (): string | undefined => (body === undefined ? undefined : JSON.stringify(body));
    const text = isLarge ? await jsonInPieces(asker, body) : plain();
    sendJson(reply, { status, headers, text });
    return text?.length ?? 0;
  }
  if (mediaType !== undefined) reply.header('content-type', mediaType);
  reply.code(status).headers({ ...headers });
  if (body instanceof Readable) {
    if (reply.request.method === 'HEAD') {
      // The framework would read all of it, also once the client is gone.
      body.destroy();
      await reply.send(Readable.from([]));
      return 0;
    }
    // A stream is sent when it has ended; the framework would end an answer without it before.
    await reply.send(body);
    return 0;
  }
  void reply.send(body);
  return body.length;
}

function asItIs<Text>(text: Text): Text {
  return text;
}
