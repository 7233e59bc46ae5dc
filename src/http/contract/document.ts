import { type ErrorBook, sharedErrorResponses } from './error-responses.ts';
import { DEPRECATION_HEADERS } from './headers.ts';
import { type DescribedOperation, pathItems } from './operations.ts';
import { type Components, createComponents, type JsonObject } from './schemas.ts';

/** What a document says of an API beside its operations. */
export type DescribedApi = {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly introduction: string;
  readonly server: { readonly url: string; readonly description: string };
  readonly tags: readonly JsonObject[];
  readonly errors: ErrorBook;
  readonly webhooks?: (components: Components) => JsonObject;
  readonly headers: JsonObject;
  readonly parameters: JsonObject;
  readonly securitySchemes: JsonObject;
};

/**
 * The OpenAPI 3.1 document of an API. The same operations give the same document to the byte.
 * Throws when two schemas share a title.
 */
export function documentOf(api: DescribedApi, operations: readonly DescribedOperation[]): JsonObject {
  const components = createComponents();
  const paths = pathItems(operations, components, api.errors);
  const webhooks = api.webhooks?.(components);
  const codes = operations.map(({ errorCodes }) => errorCodes);
  const responses = sharedErrorResponses(codes, components, api.errors);
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      summary: api.summary,
      description: api.introduction,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [api.server],
    tags: api.tags,
    paths,
    ...(webhooks === undefined ? {} : { webhooks }),
    components: {
      schemas: components.schemas(),
      responses,
      headers: operations.some(({ deprecated }) => deprecated)
        ? { ...api.headers, ...DEPRECATION_HEADERS }
        : api.headers,
      parameters: api.parameters,
      securitySchemes: api.securitySchemes,
    },
  };
}
