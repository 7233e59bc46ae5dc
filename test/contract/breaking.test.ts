import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { findBreaks } from './breaking.ts';
import type { Json } from './breaking-schema.ts';
import { committedDocument } from './committed.ts';

describe('9.2 version 1 only gains (9.3)', () => {
  test('nothing of the released document was removed or narrowed', () => {
    const { document, baselineFile } = committedDocument();
    assert.ok(existsSync(baselineFile), `${baselineFile} is missing`);
    const released = JSON.parse(readFileSync(baselineFile, 'utf8')) as Json;
    assert.deepEqual(
      findBreaks(released, JSON.parse(document) as Json),
      [],
      'A change that breaks a client of v1 ships as v2. Keep what was there, and add beside it.',
    );
  });
});

const ORDER = {
  type: 'object',
  required: ['id', 'status', 'notes'],
  properties: {
    id: { type: 'string' },
    status: { type: 'string', enum: ['pending', 'cancelled'] },
    notes: { type: 'string', maxLength: 1000 },
    total: { type: 'number' },
    mock_url: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    parent: { $ref: '#/components/schemas/Order' },
  },
};
const BODY = {
  type: 'object',
  required: ['items'],
  properties: {
    items: { type: 'array', minItems: 1, maxItems: 10, items: { type: 'integer', minimum: 1, maximum: 10 } },
    type: { type: 'string', enum: ['sample', 'bulk'] },
    notes: { type: 'string', maxLength: 1000 },
    code: { type: 'string', pattern: '^a' },
    label: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    metadata: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 5 },
  },
};

/** A document of one order, as small as it may be, on which the changes below are made. */
function small() {
  const content = (schema: object) => ({ 'application/json': { schema } });
  return {
    servers: [{ url: '/api/v1' }],
    paths: {
      '/orders/{id}': {
        get: {
          operationId: 'getOrder',
          security: [{ bearer: ['orders:read'] }, { oauth2: ['orders:read'] }],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 100 } },
          ],
          responses: {
            200: {
              headers: { 'X-Request-Id': {} },
              content: content({ $ref: '#/components/schemas/Order' }),
            },
            404: { $ref: '#/components/responses/NotFoundError' },
          },
        },
        delete: { operationId: 'removeOrder', security: [], responses: { 204: {} } },
      },
      '/orders': {
        post: {
          operationId: 'placeOrder',
          security: [],
          requestBody: { required: true, content: content(structuredClone(BODY)) },
          responses: { 201: { content: content({ $ref: '#/components/schemas/Order' }) } },
        },
      },
    },
    webhooks: {
      'order.created': {
        post: {
          parameters: [{ $ref: '#/components/parameters/svc-event' }],
          requestBody: { required: true, content: content({ $ref: '#/components/schemas/Order' }) },
        },
      },
    },
    components: {
      schemas: {
        Order: structuredClone(ORDER),
        NotFoundError: {
          type: 'object',
          required: ['code', 'detail'],
          properties: { code: { type: 'string', const: 'not_found' }, detail: { type: 'string' } },
        },
      },
      parameters: { 'svc-event': { name: 'svc-event', in: 'header', required: true, schema: { type: 'string' } } },
      responses: { NotFoundError: { content: content({ $ref: '#/components/schemas/NotFoundError' }) } },
      securitySchemes: {
        bearer: { type: 'http' },
        oauth2: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: { 'orders:read': '', 'orders:write': '' } } },
        },
      },
    },
  };
}

/** The loose view of the document that the changes are written on. */
type Loose = { [name: string]: Loose } & unknown[];

/** Sets what stands at a path, or takes it away. */
function set(document: unknown, path: string, value?: unknown): void {
  const names = path.split(' ');
  const last = names.pop() ?? '';
  let at = document as Loose;
  for (const name of names) at = at[name] as Loose;
  if (value === undefined) Reflect.deleteProperty(at, last);
  else Reflect.set(at, last, value);
}

const GET = 'paths /orders/{id} get';
const BODY_AT = 'paths /orders post requestBody content application/json schema';
const ORDER_AT = 'components schemas Order';

type Row = readonly [what: string, change: (document: object) => void, found?: string];

