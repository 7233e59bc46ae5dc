import { type TSchema, Type } from 'typebox';
import { ERRORS, type ErrorCode } from '../../lib/errors.ts';
import { ErrorBody, Timestamp } from '../../lib/schemas.ts';
import { ERROR_GUIDE } from './docs-guide.ts';
import { type ErrorExamples, errorExample, OPS_EXAMPLES } from './error-examples.ts';
import { headersOf } from './headers.ts';
import type { Components, JsonObject } from './schemas.ts';

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
  artwork_not_ready: {
    print_areas: Type.Array(Type.String(), { description: 'The areas whose print-ready file is not made yet.' }),
    failed_areas: Type.Array(Type.Object({ area: Type.String(), reason: Type.String() }), {
      description:
        'Those of them whose file could not be made, and why: they need a retry. The others are on their way.',
    }),
  },
  cancellation_window_closed: {
    placed_at: { ...Timestamp, description: 'When the order was placed.' },
    cancellable_until: { ...Timestamp, description: 'When the window closed.' },
  },
};

/** What only operators are refused with. */
export const OPS_ONLY: readonly ErrorCode[] = ['artwork_not_ready'];

const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** How a document speaks of errors: what differs between the public API and that of operators. */
export type ErrorBook = {
  /** The codes that there are, in the catalogue's order. */
  readonly codes: readonly ErrorCode[];
  readonly extras: Partial<Readonly<Record<ErrorCode, Readonly<Record<string, TSchema>>>>>;
  readonly causes: Partial<Readonly<Record<ErrorCode, string>>>;
  readonly examples: ErrorExamples;
};

export const PUBLIC_ERRORS: ErrorBook = {
  codes: ERROR_CODES.filter((code) => !OPS_ONLY.includes(code)),
  extras: ERROR_EXTRAS,
  causes: {},
  examples: {},
};

export const OPS_ERRORS: ErrorBook = {
  codes: ERROR_CODES,
  extras: {
    ...ERROR_EXTRAS,
    insufficient_scope: {
      required_roles: Type.Array(Type.String(), { description: 'The roles of which the operator needs one.' }),
    },
  },
  causes: {
    insufficient_scope: 'The token is valid, but the operator has another role.',
    not_found: 'The path or the resource does not exist.',
  },
  examples: OPS_EXAMPLES,
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

/** What of an operation says which refusals it can answer with. */
export type Refusing = {
  readonly params: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
  readonly errors?: readonly ErrorCode[];
};

/** Every code that an operation can answer with, in the catalogue's order: the doors' and its own. */
export function errorCodesOf(route: Refusing): readonly ErrorCode[] {
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

/** `out_of_stock` is the schema `OutOfStockError`. */
export function errorSchemaName(code: ErrorCode): string {
  const words = code.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  const name = words.join('');
  return name.endsWith('Error') ? name : `${name}Error`;
}

function errorSchema(code: ErrorCode, book: ErrorBook): TSchema {
  const { errors: _, ...members } = ErrorBody.properties;
  return Type.Object(
    {
      ...members,
      status: Type.Unsafe({ type: 'integer', const: ERRORS[code].status }),
      code: Type.Unsafe({ type: 'string', const: code }),
      ...book.extras[code],
    },
    { title: errorSchemaName(code), description: causeOf(code, book) },
  );
}

function causeOf(code: ErrorCode, book: ErrorBook): string {
  return book.causes[code] ?? ERROR_GUIDE[code].cause;
}

/** Any error, also one of a code that is yet to come. */
function anyError(book: ErrorBook): TSchema {
  const { errors: _, ...members } = ErrorBody.properties;
  const code = Type.String({
    description: 'For programs to tell errors apart by; more may come.',
    examples: book.codes,
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
export function errorResponses(codes: readonly ErrorCode[], components: Components, book: ErrorBook): JsonObject {
  const named = codesByStatus(codes).map(([status, ofStatus]) => {
    const only = ofStatus.length === 1 ? ofStatus[0] : undefined;
    const response =
      only === undefined ? severalCodes(ofStatus, components, book) : responseReference(errorSchemaName(only));
    return [status, response] as const;
  });
  return { ...Object.fromEntries(named), default: responseReference('ApiError') };
}

function codesByStatus(codes: readonly ErrorCode[]): (readonly [string, readonly ErrorCode[]])[] {
  return Object.entries(Object.groupBy(codes, (code) => String(ERRORS[code].status))).map(
    ([status, ofStatus]) => [status, ofStatus ?? []] as const,
  );
}

function responseReference(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` };
}

function severalCodes(codes: readonly ErrorCode[], components: Components, book: ErrorBook): JsonObject {
  const refs = codes.map((code) => components.lift(errorSchema(code, book)));
  const mapping = codes.map((code) => [code, `#/components/schemas/${errorSchemaName(code)}`] as const);
  return {
    description: codes.map((code) => `\`${code}\`: ${causeOf(code, book)}`).join('\n\n'),
    headers: headersOf(codes),
    content: {
      'application/json': {
        schema: { oneOf: refs, discriminator: { propertyName: 'code', mapping: Object.fromEntries(mapping) } },
        examples: examplesOf(codes, book),
      },
    },
  };
}

/** The responses that operations refer to: one for each code that stands alone under its status, and `ApiError` for the rest. */
export function sharedErrorResponses(
  ofOperations: readonly (readonly ErrorCode[])[],
  components: Components,
  book: ErrorBook,
): JsonObject {
  const alone = ofOperations.flatMap(codesByStatus).flatMap(([, codes]) => (codes.length === 1 ? codes : []));
  const ofCodes = ERROR_CODES.filter((code) => alone.includes(code)).map((code) => {
    const schema = components.lift(errorSchema(code, book));
    const content = { schema, example: errorExample(code, book.examples) };
    const response = {
      description: `${causeOf(code, book)} ${ERROR_GUIDE[code].cure}`,
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
      'application/json': { schema: components.lift(anyError(book)), examples: examplesOf(OF_NO_OPERATION, book) },
    },
  };
  return { ...Object.fromEntries(ofCodes), ApiError: other };
}

function examplesOf(codes: readonly ErrorCode[], book: ErrorBook): JsonObject {
  return Object.fromEntries(codes.map((code) => [code, { value: errorExample(code, book.examples) }]));
}
