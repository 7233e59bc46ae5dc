import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { OPS_ROUTES } from '../../../src/app/ops-routes.ts';
import { API_ROUTES } from '../../../src/app/service.ts';
import { API_PREFIX, OPS_PREFIX, PORTAL_PREFIX } from '../../../src/http/server.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Product } from '../../../src/products/schema.ts';
import { authorizePath, openApp, openBrowser, openPerson, reachPage, signInOn } from '../../harness/oauth.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { basket } from '../../harness/shop.ts';

type Headers = globalThis.Headers;

/** Every method and path that the service has mounted, as the framework was told of them. */
const mounted: { method: string; url: string }[] = [];
let service: TestService;
let operator: OperatorClient;

function collectRoutes(message: unknown): void {
  (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
    mounted.push(...[method].flat().map((each) => ({ method: each, url })));
  });
}

before(async () => {
  subscribe('fastify.initialization', collectRoutes);
  service = await startTestService({
    role: 'api',
    env: {
      BASE_URL: 'https://print.example',
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      STRIPE_HOST: 'http://127.0.0.1:9',
    },
  });
  unsubscribe('fastify.initialization', collectRoutes);
  operator = await service.openOperator();
});
after(() => service.stop());

/** What every answer has. */
const ALWAYS = {
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
/** What an answer has that states nothing else. */
const STRICTEST = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
};
type Stated = Partial<typeof STRICTEST>;

function assertHeaders(headers: Headers, stated: Stated, what: string): void {
  for (const [name, value] of Object.entries({ ...ALWAYS, ...STRICTEST, ...stated })) {
    assert.equal(headers.get(name), value, `${name} of ${what}`);
  }
}

const PUBLIC = { 'cache-control': 'public, max-age=300' };
const FILE = { 'content-security-policy': "default-src 'none'; sandbox" };
const IN_A_POPUP = { 'cross-origin-opener-policy': 'unsafe-none' };
/** The only paths whose good answers a cache may keep. All documents; none is about a customer. */
const DOCUMENTS = [
  `${API_PREFIX}/openapi.json`,
  `${OPS_PREFIX}/openapi.json`,
  `${PORTAL_PREFIX}/openapi.json`,
  '/channels/openapi.json',
  '/docs',
  '/docs/errors',
  '/docs/start.js',
  '/docs/reference.js',
  '/docs/oauth',
  '/docs/first-webhook',
  '/docs/channels',
  '/docs/local-artwork',
];
/** Pages with a policy of their own, which the tests of each page hold. */
const isPage = (response: Response): boolean => response.headers.get('content-type')?.startsWith('text/html') ?? false;

function addressOf(url: string): string {
  return service.url + url.replaceAll(/:\w+/g, publicId('ord', newId()));
}

test('every route answers with the security headers, whoever asks, and only documents may be kept', async () => {
  const known = new Set(mounted.map(({ method, url }) => `${method} ${url}`));
  for (const [prefix, routes] of [
    [API_PREFIX, API_ROUTES],
    [OPS_PREFIX, OPS_ROUTES],
  ] as const) {
    for (const { method, path } of routes) assert.ok(known.has(`${method} ${prefix}${path}`), path);
  }
  for (const path of ['/healthz', '/readyz', '/metrics', '/files/:hash', ...DOCUMENTS]) {
    assert.ok(known.has(`GET ${path}`) && known.has(`HEAD ${path}`), path);
  }
  assert.ok(known.has('POST /hooks/stripe'));
  const statuses = new Map<number, number>();
  for (const { method, url } of mounted) {
    for (const token of ['', service.customer.token, operator.token]) {
      const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(addressOf(url), { method, headers, redirect: 'manual' });
      await response.arrayBuffer();
      const policy = response.headers.get('content-security-policy') ?? '';
      const what = `${method} ${url}, ${response.status}`;
      assertHeaders(
        response.headers,
        {
          ...(DOCUMENTS.includes(url) ? PUBLIC : {}),
          ...(url.startsWith(`${API_PREFIX}/oauth/`) && isPage(response) ? IN_A_POPUP : {}),
          ...(isPage(response) ? { 'content-security-policy': policy } : {}),
        },
        what,
      );
      if (isPage(response)) {
        assert.match(policy, /default-src '(none|self)';/, what);
        assert.match(policy, /frame-ancestors 'none'/, what);
        // Pictures have addresses of the service's own.
        const [others, own] = [policy.replace(/img-src [^;]*/, ''), /img-src ([^;]*)/.exec(policy)?.[1] ?? ''];
        assert.doesNotMatch(others, /https?:|\*|unsafe-eval|script-src [^;]*'unsafe-inline'/, what);
        assert.doesNotMatch(own.replace(' https://print.example', ''), /https?:|\*/, what);
      }
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  }
  // Otherwise it has seen refusals only.
  for (const status of [200, 400, 401, 404]) assert.ok((statuses.get(status) ?? 0) > 5, `${status}`);
});

test('an order, its estimate, its repeat, its packing slip and what is refused of it are stored by no cache', async () => {
  const body = basket(service, { external_reference: 'HEADERS-1' });
  const placed = await service.customer.request<{ id: string }>('POST', '/orders', body);
  const answers = [
    placed,
    await service.customer.request('POST', '/orders', body),
    await service.customer.request('POST', '/orders/estimate', body),
    await service.customer.request('GET', `/orders/${placed.body.id}`),
    await service.customer.request('POST', '/orders', { ...body, items: [] }),
    await operator.request('GET', `/orders/${placed.body.id}`),
    await operator.request('GET', `/orders/${placed.body.id}/packing-slip`),
    await service.customer.request('POST', `/orders/${placed.body.id}/cancel`),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200, 200, 422, 200, 200, 200],
  );
  for (const { headers, status } of answers) assertHeaders(headers, {}, `${status}`);
});