const BREAKS: readonly Row[] = [
  ['a path is removed', (d) => set(d, 'paths /orders'), 'POST /orders was removed'],
  ['an operation is removed', (d) => set(d, 'paths /orders/{id} delete'), 'DELETE /orders/{id} was removed'],
  [
    'an operation has another name',
    (d) => set(d, `${GET} operationId`, 'fetchOrder'),
    'GET /orders/{id} operationId was "getOrder" and is "fetchOrder"',
  ],
  [
    'an operation needs another scope',
    (d) => set(d, `${GET} security`, [{ bearer: ['orders:write'] }, { oauth2: ['orders:read'] }]),
    'GET /orders/{id} can no longer be called with {"bearer":["orders:read"]}',
  ],
  [
    'a parameter is removed',
    (d) => set(d, `${GET} parameters`, [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]),
    'GET /orders/{id} query parameter limit was removed',
  ],
  [
    'a parameter becomes required',
    (d) => set(d, `${GET} parameters 1 required`, true),
    'GET /orders/{id} query parameter limit is required now',
  ],
  [
    'a new parameter is required',
    (d) => set(d, `${GET} parameters 2`, { name: 'x', in: 'query', required: true, schema: {} }),
    'GET /orders/{id} query parameter x is required now',
  ],
  [
    'a bound of a parameter is tightened',
    (d) => set(d, `${GET} parameters 1 schema maximum`, 50),
    'GET /orders/{id} query parameter limit maximum takes less than before: 100 → 50',
  ],
  [
    'a body member becomes required',
    (d) => set(d, `${BODY_AT} required`, ['items', 'notes']),
    'POST /orders body.notes is required now',
  ],
  ['a body member is removed', (d) => set(d, `${BODY_AT} properties notes`), 'POST /orders body.notes was removed'],
  [
    'a body member has another type',
    (d) => set(d, `${BODY_AT} properties notes`, { type: 'integer' }),
    'POST /orders body.notes string is no longer taken',
  ],
  [
    'a list holds other things',
    (d) => set(d, `${BODY_AT} properties items items`, { type: 'string' }),
    'POST /orders body.items[] integer is no longer taken',
  ],
  [
    'a text may be less long',
    (d) => set(d, `${BODY_AT} properties notes maxLength`, 999),
    'POST /orders body.notes maxLength takes less than before: 1000 → 999',
  ],
  [
    'a list may be less long',
    (d) => set(d, `${BODY_AT} properties items maxItems`, 9),
    'POST /orders body.items maxItems takes less than before: 10 → 9',
  ],
  [
    'a list must be longer',
    (d) => set(d, `${BODY_AT} properties items minItems`, 2),
    'POST /orders body.items minItems takes less than before: 1 → 2',
  ],
  [
    'a smallest number grows',
    (d) => set(d, `${BODY_AT} properties items items minimum`, 2),
    'POST /orders body.items[] minimum takes less than before: 1 → 2',
  ],
  [
    'a bound comes where none was',
    (d) => set(d, `${BODY_AT} properties code maxLength`, 5),
    'POST /orders body.code maxLength takes less than before: none → 5',
  ],
  [
    'a pattern changes',
    (d) => set(d, `${BODY_AT} properties code pattern`, '^ab'),
    'POST /orders body.code pattern takes less than before: "^a" → "^ab"',
  ],
  [
    'a value is no longer taken',
    (d) => set(d, `${BODY_AT} properties type enum`, ['bulk']),
    'POST /orders body.type "sample" is no longer taken',
  ],
  [
    'a free text becomes a choice',
    (d) => set(d, `${BODY_AT} properties notes enum`, ['a']),
    'POST /orders body.notes only "a" are taken now',
  ],
  [
    'null is no longer taken',
    (d) => set(d, `${BODY_AT} properties label`, { type: 'string' }),
    'POST /orders body.label null is no longer taken',
  ],
  [
    'a dictionary takes other values',
    (d) => set(d, `${BODY_AT} properties metadata additionalProperties`, { type: 'integer' }),
    'POST /orders body.metadata.* string is no longer taken',
  ],
  [
    'unknown members are refused',
    (d) => set(d, `${BODY_AT} additionalProperties`, false),
    'POST /orders body other members are no longer taken',
  ],
  [
    'a body is no longer taken as JSON',
    (d) => set(d, 'paths /orders post requestBody content', { 'text/csv': { schema: {} } }),
    'POST /orders body application/json was removed',
  ],
  [
    'a reply has another status',
    (d) => set(d, 'paths /orders post responses', { 202: {} }),
    'POST /orders 202 may come, where it could not',
  ],
  [
    'a reply loses its body',
    (d) => set(d, `${GET} responses 200 content`, {}),
    'GET /orders/{id} 200 application/json was removed',
  ],
  [
    'a reply gets a body where none was',
    (d) => set(d, 'paths /orders/{id} delete responses 204 content', { 'application/json': { schema: {} } }),
    'DELETE /orders/{id} 204 application/json may come, where nothing did',
  ],
  [
    'a header is removed',
    (d) => set(d, `${GET} responses 200 headers`, {}),
    'GET /orders/{id} 200 header X-Request-Id was removed',
  ],
  ['a member of a reply is removed', (d) => set(d, `${ORDER_AT} properties notes`), 'Order.notes was removed'],
  [
    'a member of a reply may be missing',
    (d) => set(d, `${ORDER_AT} required`, ['id', 'status']),
    'Order.notes may be missing now',
  ],
  [
    'a member of a reply has another type',
    (d) => set(d, `${ORDER_AT} properties id`, { type: 'integer' }),
    'Order.id integer may come, where only string could',
  ],
  [
    'a member of a reply may be null',
    (d) => set(d, `${ORDER_AT} properties notes`, { anyOf: [{ type: 'string', maxLength: 1000 }, { type: 'null' }] }),
    'Order.notes null may come, where only string could',
  ],
  [
    'null is written as a type, and is new',
    (d) => set(d, `${ORDER_AT} properties notes type`, ['string', 'null']),
    'Order.notes null may come, where only string could',
  ],
  [
    'a new value may come',
    (d) => set(d, `${ORDER_AT} properties status enum`, ['pending', 'cancelled', 'lost']),
    'Order.status the value "lost" may come',
  ],
  [
    'a choice becomes free text',
    (d) => set(d, `${ORDER_AT} properties status`, { type: 'string' }),
    'Order.status other values than "pending", "cancelled" may come',
  ],
  [
    'a longer text may come',
    (d) => set(d, `${ORDER_AT} properties notes maxLength`, 2000),
    'Order.notes maxLength may bring more than before: 1000 → 2000',
  ],
  ['an event is removed', (d) => set(d, 'webhooks', {}), 'event order.created was removed'],
  ['an event loses a member', (d) => set(d, `${ORDER_AT} properties total`), 'Order.total was removed'],
  [
    'a delivery loses a header',
    (d) => set(d, 'webhooks order.created post parameters', []),
    'event order.created header parameter svc-event was removed',
  ],
  [
    'an error loses a member',
    (d) => set(d, 'components schemas NotFoundError properties detail'),
    'NotFoundError.detail was removed',
  ],
  [
    'an error has another code',
    (d) => set(d, 'components schemas NotFoundError properties code const', 'gone'),
    'NotFoundError.code the value "gone" may come',
  ],
  ['an error is removed', (d) => set(d, 'components schemas NotFoundError'), 'NotFoundError was removed'],
  ['a way of signing in is removed', (d) => set(d, 'components securitySchemes bearer'), 'security bearer was removed'],
  [
    'a scope is removed',
    (d) => set(d, 'components securitySchemes oauth2 flows clientCredentials scopes', { 'orders:read': '' }),
    'security oauth2 clientCredentials scope orders:write was removed',
  ],
  [
    'the token endpoint moves',
    (d) => set(d, 'components securitySchemes oauth2 flows clientCredentials tokenUrl', '/t'),
    'security oauth2 clientCredentials tokenUrl was "/oauth/token" and is "/t"',
  ],
  ['the base address moves', (d) => set(d, 'servers', [{ url: '/api/v2' }]), 'server /api/v1 was removed'],
];

