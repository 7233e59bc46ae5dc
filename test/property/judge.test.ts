import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppContext } from '../../src/app/context.ts';
import { ERRORS, type ErrorCode } from '../../src/lib/error-catalogue.ts';
import { type Route, route } from '../../src/lib/route.ts';
import { Type } from '../../src/lib/typebox.ts';
import { judge, type Received } from './judge.ts';

// The judge of random requests must object where there is something to object to.

const ROUTE: Route<AppContext> = route({
  method: 'POST',
  path: '/things',
  access: { scope: 'orders:read' },
  operationId: 'makeThing',
  summary: '',
  query: Type.Object({ limit: Type.Optional(Type.String()) }),
  body: Type.Object({ items: Type.Array(Type.Object({ qty: Type.Integer() })) }),
  replies: { 201: Type.Object({ id: Type.String() }) },
  errors: ['conflict'],
  handle: async () => ({ status: 201 }),
});
const REQUEST_ID = `req_0${'a'.repeat(25)}`;
const HEADERS = { 'content-type': 'application/json', 'x-request-id': REQUEST_ID };
const SENT = { method: 'POST', path: '/things', query: [], text: '{"items":[{"qty":"1"}],"extra":{"a":[]}}' };

function refused(code: ErrorCode, more: object = {}): Received {
  const { status, title } = ERRORS[code];
  const body = { type: `/docs/errors#${code}`, title, status, code, detail: 'Wrong.', request_id: REQUEST_ID, ...more };
  return { status, headers: HEADERS, text: JSON.stringify(body) };
}

function problemAt(path: string): Received {
  return refused('validation_failed', { errors: [{ path, code: 'type', message: 'must be a whole number.' }] });
}

const FINE: readonly Received[] = [
  { status: 201, headers: HEADERS, text: '{"id":"x","more":1}' },
  refused('conflict'),
  refused('not_found'),
  problemAt('items[0].qty'),
  problemAt('items[0].name'),
  problemAt('extra.a'),
  problemAt('limit'),
  problemAt(''),
];

test('an answer as documented passes', () => {
  for (const received of FINE) judge(ROUTE, SENT, received);
});

const WRONG: readonly (readonly [what: string, received: Received])[] = [
  ['a 500', refused('internal_error')],
  ['a 503', refused('unavailable')],
  ['a code that the operation does not document', refused('out_of_stock')],
  ['a status that it does not document', { status: 200, headers: HEADERS, text: '{"id":"x"}' }],
  ['a reply of another shape', { status: 201, headers: HEADERS, text: '{"id":5}' }],
  [
    'a reply of another type',
    { status: 201, headers: { ...HEADERS, 'content-type': 'text/html' }, text: '{"id":"x"}' },
  ],
  ['no request id', { status: 201, headers: { 'content-type': 'application/json' }, text: '{"id":"x"}' }],
  ['the request id of another', refused('conflict', { request_id: `req_1${'a'.repeat(25)}` })],
  ['an unknown code', refused('conflict', { code: 'nonsense' })],
  ['another status in the body', refused('conflict', { status: 400 })],
  ['a page in place of JSON', { status: 404, headers: HEADERS, text: '<html></html>' }],
  ['a 422 without problems', refused('validation_failed')],
  ['a problem at a place that was not sent', problemAt('items[1].qty')],
  ['a problem at a name that nobody knows', problemAt('elsewhere.deep')],
  ['a stack', refused('conflict', { detail: 'Error at file:///srv/app.ts:3' })],
  ['a statement', refused('conflict', { detail: 'select id from orders failed' })],
];

for (const [what, received] of WRONG) {
  test(`${what} does not pass`, () => {
    assert.throws(() => judge(ROUTE, SENT, received));
  });
}