test('a signed file, which may show the name or photo of a person, is stored by no cache, nor is a refusal of it', async () => {
  const { body } = await service.customer.request<Product>('GET', `/products/${service.demo.products.fixed}`);
  const { pathname, search } = new URL(body.mockup_url ?? '');
  const address = service.url + pathname + search;
  const asked: readonly (readonly [status: number, headers: Record<string, string>])[] = [
    [200, {}],
    [206, { range: 'bytes=0-9' }],
    [304, { 'if-none-match': '*' }],
  ];
  for (const [status, headers] of asked) {
    const response = await fetch(address, { headers });
    await response.arrayBuffer();
    assert.equal(response.status, status);
    assertHeaders(response.headers, status === 304 ? {} : FILE, `${status}`);
  }
  for (const response of [
    await fetch(address, { headers: { range: 'bytes=99999999-' } }),
    await fetch(`${address}x`),
    await fetch(service.url + pathname),
  ]) {
    assertHeaders(response.headers, {}, `${response.status}`);
  }
});

test('the pages of a sign-in work in a window that an app has opened, and none of their answers is stored', async () => {
  const app = await openApp(service);
  const person = await openPerson(service);
  const browser = openBrowser(service);
  const asked = await browser.get(authorizePath(app));
  const waiting = await reachPage(browser, authorizePath(app));
  const signedIn = await signInOn(browser, waiting, person);
  for (const visit of [asked, waiting.page, signedIn.page]) {
    const policy = visit.headers.get('content-security-policy') ?? '';
    assertHeaders(visit.headers, { ...IN_A_POPUP, 'content-security-policy': policy }, String(visit.status));
  }
  assert.match(waiting.page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/);
});

test('what no route takes has them too: unknown paths, wrong methods, paths that cannot be read', async () => {
  for (const [method, path, status] of [
    ['GET', '/nothing', 404],
    ['PUT', '/api/v1/orders', 405],
    ['POST', '/docs', 405],
    ['OPTIONS', '/ops/v1/orders', 405],
    ['GET', '/api/v1/orders/%zz', 404],
    ['GET', `/api/v1/orders/${'a'.repeat(10_000)}`, 404],
  ] as const) {
    const response = await fetch(service.url + path, { method });
    await response.arrayBuffer();
    assertHeaders(response.headers, {}, `${method} ${path.slice(0, 40)}, ${response.status}`);
    assert.equal(response.status, status, path.slice(0, 40));
  }
});

test('a node that only works in the background has them on its probes', async () => {
  const worker = await startTestService({ role: 'worker', database: service.database });
  for (const path of ['/healthz', '/readyz', '/metrics', '/docs']) {
    const { headers } = await fetch(worker.url + path);
    assert.equal(headers.get('strict-transport-security'), null, 'its BASE_URL is http');
    assert.deepEqual([headers.get('x-content-type-options'), headers.get('cache-control')], ['nosniff', 'no-store']);
  }
  await worker.stop();
});