const GAINS: readonly Row[] = [
  ['a new path', (d) => set(d, 'paths /stock', { get: { operationId: 'listStock', responses: {} } })],
  ['a new operation', (d) => set(d, 'paths /orders get', { operationId: 'listOrders', responses: {} })],
  [
    'a new optional parameter',
    (d) => set(d, `${GET} parameters 2`, { name: 'x', in: 'query', required: false, schema: {} }),
  ],
  ['a new optional body member', (d) => set(d, `${BODY_AT} properties gift`, { type: 'boolean' })],
  ['a required body member may be left out', (d) => set(d, `${BODY_AT} required`, [])],
  ['a wider bound', (d) => set(d, `${BODY_AT} properties notes maxLength`, 2000)],
  ['a bound that is gone', (d) => set(d, `${BODY_AT} properties notes maxLength`)],
  ['a pattern that is gone', (d) => set(d, `${BODY_AT} properties code pattern`)],
  ['a new value is taken', (d) => set(d, `${BODY_AT} properties type enum`, ['sample', 'bulk', 'gift'])],
  [
    'null is taken too',
    (d) => set(d, `${BODY_AT} properties notes`, { anyOf: [{ type: 'string', maxLength: 1000 }, { type: 'null' }] }),
  ],
  ['a number may have decimals', (d) => set(d, `${BODY_AT} properties items items type`, 'number')],
  ['a new member of a reply', (d) => set(d, `${ORDER_AT} properties gift`, { type: 'boolean' })],
  [
    'a member of a reply is always there now',
    (d) => set(d, `${ORDER_AT} required`, ['id', 'status', 'notes', 'total']),
  ],
  ['a value that no longer comes', (d) => set(d, `${ORDER_AT} properties status enum`, ['pending'])],
  ['a reply that is never null now', (d) => set(d, `${ORDER_AT} properties mock_url`, { type: 'string' })],
  ['null written as a type', (d) => set(d, `${ORDER_AT} properties mock_url`, { type: ['string', 'null'] })],
  ['a number that is always whole now', (d) => set(d, `${ORDER_AT} properties total type`, 'integer')],
  [
    'a schema that is written out',
    (d) => set(d, `${GET} responses 200 content application/json schema`, structuredClone(ORDER)),
  ],
  ['a new header', (d) => set(d, `${GET} responses 200 headers X-New`, {})],
  [
    'a new error of an operation',
    (d) => set(d, `${GET} responses 409`, { $ref: '#/components/responses/NotFoundError' }),
  ],
  ['a new code', (d) => set(d, 'components schemas NewError', { type: 'object' })],
  ['a new event', (d) => set(d, 'webhooks order.lost', { post: {} })],
  ['a new way of signing in', (d) => set(d, `${GET} security 2`, { cookie: [] })],
  ['other words', (d) => set(d, `${ORDER_AT} properties notes description`, 'Something else.')],
];

