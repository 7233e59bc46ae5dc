import { type TSchema, Type } from 'typebox';
import { ERRORS, type ErrorCode } from '../lib/errors.ts';
import type { Route } from '../lib/route.ts';
import { ErrorBody, Timestamp } from '../lib/schemas.ts';
import { ERROR_GUIDE } from './docs-guide.ts';
import type { Components, JsonObject } from './openapi-schemas.ts';

const Problem = Type.Object(
  {
    path: Type.String({
      description: 'Where, in the notation of the request; empty for the body itself.',
      examples: ['items[0].quantity'],
    }),
    code: Type.String({
      description: 'What is wrong, as one word for programs; /docs/errors lists them, and more may come.',
      examples: ['out_of_bounds'],
    }),
    message: Type.String({ description: 'What is wrong and what would be right, for a person.' }),
    valid_values: Type.Optional(
      Type.Array(Type.String(), { description: 'What would be right, where the choice is finite.' }),
    ),
  },
  { title: 'Problem', description: 'One thing that is wrong with a request.' },
);

const Oversold = Type.Object(
  {
    variant_sku: Type.String(),
    requested: Type.Integer({ description: 'Over all lines of this variant.' }),
    available: Type.Integer({ description: 'What can be ordered now.' }),
    lines: Type.Array(Type.Integer(), { description: 'Indexes into items.' }),
  },
  { title: 'OversoldVariant' },
);

/** The members that an error of a code has beside those of every error (decisions, "Error body"). */
export const ERROR_EXTRAS: Partial<Readonly<Record<ErrorCode, Readonly<Record<string, TSchema>>>>> = {
  insufficient_scope: { required_scope: Type.String({ description: 'The scope that the token lacks.' }) },
  validation_failed: {
    errors: Type.Array(Problem, { minItems: 1, maxItems: 100, description: 'Everything that is wrong, all at once.' }),
    valid_events: Type.Optional(
      Type.Array(Type.String(), { description: 'The names of all events, when an event name was unknown.' }),
    ),
  },
  out_of_stock: {
    oversold: Type.Array(Oversold, { description: 'Every variant of which there is not enough.' }),
  },
  cancellation_window_closed: {
    placed_at: { ...Timestamp, description: 'When the order was placed.' },
    cancellable_until: { ...Timestamp, description: 'When the window closed.' },
  },
};

/** What comes before an operation is known; they stand in the document's `default` response. */
const OF_NO_OPERATION: readonly ErrorCode[] = [
  'method_not_allowed',
  'request_timeout',
  'range_not_satisfiable',
  'headers_too_large',
];

/** What the doors can refuse any operation with. */
const OF_EVERY_OPERATION: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'insufficient_scope',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** Every code that an operation can answer with, in the catalogue's order: the doors' and its own. */
export function errorCodesOf<Ctx>(route: Route<Ctx>): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...OF_EVERY_OPERATION,
    ...(route.params === undefined ? [] : (['not_found'] as const)),
    ...(route.query === undefined ? [] : (['validation_failed'] as const)),
    ...(route.body === undefined
      ? []
      : (['validation_failed', 'payload_too_large', 'unsupported_media_type'] as const)),
    ...(route.errors ?? []),
  ]);
  return ERROR_CODES.filter((code) => codes.has(code));
}

const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** `out_of_stock` is the schema `OutOfStockError`. */
export function errorSchemaName(code: ErrorCode): string {
  const words = code.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  const name = words.join('');
  return name.endsWith('Error') ? name : `${name}Error`;
}

function errorSchema(code: ErrorCode): TSchema {
  const { errors: _, ...members } = ErrorBody.properties;
  return Type.Object(
    {
      ...members,
      status: Type.Unsafe({ type: 'integer', const: ERRORS[code].status }),
      code: Type.Unsafe({ type: 'string', const: code }),
      ...ERROR_EXTRAS[code],
    },
    { title: errorSchemaName(code), description: ERROR_GUIDE[code].cause },
  );
}

