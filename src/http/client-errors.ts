import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import { ERRORS } from '../lib/error-catalogue.ts';
import { ApiError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { closeAfterReply } from './close-after-reply.ts';
import { errorBody, toApiError } from './error-reply.ts';
import { type Allowance, ipKey, type RateLimiter, rejectLimited, tighter } from './rate-limit.ts';

/**
 * Answers what the HTTP parser refuses, before there is a request.
 * That is malformed or conflicting heads, heads that are too large, and requests that take too long to
 * arrive (bad input A15 to A17). The answer is the same JSON as everywhere, and the connection then
 * closes, because where the next request would begin is unknown.
 */
export function handleClientErrors(
  server: Server,
  options: {
    ipLimiter: RateLimiter | undefined;
    clock: Clock;
    newRequestId: () => string;
    log: Log;
    /** Those of every answer. */
    headers: Readonly<Record<string, string>>;
  },
): void {
  // Cleaned up by hand: a weak map costs every request several microseconds of garbage collection.
  const latest = new Map<Duplex, ServerResponse>();
  const rejected = new WeakSet<Duplex>();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!latest.has(request.socket)) request.socket.once('close', () => latest.delete(request.socket));
    latest.set(request.socket, response);
  });
  // An expectation that is unknown may be ignored (RFC 9110 10.1.1); the default answer would be a bare 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    void reject(socket, new ApiError('invalid_request', 'This service is not a proxy.'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What a refused client sends afterwards fails in the parser again and is dropped there.
    if (rejected.has(socket)) return;
    const pending = latest.get(socket);
    const canAnswer = socket.writable && error.code !== 'ECONNRESET';
    if (!canAnswer || (pending?.headersSent === true && !pending.req.complete)) {
      socket.destroy();
      return;
    }
    rejected.add(socket);
    if (pending !== undefined && !pending.writableEnded && pending.req.complete) {
      // A good request precedes the bad bytes and is answered first.
      pending.once('close', () => void reject(socket, toRefusal(error)));
    } else {
      void reject(socket, toRefusal(error));
    }
  });

  async function reject(socket: Duplex, refusal: ApiError): Promise<void> {
    rejected.add(socket);
    const requestId = options.newRequestId();
    const allowance = await takeFor(socket, options.ipLimiter);
    if (!socket.writable || !(socket instanceof Socket)) {
      socket.destroy();
      return;
    }
    const error = limitedOr(refusal, allowance, options.clock);
    options.log.info({ status: ERRORS[error.code].status, request_id: requestId }, 'request refused unread');
    closeAfterReply(socket, rawAnswer(error, requestId, { ...options.headers, ...tighter(allowance, undefined) }));
  }
}

/** The limit by address ranks before everything else (decisions, "Order of checks"). */
function limitedOr(refusal: ApiError, allowance: Allowance | undefined, clock: Clock): ApiError {
  try {
    rejectLimited(allowance, 'address', clock);
    return refusal;
  } catch (limited) {
    return toApiError(limited);
  }
}

async function takeFor(socket: Duplex, limiter: RateLimiter | undefined): Promise<Allowance | undefined> {
  const key = socket instanceof Socket ? ipKey(socket.remoteAddress ?? '') : undefined;
  return key === undefined ? undefined : await limiter?.take(key);
}

function toRefusal(error: NodeJS.ErrnoException): ApiError {
  switch (error.code ?? '') {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', 'The request line and headers may have at most 16 KiB together.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'The request did not arrive whole in time. Send it again.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError('payload_too_large', 'The chunk extensions of the body are too large.');
    default:
      return new ApiError('invalid_request', 'The request is not well-formed HTTP/1.1.');
  }
}

function rawAnswer(error: ApiError, requestId: string, more: Readonly<Record<string, string>>): string {
  const { status } = ERRORS[error.code];
  const text = errorBody(error, requestId);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': requestId,
    date: new Date().toUTCString(),
    connection: 'close',
    ...more,
    ...error.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}