describe('the check for broken clients', () => {
  for (const [what, change, found] of BREAKS) {
    test(`sees that ${what}`, () => {
      const after = small();
      change(after);
      const lines = findBreaks(small(), after).map((each) => `${each.where} ${each.what}`);
      assert.ok(found !== undefined && lines.includes(found), lines.join('\n'));
    });
  }

  for (const [what, change] of GAINS) {
    test(`lets through: ${what}`, () => {
      const after = small();
      change(after);
      assert.deepEqual(findBreaks(small(), after), []);
    });
  }

  test('finds a change in a schema that only a schema refers to', () => {
    const [before, after] = [small(), small()];
    for (const document of [before, after]) {
      set(document, `${ORDER_AT} properties address`, {
        type: 'array',
        items: { $ref: '#/components/schemas/Address' },
      });
      set(document, 'components schemas Address', { type: 'object', properties: { city: { type: 'string' } } });
    }
    set(after, 'components schemas Address properties city');
    assert.deepEqual(findBreaks(before, after), [{ where: 'Address.city', what: 'was removed' }]);
  });

  test('does not pass over what it cannot compare', () => {
    const after = small();
    set(after, `${ORDER_AT} properties notes`, { type: 'string', not: { const: 'a' } });
    assert.throws(() => findBreaks(small(), after), /the keyword not is not compared/);
  });
});