/** Any error, also one of a code that is yet to come. */
function anyError(): TSchema {
  const { errors: _, ...members } = ErrorBody.properties;
  const code = Type.String({
    description: 'For programs to tell errors apart by; more may come.',
    examples: ERROR_CODES,
  });
  return Type.Object(
    { ...members, code },
    {
      title: 'ApiError',
      description: 'The members of RFC 9457 and ours. Some codes have members of their own beside them.',
    },
  );
}

/** The refusals of an operation by status, each with the codes that it can carry, and `default` for any other. */
export function errorResponses<Ctx>(route: Route<Ctx>, components: Components): JsonObject {
  const named = codesByStatus(route).map(([status, codes]) => {
    const only = codes.length === 1 ? codes[0] : undefined;
    const response = only === undefined ? severalCodes(codes, components) : responseReference(errorSchemaName(only));
    return [status, response] as const;
  });
  return { ...Object.fromEntries(named), default: responseReference('ApiError') };
}

function codesByStatus<Ctx>(route: Route<Ctx>): (readonly [string, readonly ErrorCode[]])[] {
  return Object.entries(Object.groupBy(errorCodesOf(route), (code) => String(ERRORS[code].status))).map(
    ([status, codes]) => [status, codes ?? []] as const,
  );
}

function responseReference(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` };
}

function severalCodes(codes: readonly ErrorCode[], components: Components): JsonObject {
  const refs = codes.map((code) => components.lift(errorSchema(code)));
  const mapping = codes.map((code) => [code, `#/components/schemas/${errorSchemaName(code)}`] as const);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_GUIDE[code].cause}`).join('\n\n'),
    headers: headersOf(codes),
    content: {
      'application/json': {
        schema: { oneOf: refs, discriminator: { propertyName: 'code', mapping: Object.fromEntries(mapping) } },
        examples: examplesOf(codes),
      },
    },
  };
}

/** The responses that operations refer to: one for each code that stands alone under its status, and `ApiError` for the rest. */
export function sharedErrorResponses<Ctx>(routes: readonly Route<Ctx>[], components: Components): JsonObject {
  const alone = routes.flatMap(codesByStatus).flatMap(([, codes]) => (codes.length === 1 ? codes : []));
  const ofCodes = ERROR_CODES.filter((code) => alone.includes(code)).map((code) => {
    const { cause, cure } = ERROR_GUIDE[code];
    const content = { schema: components.lift(errorSchema(code)), example: errorExample(code) };
    const response = {
      description: `${cause} ${cure}`,
      headers: headersOf([code]),
      content: { 'application/json': content },
    };
    return [errorSchemaName(code), response] as const;
  });
  const other = {
    description:
      'Any other error has the same body: a method that the path does not take, a request that is too slow or whose headers are too large, and what may come.',
    headers: headersOf(OF_NO_OPERATION),
    content: {
      'application/json': { schema: components.lift(anyError()), examples: examplesOf(OF_NO_OPERATION) },
    },
  };
  return { ...Object.fromEntries(ofCodes), ApiError: other };
}

function examplesOf(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }]));
}

/** The headers of a reply that is no refusal; `errorResponses` adds those of refusals. */
export const REPLY_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Scope',
];

function headersOf(codes: readonly ErrorCode[]): JsonObject {
  const own = codes.flatMap((code) => HEADERS_OF_CODE[code] ?? []);
  return headerReferences([...REPLY_HEADERS, ...new Set(own)]);
}

