import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EVENT_EXAMPLES } from '../../src/webhooks/recovery/sample-events.ts';
import { checkAnswer, checkDelivery } from '../harness/contract.ts';

const REQUEST_ID = 'req_01k9zq5v8xfz3r6t2m4n7p0qsw';
const BALANCE = {
  account_id: 'acct_01k9zq5v8xfz3r6t2m4n7p0qsw',
  balance: 12.5,
  currency: 'GBP',
  as_of: '2026-11-21T09:30:00.000Z',
};

function seen(status: number, body: unknown, headers: Record<string, string> = {}) {
  return {
    status,
    headers: new Headers({ 'x-request-id': REQUEST_ID, 'content-type': 'application/json', ...headers }),
    text: body === undefined ? '' : JSON.stringify(body),
  };
}

function refusal(status: number, code: string, title: string, extras: object = {}) {
  return { type: `/docs/errors#${code}`, title, status, code, detail: 'x', request_id: REQUEST_ID, ...extras };
}

const NOT_FOUND = refusal(404, 'not_found', 'There is no such resource');
const CONFLICT = refusal(409, 'conflict', 'The state of the resource does not allow this');
const PROBLEM = { path: 'limit', code: 'pattern', message: 'x' };
const INVALID = refusal(422, 'validation_failed', 'The request has problems', { errors: [PROBLEM] });

describe('every answer that a test gets is held to the document: it lets pass', () => {
  const rows: readonly [what: string, () => void][] = [
    ['a described reply', () => checkAnswer('GET', '/account/balance', seen(200, BALANCE))],
    ['a described refusal', () => checkAnswer('GET', '/orders/x', seen(404, NOT_FOUND))],
    ['a refusal with its extras', () => checkAnswer('GET', '/orders?limit=x', seen(422, INVALID))],
    ['an unknown path', () => checkAnswer('GET', '/nothing', seen(404, NOT_FOUND))],
    ['a reply without a body', () => checkAnswer('DELETE', '/webhooks/x', seen(204, undefined))],
    ['a described delivery', () => delivery({})],
  ];
  for (const [what, check] of rows) test(what, check);
});

describe('every answer that a test gets is held to the document: it refuses', () => {
  const rows: readonly [what: string, () => void, message: RegExp][] = [
    ['a member that is missing', () => balance({ balance: undefined }), /must have required property 'balance'/],
    ['a member that nobody described', () => balance({ secret: 1 }), /additionalProperty":"secret"/],
    ['a member of another type', () => balance({ balance: '12.50' }), /\/balance must be number/],
    ['a word that is not described', () => balance({ currency: 'EUR' }), /\/currency must be equal to one of/],
    ['a time without milliseconds', () => balance({ as_of: '2026-11-21T09:30:00Z' }), /\/as_of must match pattern/],
    ['a time that is none', () => balance({ as_of: '2026-13-41T09:30:00.000Z' }), /\/as_of must match format/],
    [
      'a status that is not described',
      () => checkAnswer('GET', '/account/balance', seen(202, BALANCE)),
      /no such status/,
    ],
    ['an operation that is not described', () => checkAnswer('GET', '/nothing', seen(200, {})), /no such operation/],
    [
      'a code that the operation does not list',
      () => checkAnswer('GET', '/orders', seen(409, CONFLICT)),
      /does not list conflict/,
    ],
    [
      'a code that is in no catalogue',
      () => checkAnswer('GET', '/orders', seen(409, refusal(409, 'gone', 'x'))),
      /not in the catalogue/,
    ],
    ['a code under another status', () => checkAnswer('GET', '/orders/x', seen(410, NOT_FOUND)), /answered 410/],
    ['another title', () => checkAnswer('GET', '/orders/x', seen(404, { ...NOT_FOUND, title: 'No' })), /answered 404/],
    [
      'a refusal of the shape without problems',
      () => checkAnswer('GET', '/orders', seen(422, { ...INVALID, errors: [] })),
      /must NOT have fewer than 1 items/,
    ],
    [
      'an extra that is not described',
      () => checkAnswer('GET', '/orders/x', seen(404, { ...NOT_FOUND, stack: 'x' })),
      /additionalProperty":"stack"/,
    ],
    [
      'a problem that the page does not list',
      () => checkAnswer('GET', '/orders', seen(422, { ...INVALID, errors: [{ ...PROBLEM, code: 'odd' }] })),
      /the problem odd, which the page does not list/,
    ],
    [
      'a refusal as HTML',
      () => checkAnswer('GET', '/orders/x', seen(404, NOT_FOUND, { 'content-type': 'text/html' })),
      /answered 404/,
    ],
    [
      'another request id in the body',
      () => checkAnswer('GET', '/orders/x', seen(404, { ...NOT_FOUND, request_id: 'req_2' })),
      /answered 404/,
    ],
    [
      'a 429 without Retry-After',
      () => checkAnswer('GET', '/orders', seen(429, refusal(429, 'rate_limited', 'Too many requests'))),
      /without Retry-After/,
    ],
    ['a body where there is none', () => checkAnswer('DELETE', '/webhooks/x', seen(204, {})), /answered 204/],
    [
      'an answer without a request id',
      () => checkAnswer('GET', '/orders/x', { ...seen(404, NOT_FOUND), headers: new Headers() }),
      /without X-Request-Id/,
    ],
    ['a delivery with another member', () => delivery({ order: 1 }), /additionalProperty":"order"/],
    ['a delivery of an unknown event', () => checkDelivery('order.lost', {}, Buffer.from('{}')), /no event order.lost/],
    [
      'a delivery without its signature',
      () => checkDelivery('order.created', {}, Buffer.from('{}')),
      /without svc-signature/,
    ],
  ];
  for (const [what, check, message] of rows) test(what, () => assert.throws(check, message));
});

function balance(changes: object): void {
  checkAnswer('GET', '/account/balance', seen(200, { ...BALANCE, ...changes }));
}

function delivery(changes: object): void {
  const names = ['svc-signature', 'svc-timestamp', 'svc-event', 'svc-webhook-id', 'svc-delivery-id'];
  const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const headers = Object.fromEntries([...names, ...standard].map((name) => [name, 'x']));
  const event = {
    id: 'evt_1',
    event: 'order.created',
    created_at: '2026-11-21T09:30:00.000Z',
    data: { ...EVENT_EXAMPLES['order.created'], ...changes },
    sequence: 1,
  };
  checkDelivery('order.created', headers, Buffer.from(JSON.stringify(event)));
}
