import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_ROUTES } from '../../../src/app/service.ts';
import { SCOPES, type Scope } from '../../../src/lib/caller.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
const withOnly = new Map<Scope, Customer>();
const allBut = new Map<Scope, Customer>();
let without: Customer;

before(async () => {
  service = await startTestService({ role: 'api' });
  for (const scope of SCOPES) {
    withOnly.set(scope, await service.openCustomer({ scopes: [scope] }));
    allBut.set(scope, await service.openCustomer({ scopes: SCOPES.filter((other) => other !== scope) }));
  }
  without = await service.openCustomer({ scopes: [] });
});
after(() => service.stop());

/** Spec 4.1, 4.3, 4.4, 4.5; decisions, "Catalogue". Reads of another's or nobody's record are enough to see a scope. */
const SCOPE_OF: readonly (readonly [method: string, path: string, scope: Scope])[] = [
  ['GET', '/orders', 'orders:read'],
  ['GET', '/orders/:id', 'orders:read'],
  ['POST', '/orders', 'orders:write'],
  ['POST', '/orders/estimate', 'orders:read'],
  ['POST', '/orders/:id/cancel', 'orders:write'],
  ['PATCH', '/orders/:id/address', 'orders:write'],
  ['POST', '/orders/:id/cancellation-request', 'orders:write'],
  ['DELETE', '/orders/:id/cancellation-request', 'orders:write'],
  ['POST', '/orders/:id/lines/:line/artwork', 'orders:write'],
  ['GET', '/orders/:id/invoice', 'orders:read'],
  ['GET', '/orders/:id/credit-notes', 'orders:read'],
  ['GET', '/orders/:id/credit-notes/:credit_note_id', 'orders:read'],
  ['POST', '/orders/:id/problems', 'orders:write'],
  ['GET', '/orders/:id/problems', 'orders:read'],
  ['GET', '/problems', 'orders:read'],
  ['GET', '/problems/:id', 'orders:read'],
  ['POST', '/problems/:id/withdraw', 'orders:write'],
  ['GET', '/account/balance', 'orders:read'],
  ['GET', '/account/billing', 'orders:read'],
  ['GET', '/account/transactions', 'orders:read'],
  ['POST', '/uploads/validate', 'orders:write'],
  ['GET', '/products', 'products:read'],
  ['GET', '/products/:id', 'products:read'],
  ['GET', '/products/:id/personalisation', 'products:read'],
  ['POST', '/products/:id/personalisation/preview', 'products:read'],
  ['POST', '/products', 'products:write'],
  ['PATCH', '/products/:id', 'products:write'],
  ['DELETE', '/products/:id', 'products:write'],
  ['GET', '/brands', 'products:read'],
  ['GET', '/brands/:id', 'products:read'],
  ['POST', '/brands', 'products:write'],
  ['PATCH', '/brands/:id', 'products:write'],
  ['DELETE', '/brands/:id', 'products:write'],
  ['GET', '/webhooks', 'orders:read'],
  ['POST', '/webhooks', 'orders:write'],
  ['GET', '/webhooks/:id', 'orders:read'],
  ['PATCH', '/webhooks/:id', 'orders:write'],
  ['DELETE', '/webhooks/:id', 'orders:write'],
  ['GET', '/webhooks/:id/deliveries', 'orders:read'],
  ['GET', '/webhooks/:id/deliveries/:delivery', 'orders:read'],
  ['POST', '/webhooks/:id/deliveries/:delivery/redeliver', 'orders:write'],
  ['POST', '/webhooks/:id/test', 'orders:write'],
  ['POST', '/webhooks/:id/rotate-secret', 'orders:write'],
  ['POST', '/webhooks/:id/replay', 'orders:write'],
  ['GET', '/webhooks/:id/replays', 'orders:read'],
  ['GET', '/webhooks/:id/replays/:replay', 'orders:read'],
  ['PATCH', '/webhooks/:id/replays/:replay', 'orders:write'],
  ['GET', '/events', 'orders:read'],
  ['POST', '/shipping/rates', 'shipping:read'],
  ['POST', '/tax/rates', 'tax:read'],
  ['GET', '/catalog/products', 'products:read'],
  ['GET', '/catalog/products/:id', 'products:read'],
  ['GET', '/catalog/products/:id/print-areas', 'products:read'],
  ['GET', '/catalog/products/:id/prices', 'products:read'],
  ['GET', '/stock', 'products:read'],
];

