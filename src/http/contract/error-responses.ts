import { ERROR_CODES, ERRORS, type ErrorCode, type ErrorEntry } from '../../lib/error-catalogue.ts';
import { type TSchema, Type } from '../../lib/typebox.ts';
import { EXAMPLE_REQUEST_ID, headersOf } from './headers.ts';
import type { Components, JsonObject } from './schemas.ts';

/** The members of every error (decisions, "Error body"); a code may add its own. */
export const ErrorBody = Type.Object({
  type: Type.String({ description: 'Link to the description of the error: /docs/errors#code.' }),
  title: Type.String({ description: 'The same for every error of this code.' }),
  status: Type.Integer(),
  code: Type.Unsafe<ErrorCode>({ type: 'string' }),
  detail: Type.String({ description: 'What went wrong this time and what to change, for a person.' }),
  request_id: Type.String({ description: 'Quote it to support; the same as the header X-Request-Id.' }),
});

/** The errors of a document; those of the three APIs differ. */
export type ErrorBook = {
  /** All codes, in the catalogue's order. */
  readonly codes: readonly ErrorCode[];
  readonly entries: Readonly<Record<ErrorCode, ErrorEntry>>;
};

export const PUBLIC_ERRORS: ErrorBook = {
  codes: ERROR_CODES.filter((code) => ERRORS[code].api === undefined),
  entries: ERRORS,
};

export const OPS_ERRORS: ErrorBook = {
  codes: ERROR_CODES.filter((code) => ERRORS[code].api !== 'portal'),
  entries: Object.fromEntries(
    ERROR_CODES.map((code) => [code, { ...ERRORS[code], ...ERRORS[code].ops }]),
  ) as ErrorBook['entries'],
};

export const PORTAL_ERRORS: ErrorBook = {
  codes: ERROR_CODES.filter((code) => ERRORS[code].api !== 'operations'),
  entries: Object.fromEntries(
    ERROR_CODES.map((code) => [code, { ...ERRORS[code], ...ERRORS[code].portal }]),
  ) as ErrorBook['entries'],
};

/** Errors from before an operation is known; they are in the document's `default` response. */
const OF_NO_OPERATION = ERROR_CODES.filter((code) => ERRORS[code].operations === 'none');

const OF_EVERY_OPERATION = ERROR_CODES.filter((code) => ERRORS[code].operations === 'every');

/** The parts of an operation that decide which errors it can answer with. */
export type Refusing = {
  readonly params: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
  readonly errors?: readonly ErrorCode[];
};

/**
 * Every code that an operation can answer with, in the catalogue's order.
 * Those of every operation and its own.
 */
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
  const { status, extras, cause } = book.entries[code];
  return Type.Object(
    {
      ...ErrorBody.properties,
      status: Type.Unsafe({ type: 'integer', const: status }),
      code: Type.Unsafe({ type: 'string', const: code }),
      ...extras,
    },
    { title: errorSchemaName(code), description: cause },
  );
}

/** Any error, also with a code that is added later. */
function anyError(book: ErrorBook): TSchema {
  const code = Type.String({
    description: 'Identifies the error for programs; more codes may be added.',
    examples: book.codes,
  });
  return Type.Object(
    { ...ErrorBody.properties, code },
    {
      title: 'ApiError',
      description: 'The members of RFC 9457 and ours. Some codes add members of their own.',
    },
  );
}

/** The codes of an operation in a line of Markdown, each with a link to the page of errors. */
export function errorLinks(codes: readonly ErrorCode[]): string {
  return `Errors: ${codes.map((code) => `[\`${code}\`](/docs/errors#${code})`).join(', ')}.`;
}

/** The error responses of an operation by status, each with its codes, and `default` for any other. */
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
    description: codes.map((code) => `\`${code}\`: ${book.entries[code].cause}`).join('\n\n'),
    headers: headersOf(codes),
    content: {
      'application/json': {
        schema: { oneOf: refs, discriminator: { propertyName: 'code', mapping: Object.fromEntries(mapping) } },
        examples: examplesOf(codes, book),
      },
    },
  };
}

/** The shared responses. One for each code that is alone under its status, and `ApiError` for the rest. */
export function sharedErrorResponses(
  ofOperations: readonly (readonly ErrorCode[])[],
  components: Components,
  book: ErrorBook,
): JsonObject {
  const alone = ofOperations.flatMap(codesByStatus).flatMap(([, codes]) => (codes.length === 1 ? codes : []));
  const ofCodes = ERROR_CODES.filter((code) => alone.includes(code)).map((code) => {
    const schema = components.lift(errorSchema(code, book));
    const content = { schema, example: errorExample(code, book) };
    const response = {
      description: `${book.entries[code].cause} ${book.entries[code].cure}`,
      headers: headersOf([code]),
      content: { 'application/json': content },
    };
    return [errorSchemaName(code), response] as const;
  });
  const other = {
    description:
      'Any other error has the same body: a wrong method, a request that is too slow or whose headers are too large, and errors that may be added.',
    headers: headersOf(OF_NO_OPERATION),
    content: {
      'application/json': { schema: components.lift(anyError(book)), examples: examplesOf(OF_NO_OPERATION, book) },
    },
  };
  return { ...Object.fromEntries(ofCodes), ApiError: other };
}

function examplesOf(codes: readonly ErrorCode[], book: ErrorBook): JsonObject {
  return Object.fromEntries(codes.map((code) => [code, { value: errorExample(code, book) }]));
}

/** An example error of a code. */
function errorExample(code: ErrorCode, book: ErrorBook): JsonObject {
  const { status, title, example } = book.entries[code];
  const { detail, ...extras } = example;
  return { type: `/docs/errors#${code}`, title, status, code, detail, request_id: EXAMPLE_REQUEST_ID, ...extras };
}
