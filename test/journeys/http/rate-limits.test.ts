import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintToken } from '../../../src/accounts/mint-token.ts';
import { SCOPES } from '../../../src/lib/caller.ts';
import { newId } from '../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { exchange } from '../../harness/server-fixture.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, HOME, servePicture } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

const TOKEN_LIMIT = 5;

let service: TestService;
before(async () => {
  service = await startTestService({
    role: 'api',
    env: { RATE_LIMIT_TOKEN_PER_MINUTE: String(TOKEN_LIMIT), RATE_LIMIT_IP_PER_MINUTE: '100000' },
  });
});
after(() => service.stop());

async function useUp(customer: Customer): Promise<void> {
  for (let count = 0; count < TOKEN_LIMIT; count += 1) await customer.request('GET', '/stock?limit=1');
}

test('M195 a 429 comes before anything is fetched or charged, and its reference is free for the retry', async () => {
  const customer = await service.openCustomer({ balancePence: 100_000 });
  const product = await addProduct(service, customer, 'TOTE-COTTON');
  const artwork = await servePicture(service, '/limited.png', { widthPx: 60, heightPx: 60, colour: 'teal' });
  const item = { product_id: product, variant_sku: 'TOTE-COTTON-NAT', quantity: 1 };
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: artwork }];
  const body = {
    items: [{ ...item, decoration: { areas } }],
    shipping_address: HOME,
    external_reference: `limited-${newId()}`,
  };
  await useUp(customer);
  const written = await everythingWritten(service);
  const hits = service.stranger.hits.length;
  for (const path of ['/orders', '/orders/estimate', '/uploads/validate']) {
    const limited = await customer.request('POST', path, path === '/uploads/validate' ? { url: artwork } : body);
    assert.deepEqual([limited.status, limited.body.code], [429, 'rate_limited']);
    assert.equal(limited.headers.get('x-ratelimit-scope'), 'token');
  }
  assert.deepEqual(await everythingWritten(service), written);
  assert.equal(service.stranger.hits.length, hits, 'nothing was fetched');

  // Another token of the account has its own minute.
  const { token } = await mintToken(service.ctx, { accountId: customer.accountId, scopes: SCOPES });
  const retried = await customer.request<CreatedOrder>('POST', '/orders', body, { authorization: `Bearer ${token}` });
  assert.equal(retried.status, 201, retried.text);
  assert.equal(retried.body.external_reference, body.external_reference);
});

type Kind = readonly [
  what: string,
  status: number,
  scope: 'ip' | 'token',
  ask: (customer: Customer) => Promise<Response>,
];

/** Requests of all kinds, each with what it gets and which of the limits it is told; a token's once it is known. */
const ANSWERS: readonly Kind[] = [
  ['a read', 200, 'token', (customer) => ask('GET', '/api/v1/stock', customer)],
  ['a HEAD', 200, 'token', (customer) => ask('HEAD', '/api/v1/stock', customer)],
  ['no token', 401, 'ip', () => ask('GET', '/api/v1/orders')],
  [
    'an unknown token',
    401,
    'ip',
    () => ask('GET', '/api/v1/orders', undefined, { authorization: 'Bearer pat_live_x' }),
  ],
  ['a resource that is not there', 404, 'token', (customer) => ask('GET', '/api/v1/orders/x', customer)],
  ['an unknown path', 404, 'ip', () => ask('GET', '/nothing')],
  ['an unreadable path', 404, 'ip', () => ask('GET', '/api/v1/orders/%E0%A4%A')],
  ['another method', 405, 'ip', () => ask('PUT', '/api/v1/orders')],
  ['a quote by GET', 405, 'ip', () => ask('GET', '/api/v1/tax/rates')],
  ['a file that is not there', 404, 'ip', () => ask('GET', `/files/${'0'.repeat(64)}`)],
  ['the reference page', 200, 'ip', () => ask('GET', '/docs')],
  ['the OpenAPI document', 200, 'ip', () => ask('GET', '/api/v1/openapi.json')],
  ['the metadata of OAuth', 200, 'ip', () => ask('GET', '/.well-known/oauth-authorization-server')],
  ['a JSON body for OAuth', 400, 'ip', () => ask('POST', '/api/v1/oauth/token')],
  [
    'another media type',
    415,
    'token',
    (customer) => ask('POST', '/api/v1/orders', customer, { 'content-type': 'text/plain' }),
  ],
  ['no JSON', 400, 'token', (customer) => ask('POST', '/api/v1/orders', customer)],
  ['a limit of 0', 422, 'token', (customer) => ask('GET', '/api/v1/orders?limit=0', customer)],
];

async function ask(
  method: string,
  path: string,
  customer?: Customer,
  headers: Record<string, string> = {},
): Promise<Response> {
  const authorization = customer === undefined ? {} : { authorization: `Bearer ${customer.token}` };
  const isPost = method === 'POST';
  return fetch(`${service.url}${path}`, {
    method,
    headers: { ...authorization, ...(isPost ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(isPost ? { body: '{ not json' } : {}),
  });
}

for (const [what, status, scope, send] of ANSWERS) {
  test(`7 rate_limited: ${what} is answered ${status} with the four headers of the limits (9.4 fixes)`, async () => {
    const response = await send(await service.openCustomer());
    assert.equal(response.status, status, await response.text());
    assert.match(response.headers.get('x-ratelimit-limit') ?? '', /^\d+$/);
    assert.match(response.headers.get('x-ratelimit-remaining') ?? '', /^\d+$/);
    assert.match(response.headers.get('x-ratelimit-reset') ?? '', /^\d{10}$/);
    assert.equal(response.headers.get('x-ratelimit-scope'), scope);
    assert.equal(response.headers.get('retry-after'), null);
  });
}

test('7 rate_limited: what is no HTTP, a head that is too large and a body that is too large are answered with the limits too', async () => {
  const { port } = new URL(service.url);
  const attempts = [
    ['nonsense\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET /api/v1/orders HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ] as const;
  for (const [bytes, status] of attempts) {
    const answer = (await exchange(Number(port), [bytes])) ?? '';
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, /x-ratelimit-limit: 100000\r\n/);
    assert.match(answer, /x-ratelimit-scope: ip\r\n/);
  }
  const customer = await service.openCustomer();
  const large = await customer.request('POST', '/orders', `"${'x'.repeat(1_100_000)}"`);
  assert.deepEqual([large.status, large.headers.get('x-ratelimit-scope')], [413, 'token']);
});

test('7 rate_limited: the 429 of a token says which limit, how many are left, when it begins anew and how long to wait (M190)', async () => {
  const customer = await service.openCustomer();
  await useUp(customer);
  const { status, headers, body } = await customer.request('GET', '/orders');
  assert.deepEqual([status, body.code, body.status], [429, 'rate_limited', 429]);
  assert.equal(headers.get('x-ratelimit-limit'), String(TOKEN_LIMIT));
  assert.equal(headers.get('x-ratelimit-remaining'), '0');
  const waitSeconds = Number(headers.get('retry-after'));
  const resetSeconds = Number(headers.get('x-ratelimit-reset'));
  assert.ok(waitSeconds >= 1 && waitSeconds <= 60);
  assert.ok(Math.abs(resetSeconds - Date.now() / 1_000 - waitSeconds) <= 2, 'both tell the same moment');
  assert.equal((await service.customer.request('GET', '/stock?limit=1')).status, 200, 'others are not touched');
});

test('probes are not limited and tell of no limit', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    const response = await fetch(`${service.url}${path}`);
    assert.deepEqual([response.status, response.headers.get('x-ratelimit-limit')], [200, null], path);
  }
});