test('every route of the service stands in the table below', () => {
  const listed = new Set(SCOPE_OF.map(([method, path]) => `${method} ${path}`));
  assert.deepEqual(
    API_ROUTES.map(({ method, path }) => `${method} ${path}`).filter((name) => !listed.has(name)),
    [],
  );
});

const WITHOUT_BODY = new Set(
  API_ROUTES.flatMap(({ method, path, body }) => (method === 'POST' && body === undefined ? [path] : [])),
);

for (const [method, route, scope] of SCOPE_OF) {
  test(`5.3 ${method} ${route} needs ${scope}, which is looked at before the body (B35, B37, B41, 4.1 scopes, 4.2 scope, 4.3 scope, 4.4 scopes, 4.5 scopes)`, async () => {
    const path = route
      .replace(':id', publicId('ord', newId()))
      .replace(/:(credit_note_id|delivery|replay)/, publicId('cn', newId()));
    const broken = method === 'GET' ? undefined : '{ not json';
    for (const customer of [allBut.get(scope), without]) {
      const answer = await customer?.request(method, path, broken);
      assert.deepEqual([answer?.status, answer?.body.code], [403, 'insufficient_scope']);
      assert.match(answer?.headers.get('www-authenticate') ?? '', new RegExp(`scope="${scope}"`));
    }
    const allowed = await withOnly.get(scope)?.request(method, path, broken);
    assert.ok(allowed !== undefined && ![401, 403].includes(allowed.status), `${allowed?.status}`);
    // An operation without a body looks at none (E91).
    if (method === 'POST' && !WITHOUT_BODY.has(route)) {
      assert.deepEqual([allowed.status, allowed.body.code], [400, 'invalid_request']);
    }
  });

  test(`5.4 ${method} ${route} without a token is a 401, the body unread (5.1, B36, 7 unauthorized)`, async () => {
    const response = await fetch(`${service.url}/api/v1${route.replace(/:\w+/g, 'x')}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: '{ not json' }),
    });
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    assert.match(await response.text(), /"code":"unauthorized"/);
  });
}

test('a token in the query or the body, of another scheme or with a letter more is none (B28, B29, B31)', async () => {
  const { token } = service.customer;
  const before = await everythingWritten(service);
  const missing = 'Send the header Authorization: Bearer <token>.';
  const malformed = 'The header must be Authorization: Bearer <token>, with the whole token.';
  const unknown = 'The bearer token is not valid; it may be mistyped, expired or revoked.';
  const attempts: [string, Record<string, string>, string][] = [
    [`/orders?access_token=${token}&token=${token}`, {}, missing],
    ['/orders', { authorization: token }, malformed],
    ['/orders', { authorization: `Basic ${token}` }, malformed],
    ['/orders', { authorization: `Bearer ${token}x` }, unknown],
    ['/orders', { authorization: `Bearer ${token.slice(0, -1)}` }, unknown],
    ['/orders', { authorization: `Bearer ${token.toUpperCase()}` }, unknown],
    ['/orders', { authorization: 'Bearer' }, malformed],
    ['/orders', { 'x-api-key': token }, missing],
  ];
  for (const [path, headers, detail] of attempts) {
    const response = await fetch(`${service.url}/api/v1${path}`, { headers });
    const answer = (await response.json()) as { detail: string };
    assert.deepEqual([response.status, answer.detail], [401, detail], JSON.stringify(headers));
  }
  const body = JSON.stringify({ token, access_token: token });
  const headers = { 'content-type': 'application/json' };
  assert.equal((await fetch(`${service.url}/api/v1/orders`, { method: 'POST', headers, body })).status, 401);
  assert.deepEqual(await everythingWritten(service), before);
});
