import type { TSchema } from 'typebox';
import { SCOPES, type Scope } from '../lib/caller.ts';
import type { Route } from '../lib/route.ts';
import { OAUTH_PATHS } from './oauth/paths.ts';
import {
  errorResponses,
  headerReferences,
  REPLY_HEADERS,
  sharedErrorResponses,
  sharedHeaders,
} from './openapi-errors.ts';
import { EXAMPLES, type OperationExamples } from './openapi-examples.ts';
import { INTRODUCTION, TAGS, tagOf } from './openapi-introduction.ts';
import { type Components, createComponents, type JsonObject, parametersOf } from './openapi-schemas.ts';
import { deliveryHeaders, webhookItems } from './openapi-webhooks.ts';
import { API_PREFIX } from './server.ts';

/** Grows with what v1 gains (spec 9): the second number with each addition, the third with words alone. */
const VERSION = '1.0.0';

/**
 * The OpenAPI 3.1 document of the public API, from the same objects that serve it: paths, scopes and schemas cannot differ
 * from what is checked (decisions, "Contract in the open"). The same routes give the same document to the byte. Addresses in it
 * are relative to where it is served from. Throws when two schemas share a title, or a path belongs to no section.
 */
export function openApiDocument<Ctx>(routes: readonly Route<Ctx>[]): JsonObject {
  const components = createComponents();
  const paths = pathItems(routes, components);
  const webhooks = webhookItems(components);
  const responses = sharedErrorResponses(routes, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Platen',
      version: VERSION,
      summary: 'Print-on-demand order fulfilment.',
      description: INTRODUCTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: API_PREFIX, description: 'This service. There is no sandbox: every token is live.' }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      schemas: components.schemas(),
      responses,
      headers: sharedHeaders(),
      parameters: deliveryHeaders(),
      securitySchemes: securitySchemes(),
    },
  };
}

function pathItems<Ctx>(routes: readonly Route<Ctx>[], components: Components): JsonObject {
  const items = new Map<string, Record<string, unknown>>();
  for (const route of routes) {
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    const item = items.get(path) ?? {};
    items.set(path, item);
    item[route.method.toLowerCase()] = operation(route, components);
  }
  return Object.fromEntries(items);
}

function operation<Ctx>(route: Route<Ctx>, components: Components): JsonObject {
  const examples = EXAMPLES[route.operationId] ?? {};
  const parameters = [
    ...parametersOf('path', route.params, components),
    ...parametersOf('query', route.query, components),
  ];
  return {
    operationId: route.operationId,
    tags: [tagOf(route.path)],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: [{ bearer: [route.scope] }, { oauth2: [route.scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, examples, components) }),
    responses: { ...replies(route, examples, components), ...errorResponses(route, components) },
  };
}

function requestBody(schema: TSchema, examples: OperationExamples, components: Components): JsonObject {
  const example = examples.request === undefined ? {} : { example: examples.request };
  return { required: true, content: { 'application/json': { schema: components.lift(schema), ...example } } };
}

function replies<Ctx>(route: Route<Ctx>, examples: OperationExamples, components: Components): JsonObject {
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => {
      const own = route.replyHeaders?.[Number(status)] ?? [];
      const example = examples.reply === undefined ? {} : { example: examples.reply };
      const isReplay = own.includes('Idempotent-Replayed');
      const reply = {
        description: isReplay ? REPLAY_WORDS : (REPLY_WORDS[status] ?? 'Done.'),
        headers: headerReferences([...REPLY_HEADERS, ...own]),
      };
      if (schema === null) return [status, reply];
      return [status, { ...reply, content: { 'application/json': { schema: components.lift(schema), ...example } } }];
    }),
  );
}

const REPLAY_WORDS =
  'This external_reference has an order already: that order as it is now. Nothing was charged again.';

const REPLY_WORDS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Taken; it goes on in the background.',
  204: 'Done; there is no body.',
};

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'orders:read': 'Read orders, invoices, events and webhook subscriptions; price a basket.',
  'orders:write': 'Place and cancel orders, which charges and refunds the account; manage webhook subscriptions.',
  'products:read': 'Read products, the catalogue, prices and stock.',
  'products:write': 'Create, change and archive products.',
  'tax:read': 'Ask for tax quotes.',
  'shipping:read': 'Ask for shipping quotes.',
};

function securitySchemes(): JsonObject {
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_WORDS[scope]]));
  const tokenUrl = OAUTH_PATHS.token;
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A personal token, `pat_live_…`, as `Authorization: Bearer <token>`. Its scopes are chosen when it is minted; the scope that an operation needs stands beside it.',
    },
    oauth2: {
      type: 'oauth2',
      description:
        'OAuth 2.0 for applications that act for other accounts. The token and revoke endpoints take form encoding; every client sends a PKCE challenge with method S256; a refresh token is good for one use, and brings the next. Metadata: `/.well-known/oauth-authorization-server`.',
      flows: {
        authorizationCode: {
          authorizationUrl: OAUTH_PATHS.authorize,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes,
        },
        clientCredentials: { tokenUrl, scopes },
      },
    },
  };
}
