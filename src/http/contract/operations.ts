import type { ErrorCode } from '../../lib/error-catalogue.ts';
import type { Deprecation } from '../../lib/route.ts';
import type { TSchema } from '../../lib/typebox.ts';
import { type ErrorBook, errorResponses } from './error-responses.ts';
import type { OperationExamples } from './examples.ts';
import { DEPRECATION_HEADERS, headerReferences, REPLY_HEADERS } from './headers.ts';
import { type Components, type JsonObject, parametersOf } from './schemas.ts';

/** An operation of either API, as a document describes it. */
export type DescribedOperation = {
  readonly method: string;
  /** Parameters as `:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: Deprecation;
  readonly security: readonly JsonObject[];
  readonly params: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
  readonly bodyIsOptional?: true;
  /** Parameters in headers, as OpenAPI objects. */
  readonly headerParameters?: readonly JsonObject[];
  /** By status: the reply's schema, the media type of a file, or null for a reply without a body. */
  readonly replies: Readonly<Record<number, TSchema | string | null>>;
  readonly replyHeaders?: Readonly<Record<number, readonly string[]>>;
  /** Headers that each success reply of this API can have. */
  readonly ownHeaders?: readonly string[];
  /** Media types that status 200 can also have. */
  readonly files?: readonly string[];
  readonly errorCodes: readonly ErrorCode[];
  readonly examples: OperationExamples;
  /** Code in languages that a viewer of the document does not write by itself. */
  readonly samples?: readonly JsonObject[];
};

/** The `paths` of a document: operations by path and method, with all their responses. */
export function pathItems(
  operations: readonly DescribedOperation[],
  components: Components,
  book: ErrorBook,
): JsonObject {
  const items = new Map<string, Record<string, unknown>>();
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:([^/]+)/g, '{$1}');
    const item = items.get(path) ?? {};
    items.set(path, item);
    item[operation.method.toLowerCase()] = operationObject(operation, components, book);
  }
  return Object.fromEntries(items);
}

function operationObject(operation: DescribedOperation, components: Components, book: ErrorBook): JsonObject {
  const parameters = [
    ...parametersOf('path', operation.params, components),
    ...parametersOf('query', operation.query, components),
    ...(operation.headerParameters ?? []),
  ];
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...descriptionOf(operation),
    ...(operation.deprecated === undefined ? {} : { deprecated: true }),
    security: operation.security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, operation.body, components) }),
    ...(operation.samples === undefined ? {} : { 'x-codeSamples': operation.samples }),
    responses: { ...replies(operation, components), ...errorResponses(operation.errorCodes, components, book) },
  };
}

/** The description, begun by what replaces a deprecated operation and when it ends. */
function descriptionOf({ description, deprecated }: DescribedOperation): { readonly description?: string } {
  if (deprecated === undefined) return description === undefined ? {} : { description };
  const { since, sunset, instead } = deprecated;
  const end = sunset === undefined ? '' : ` From ${sunset} on it is no longer answered.`;
  const notice = `**Deprecated since ${since}.** ${instead}${end}`;
  return { description: description === undefined ? notice : `${notice}\n\n${description}` };
}

function requestBody(operation: DescribedOperation, schema: TSchema, components: Components): JsonObject {
  const { examples, bodyIsOptional } = operation;
  const example = examples.request === undefined ? {} : { example: examples.request };
  const required = bodyIsOptional !== true;
  return { required, content: { 'application/json': { schema: components.lift(schema), ...example } } };
}

function replies(operation: DescribedOperation, components: Components): JsonObject {
  return Object.fromEntries(
    Object.entries(operation.replies).map(([status, schema]) => {
      const own = operation.replyHeaders?.[Number(status)] ?? [];
      const ofEnd = operation.deprecated === undefined ? [] : Object.keys(DEPRECATION_HEADERS);
      const isReplay = own.includes('Idempotent-Replayed');
      const reply = {
        description: isReplay ? REPLAY_WORDS : (REPLY_WORDS[status] ?? 'Done.'),
        headers: headerReferences([...REPLY_HEADERS, ...(operation.ownHeaders ?? []), ...own, ...ofEnd]),
      };
      if (schema === null) return [status, reply];
      const files = Object.fromEntries(
        (status === '200' ? (operation.files ?? []) : []).map((mediaType) => [mediaType, FILE]),
      );
      return [status, { ...reply, content: { ...replyContent(schema, operation.examples, components), ...files } }];
    }),
  );
}

function replyContent(schema: TSchema | string, examples: OperationExamples, components: Components): JsonObject {
  if (typeof schema === 'string') return { [schema]: FILE };
  const example = examples.reply === undefined ? {} : { example: examples.reply };
  return { 'application/json': { schema: components.lift(schema), ...example } };
}

const REPLAY_WORDS =
  'An order with this external_reference exists already. Returns it as it is now; nothing was charged again.';

const FILE = { schema: { type: 'string', format: 'binary' } };

const REPLY_WORDS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it continues in the background.',
  204: 'Done; the reply has no body.',
};
