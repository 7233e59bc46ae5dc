import { SCOPES, type Scope } from '../../lib/caller.ts';
import type { Route } from '../../lib/route.ts';
import { queryOfLink } from '../csv.ts';
import { OAUTH_PATHS } from '../oauth-paths.ts';
import { API_PREFIX } from '../server.ts';
import { documentOf } from './document.ts';
import { errorCodesOf, errorLinks, PUBLIC_ERRORS } from './error-responses.ts';
import { EXAMPLES } from './examples.ts';
import { headersOfCustomers } from './headers.ts';
import { INTRODUCTION, TAGS, tagOf } from './introduction.ts';
import type { DescribedOperation } from './operations.ts';
import { samplesOf } from './samples.ts';
import type { JsonObject } from './schemas.ts';
import { deliveryHeaders, webhookItems } from './webhooks.ts';

/** Grows with v1 (spec 9): the second number with each addition, the third with changed wording. */
const VERSION = '1.0.0';

/**
 * Makes the OpenAPI 3.1 document of the public API from the objects that serve it.
 * Paths, scopes and schemas therefore cannot differ from what is checked (decisions, "Contract in the
 * open"). The same routes give the same document to the byte. Its URLs are relative to where it is
 * served. Throws when two schemas share a title, or a path has no section.
 */
export function openApiDocument<Ctx>(routes: readonly Route<Ctx>[]): JsonObject {
  const api = {
    title: 'Platen',
    version: VERSION,
    summary: 'Print-on-demand order fulfilment.',
    introduction: INTRODUCTION,
    server: { url: API_PREFIX, description: 'This service. There is no sandbox: every token is live.' },
    tags: TAGS,
    errors: PUBLIC_ERRORS,
    webhooks: webhookItems,
    headers: headersOfCustomers(),
    parameters: deliveryHeaders(),
    securitySchemes: securitySchemes(),
  };
  return documentOf(api, routes.map(describe));
}

function describe<Ctx>(route: Route<Ctx>): DescribedOperation {
  const errorCodes = errorCodesOf(route);
  return {
    ...route,
    query: queryOfLink(route),
    description: [route.description ?? '', errorLinks(errorCodes)].join('\n\n').trim(),
    tag: tagOf(route.path),
    security: [{ bearer: [route.access.scope] }, { oauth2: [route.access.scope] }],
    errorCodes,
    examples: EXAMPLES[route.operationId] ?? {},
    samples: samplesOf(route.operationId),
    ownHeaders: ['X-Ignored-Parameters'],
  };
}

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
        'A personal token, `pat_live_…`, as `Authorization: Bearer <token>`. Its scopes are chosen when it is created; each operation names the scope that it needs.',
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
