import { PERSON_ROLES, type PersonRole } from '../../lib/caller.ts';
import type { ErrorCode } from '../../lib/error-catalogue.ts';
import { isPersonRoute, type PortalRoute } from '../../lib/route.ts';
import { CSV, queryOfLink } from '../csv.ts';
import { PORTAL_PREFIX } from '../server.ts';
import { documentOf } from './document.ts';
import { errorCodesOf, PORTAL_ERRORS } from './error-responses.ts';
import { sharedHeaders } from './headers.ts';
import type { DescribedOperation } from './operations.ts';
import type { JsonObject } from './schemas.ts';

const VERSION = '1.0.0';

/**
 * Makes the OpenAPI 3.1 document of what only the portal has, from the objects that serve it.
 * The roles that an operation needs are in its description.
 */
export function portalOpenApiDocument<Ctx>(routes: readonly PortalRoute<Ctx>[]): JsonObject {
  const api = {
    title: 'Platen portal',
    version: VERSION,
    summary: 'For the pages of the portal: signing in, sessions and people.',
    introduction: INTRODUCTION,
    server: { url: PORTAL_PREFIX, description: 'This service.' },
    tags: TAGS.filter(({ name }) => routes.some(({ path }) => tagOf(path) === name)),
    errors: PORTAL_ERRORS,
    headers: { ...sharedHeaders(), 'Set-Cookie': SET_COOKIE, 'Document-Parts': DOCUMENT_PARTS },
    parameters: { 'X-Platen-CSRF': CSRF, Origin: ORIGIN, 'Idempotency-Key': KEY },
    securitySchemes: { session: SESSION },
  };
  return documentOf(api, routes.map(describe));
}

/**
 * The codes that an operation can answer with.
 * Each refuses query parameters that it does not know. A write reads a body even if it takes none.
 */
export function portalErrorCodesOf<Ctx>(route: PortalRoute<Ctx>): readonly ErrorCode[] {
  const ofWrite: readonly ErrorCode[] =
    route.method === 'GET' ? [] : ['csrf_refused', 'payload_too_large', 'unsupported_media_type'];
  return errorCodesOf({ ...route, errors: [...(route.errors ?? []), ...ofWrite, 'validation_failed'] });
}

/** The last sentence of the description of an operation: who may call it. */
export function whoMayCall<Ctx>(route: PortalRoute<Ctx>): string {
  if (!isPersonRoute(route)) return 'Needs no session.';
  const { people } = route.access;
  const roles = PERSON_ROLES.filter((role) => people.includes(role));
  return roles.length === PERSON_ROLES.length ? 'Needs a session.' : `Needs a session of the role ${roles.join(', ')}.`;
}

function describe<Ctx>(route: PortalRoute<Ctx>): DescribedOperation {
  const isPerson = isPersonRoute(route);
  const needed = whoMayCall(route);
  const takesKey = isPerson && route.takesKey === true;
  const parameters = ['Origin', ...(isPerson ? ['X-Platen-CSRF'] : []), ...(takesKey ? ['Idempotency-Key'] : [])];
  const { method, path, operationId, summary, params, body, replies, replyHeaders } = route;
  return {
    ...{ method, path, operationId, summary, params, query: queryOfLink(route), body, replies },
    ...(replyHeaders === undefined ? {} : { replyHeaders }),
    ...(route.csv === undefined ? {} : { files: [CSV] }),
    tag: tagOf(path),
    description: route.description === undefined ? needed : `${route.description}\n\n${needed}`,
    security: isPerson ? [{ session: [] }] : [],
    headerParameters: method === 'GET' ? [] : parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    errorCodes: portalErrorCodesOf(route),
    examples: {},
  };
}

const ORIGIN = {
  name: 'Origin',
  in: 'header',
  required: true,
  description: 'The origin of this service, as BASE_URL gives it. A browser sends it by itself.',
  schema: { type: 'string', format: 'uri' },
};

const CSRF = {
  name: 'X-Platen-CSRF',
  in: 'header',
  required: true,
  description: 'The `csrf_token` of the session.',
  schema: { type: 'string' },
};

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'A text of your choice, new for each request, and the same when you repeat it.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

const DOCUMENT_PARTS: JsonObject = {
  description: 'In how many archives the documents of the month are; `part` names one.',
  schema: { type: 'integer', minimum: 1 },
};

const SET_COOKIE = {
  description: 'The cookie of the session. A browser keeps it; no script can read it.',
  schema: { type: 'string' },
};

const SESSION = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-platen_session',
  description: 'The session that signing in opens. Where BASE_URL is not https, the cookie is called `platen_session`.',
};

const ROLE_WORDS: Readonly<Record<PersonRole, string>> = {
  owner: 'does everything, and decides who may come in',
  manager: 'does everything but that',
  orders: 'places and follows orders, and reads products',
  reader: 'reads and changes nothing',
};

const INTRODUCTION = `What the pages of the portal need beside the public API, which they call as well, by the same session. Programs use the public API and its tokens; no token is taken here.

## Sessions

Signing in sets a cookie. Where a request of the public API has no header \`Authorization\`, the cookie counts there, too, with the scopes of the person's role. A change by a session, in either API, needs the header \`Origin\` of this service and \`X-Platen-CSRF\` with the \`csrf_token\` of the session. Reading changes nothing.

## Roles

${PERSON_ROLES.map((role) => `- \`${role}\` ${ROLE_WORDS[role]}.`).join('\n')}

## What is as in the public API

Times, ids, errors and limits. A member or a query parameter that is not known is refused with 422.`;

const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Session', description: 'Signing in and out, and where one is signed in.' },
  { name: 'Tokens', description: 'Tokens of the public API.' },
  { name: 'Money', description: 'The balance: topping it up, what moved on it, and its documents.' },
  { name: 'Products', description: 'Garments, designs, and the products made of both.' },
  { name: 'Views', description: 'Lists as people have narrowed them, to open again.' },
  { name: 'Company', description: 'Whom invoices are addressed to, VAT, and how orders are sent.' },
  { name: 'People', description: 'Who may sign in for the account, and what each may do.' },
  { name: 'Templates', description: 'Personalised products: their drafts, proofs of them, and publishing.' },
];

function tagOf(path: string): string {
  if (/^\/(top-ups|money)/.test(path)) return 'Money';
  if (/^\/(garments|designs|products|product-prices|brands)/.test(path)) return 'Products';
  if (/^\/(company|shipping-preference)/.test(path)) return 'Company';
  if (/^\/(people|links|notifications)/.test(path)) return 'People';
  if (path.startsWith('/views')) return 'Views';
  if (path.startsWith('/templates')) return 'Templates';
  return path.startsWith('/tokens') ? 'Tokens' : 'Session';
}