const HEADERS_OF_CODE: Partial<Readonly<Record<ErrorCode, readonly string[]>>> = {
  unauthorized: ['WWW-Authenticate'],
  insufficient_scope: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

/** References to the headers of `sharedHeaders`, by name. */
export function headerReferences(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Every header that a response can have, described once. */
export function sharedHeaders(): JsonObject {
  return {
    'X-Request-Id': header('Quote it to support. On every response.', { type: 'string', examples: [EXAMPLE_ID] }),
    'X-RateLimit-Limit': header('Requests a minute that the limit allows.', { type: 'integer', examples: [600] }),
    'X-RateLimit-Remaining': header('What is left of them in this minute.', { type: 'integer', examples: [597] }),
    'X-RateLimit-Reset': header('When the minute ends, in Unix seconds.', { type: 'integer', examples: [1795253460] }),
    'X-RateLimit-Scope': header(
      'Which limit the three others speak of: the one of the two with the smaller share left. All four are absent when both limits are off.',
      { type: 'string', enum: ['token', 'ip'] },
    ),
    'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1, examples: [12] }),
    'WWW-Authenticate': header('The challenge of RFC 6750.', { type: 'string', examples: ['Bearer'] }),
    Allow: header('The methods that the path takes.', { type: 'string', examples: ['GET, HEAD, POST'] }),
    'Idempotent-Replayed': header('`true`: the order existed already, and nothing was charged again.', {
      type: 'string',
      const: 'true',
    }),
  };
}

function header(description: string, schema: JsonObject): JsonObject {
  return { description, schema };
}

const EXAMPLE_ID = 'req_01k9zq5v8xfz3r6t2m4n7p0qsw';

const EXAMPLE_EXTRAS: Partial<Readonly<Record<ErrorCode, JsonObject>>> = {
  insufficient_scope: { required_scope: 'orders:write' },
  validation_failed: {
    errors: [{ path: 'items[0].quantity', code: 'out_of_bounds', message: 'must be at least 1.' }],
  },
  out_of_stock: { oversold: [{ variant_sku: 'TEE-CLASSIC-BLK-M', requested: 12, available: 7, lines: [0] }] },
  cancellation_window_closed: {
    placed_at: '2026-11-21T09:30:00.000Z',
    cancellable_until: '2026-11-21T10:30:00.000Z',
  },
};

const EXAMPLE_DETAILS: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The body is not valid JSON near character 118.',
  unauthorized: 'The bearer token is not valid; it may be mistyped, expired or revoked.',
  insufficient_scope: 'This endpoint needs a token with the scope orders:write.',
  not_found: 'There is no such resource in this account. Check the id.',
  method_not_allowed: 'This path takes GET, HEAD, POST.',
  request_timeout: 'The request did not arrive whole in time. Send it again.',
  conflict: 'The order is dispatched and can no longer be cancelled.',
  cancellation_window_closed: 'The order could be cancelled until 2026-11-21T10:30:00.000Z. Ask support.',
  out_of_stock: 'Not enough in stock: TEE-CLASSIC-BLK-M (7 of 12). See oversold.',
  duplicate_external_reference: 'This external_reference is in use. References are unique across all accounts.',
  payload_too_large: 'The body may have at most 1048576 bytes.',
  unsupported_media_type: 'Send the body as Content-Type: application/json, encoded in UTF-8.',
  range_not_satisfiable: 'The file has 5120 bytes, and none of them in the range asked for.',
  validation_failed: 'items[0].quantity: must be at least 1.',
  headers_too_large: 'The request line and headers may have at most 16 KiB together.',
  rate_limited: 'More than 600 requests a minute from this token. Try again in 12 s.',
  internal_error: 'Something went wrong on our side. Try again; if it stays, quote the request id.',
  not_implemented: 'Live quotes are not available yet. POST /orders/estimate prices a basket.',
  refund_failed: 'The refund failed, so the order was not cancelled. Send the request again.',
  unavailable: 'The service is shutting down. Try again.',
};

function errorExample(code: ErrorCode): JsonObject {
  const { status, title } = ERRORS[code];
  const detail = EXAMPLE_DETAILS[code];
  const head = { type: `/docs/errors#${code}`, title, status, code, detail, request_id: EXAMPLE_ID };
  return { ...head, ...EXAMPLE_EXTRAS[code] };
}
