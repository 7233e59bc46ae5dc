import { ERRORS, type ErrorCode } from '../../lib/error-catalogue.ts';
import type { JsonObject } from './schemas.ts';

/** The request id of all examples. */
export const EXAMPLE_REQUEST_ID = 'req_01k9zq5v8xfz3r6t2m4n7p0qsw';

/** The headers of a success reply; `errorResponses` adds those of errors. */
export const REPLY_HEADERS = [
  'X-Request-Id',
  'traceparent',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Scope',
];

/** References to the headers of errors with these codes. */
export function headersOf(codes: readonly ErrorCode[]): JsonObject {
  const own = codes.flatMap((code) => ERRORS[code].headers ?? []);
  return headerReferences([...REPLY_HEADERS, ...new Set(own)]);
}

/** References to the headers of `sharedHeaders`, by name. */
export function headerReferences(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Every header that a response can have, described once. */
export function sharedHeaders(): JsonObject {
  return {
    'X-Request-Id': header('Quote it to support. On every response.', {
      type: 'string',
      examples: [EXAMPLE_REQUEST_ID],
    }),
    traceparent: header(
      'Only on the reply to a request with a valid `traceparent` (W3C Trace Context): the same trace, and the span of this request in it.',
      { type: 'string', examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01'] },
    ),
    'X-RateLimit-Limit': header('Requests a minute that the limit allows.', { type: 'integer', examples: [600] }),
    'X-RateLimit-Remaining': header('Requests left in this minute.', { type: 'integer', examples: [597] }),
    'X-RateLimit-Reset': header('When the minute ends, in Unix seconds.', { type: 'integer', examples: [1795253460] }),
    'X-RateLimit-Scope': header(
      'The limit that the other three describe: the one with the smaller share left. All four are absent when both limits are off.',
      { type: 'string', enum: ['token', 'ip'] },
    ),
    'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1, examples: [12] }),
    'WWW-Authenticate': header('The challenge of RFC 6750.', { type: 'string', examples: ['Bearer'] }),
    Allow: header('The methods that the path accepts.', { type: 'string', examples: ['GET, HEAD, POST'] }),
  };
}

/** The headers of a deprecated operation; a document without one does not have them. */
export const DEPRECATION_HEADERS: JsonObject = {
  Deprecation: header('Since when the operation is deprecated, in Unix seconds after `@` (RFC 9745).', {
    type: 'string',
    examples: ['@1795305600'],
  }),
  Sunset: header('From when on it is no longer answered, once that is decided (RFC 8594).', {
    type: 'string',
    examples: ['Mon, 22 Nov 2027 00:00:00 GMT'],
  }),
  Link: header('The page that says what to use instead, with `rel="deprecation"`.', { type: 'string' }),
};

function header(description: string, schema: JsonObject): JsonObject {
  return { description, schema };
}

/** As `sharedHeaders`, with that of an order that existed already. */
export function headersOfCustomers(): JsonObject {
  return {
    ...sharedHeaders(),
    'Idempotent-Replayed': header('`true`: the order existed already, and nothing was charged again.', {
      type: 'string',
      const: 'true',
    }),
    'X-Ignored-Parameters': header(
      'Only when a query parameter of the request is not known here and was ignored: its name, percent-encoded, with the known name that was probably meant. A list of strings (RFC 9651), at most twenty. A filter that is ignored filters nothing.',
      { type: 'string', examples: ['"statuss";nearest="status"'] },
    ),
  };
}
