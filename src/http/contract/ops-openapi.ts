import type { ErrorCode } from '../../lib/error-catalogue.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../../lib/operator.ts';
import type { OpsRoute } from '../../lib/route.ts';
import { rolesThatMay } from '../authenticate.ts';
import { CSV } from '../csv.ts';
import { OPS_PREFIX } from '../server.ts';
import { documentOf } from './document.ts';
import { errorCodesOf, OPS_ERRORS } from './error-responses.ts';
import { sharedHeaders } from './headers.ts';
import type { DescribedOperation } from './operations.ts';
import type { JsonObject } from './schemas.ts';

const VERSION = '1.0.0';

/**
 * Makes the OpenAPI 3.1 document of the operations API from the objects that serve it.
 * The role that an operation needs is in its description.
 */
export function opsOpenApiDocument<Ctx>(routes: readonly OpsRoute<Ctx>[]): JsonObject {
  const api = {
    title: 'Platen operations',
    version: VERSION,
    summary: 'For the print shop: production, stock, shipping and money.',
    introduction: INTRODUCTION,
    server: { url: OPS_PREFIX, description: 'This service.' },
    tags: TAGS,
    errors: OPS_ERRORS,
    headers: sharedHeaders(),
    parameters: { 'Idempotency-Key': KEY, 'Required-Idempotency-Key': { ...KEY, required: true } },
    securitySchemes: { bearer: BEARER },
  };
  return documentOf(api, routes.map(describe));
}

/**
 * The codes that an operation can answer with.
 * Each refuses query parameters that it does not know. A write reads a body even if it takes none, and its key may have
 * been used.
 */
export function opsErrorCodesOf<Ctx>(route: OpsRoute<Ctx>): readonly ErrorCode[] {
  const ofWrite: readonly ErrorCode[] =
    route.method === 'GET' ? [] : ['conflict', 'payload_too_large', 'unsupported_media_type'];
  const ofMoney: readonly ErrorCode[] = route.movesMoney === true ? ['idempotency_key_required'] : [];
  return errorCodesOf({ ...route, errors: [...(route.errors ?? []), ...ofWrite, ...ofMoney, 'validation_failed'] });
}

function describe<Ctx>(route: OpsRoute<Ctx>): DescribedOperation {
  const needed = `Needs the role ${rolesThatMay(route.access.roles).join(', ')}.`;
  return {
    ...route,
    tag: tagOf(route.path),
    description: route.description === undefined ? needed : `${route.description}\n\n${needed}`,
    security: [{ bearer: [] }],
    headerParameters: route.method === 'GET' ? [] : [{ $ref: `#/components/parameters/${keyParameterOf(route)}` }],
    ...(route.csv === undefined ? {} : { files: [CSV] }),
    errorCodes: opsErrorCodesOf(route),
    examples: {},
  };
}

function keyParameterOf<Ctx>(route: OpsRoute<Ctx>): string {
  return route.movesMoney === true ? 'Required-Idempotency-Key' : 'Idempotency-Key';
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text of your choice, new for each request. Repeating a request with its key does nothing and returns the same answer; a different request with the key is refused with 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A token of an operator, `pop_…`, as `Authorization: Bearer <token>`. The role of its operator decides what it may do.',
};

const ROLE_WORDS: Readonly<Record<OperatorRole, string>> = {
  viewer: 'reads everything and changes nothing',
  production: 'works orders and stock: promote, start, finish, ship, hold, count',
  finance: 'moves money: settle, refund, mark a refund as paid',
  admin: 'does all of it',
};

const INTRODUCTION = `What the people of the shop and their scripts do: promote orders, work them line by line, ship them, keep the stock, and give money back. It sees the orders of all accounts. Tokens of customers are not taken here, nor those of operators by the public API.

## Roles

${OPERATOR_ROLES.map((role) => `- \`${role}\` ${ROLE_WORDS[role]}.`).join('\n')}

Each operation says which roles may call it. Every action is written to the audit log with who did it, in the same transaction as its effect.

## Repeating

Every POST and PATCH takes an \`Idempotency-Key\`, and those that move money need one: without it they answer 400. After a time-out or a 5xx, send the same request again under the same key: it is done once. Actions on an order answer with the order as it is now.

## Unknown names

A member or a query parameter that is not known is refused with 422, and the message has the nearest known name: what is mistyped must not do more than was meant. The public API only warns of most of them.

## Spreadsheets

Every list answers as CSV (RFC 4180, UTF-8, with a header) when the request has \`Accept: text/csv\`. Without \`limit\` the whole list is streamed by the same filters. With \`limit\` it is one page, and the header \`Link\` gives the query of the next. A member of an object has a column of its own (\`account.name\`), a list of objects becomes their number, and a text that a spreadsheet could run as a formula begins with an apostrophe.

## What is as in the public API

Money, times, ids, lists, errors, limits, and what may change. An order's reference, \`PF-…\`, works wherever its id does.`;

const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Orders', description: 'Orders of all accounts, from payment to the last parcel.' },
  { name: 'Stock', description: 'Blanks: stock levels, receipts, counts and movements.' },
  { name: 'Books', description: 'The ledger of the shop at any time, and the statements of accounts.' },
  {
    name: 'Access',
    description:
      'Withdrawing access: accounts, users, sessions, apps, grants and tokens. Effective within two seconds.',
  },
  { name: 'Personal data', description: 'Disclosing and erasing what is held of a person.' },
  { name: 'Shop', description: 'Tasks, the audit log, accounts, stations and webhooks.' },
];

const ACCESS =
  /^\/(accounts\/:id\/(suspend|resume|tokens|users|sessions|oauth-clients)$|tokens|users|sessions|oauth-|operator|sign-ups)/;

function tagOf(path: string): string {
  const first = path.split('/')[1];
  if (first === 'orders' || first === 'lines') return 'Orders';
  if (first === 'erasures' || /\/(erase|export-person)$/.test(path)) return 'Personal data';
  if (ACCESS.test(path)) return 'Access';
  if (first === 'books' || /^\/accounts\/:id\/./.test(path)) return 'Books';
  return first === 'stock' ? 'Stock' : 'Shop';
}
