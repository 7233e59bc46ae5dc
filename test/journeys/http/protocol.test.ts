import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { API_ROUTES } from '../../../src/app/service.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { exchange, startDoors, until } from '../../harness/server-fixture.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
let port: number;
before(async () => {
  // No worker: what is counted stands still.
  service = await startTestService({ role: 'api' });
  port = Number(new URL(service.url).port);
});
after(() => service.stop());

/** Every public path once, with an id in the place of its parameter. */
const PATHS = [...new Set(API_ROUTES.map(({ path }) => path))];
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'] as const;

function methodsOf(path: string): readonly string[] {
  const own = API_ROUTES.filter((route) => route.path === path).map(({ method }) => method);
  return [...own, ...(own.includes('GET') ? ['HEAD'] : [])].toSorted();
}

function addressOf(path: string): string {
  return `${service.url}/api/v1${path.replaceAll(/:\w+/g, publicId('ord', newId()))}`;
}

function head(method: string, path: string, ...headers: string[]): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${service.customer.token}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The statuses of the answers on a connection, in order, and the connection's end. */
async function statusesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const received = await exchange(port, chunks);
  assert.ok(received !== undefined, 'the connection was reset');
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)]
    .map((match) => match[1] ?? '')
    .filter((status) => status !== '100');
}

test('A19 every path refuses every method that it has not, with 405, Allow and a JSON body, token or not', async () => {
  for (const path of PATHS) {
    const allowed = methodsOf(path);
    for (const method of METHODS.filter((name) => !allowed.includes(name))) {
      for (const authorization of [`Bearer ${service.customer.token}`, '']) {
        const response = await fetch(addressOf(path), {
          method,
          headers: authorization === '' ? {} : { authorization },
        });
        assert.equal(response.status, 405, `${method} ${path}`);
        assert.equal(response.headers.get('allow'), allowed.join(', '), `${method} ${path}`);
        assert.match(await response.text(), /"code":"method_not_allowed"/);
      }
    }
  }
});

test('A18 HEAD answers every path that can be read as GET does, and sends no body', async () => {
  const headers = { authorization: `Bearer ${service.customer.token}` };
  for (const path of PATHS.filter((each) => methodsOf(each).includes('GET'))) {
    const address = addressOf(path);
    const [got, asked] = [await fetch(address, { headers }), await fetch(address, { method: 'HEAD', headers })];
    assert.equal(asked.status, got.status, path);
    assert.equal(asked.headers.get('content-type'), got.headers.get('content-type'));
    assert.equal(await asked.text(), '');
  }
});

test('A18 no origin is let in: neither a preflight nor a request from a page is answered with CORS headers', async () => {
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
  for (const method of ['OPTIONS', 'GET', 'HEAD', 'POST']) {
    const response = await fetch(`${service.url}/api/v1/orders`, { method, headers });
    const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control'));
    assert.deepEqual(cors, [], method);
    assert.equal(response.status, method === 'OPTIONS' ? 405 : 401);
  }
  assert.deepEqual(await statusesOf(head('TRACE', '/api/v1/orders', 'Connection: close')), ['405']);
});

const STRANGE_TARGETS = [
  '//api/v1/orders',
  '/api/v1//orders',
  '/api/v1/orders/',
  '/api/v1/ORDERS',
  '/API/v1/orders',
  '/api/v2/orders',
  '/api/v1/orders/../products',
  '/api/v1/orders/..',
  '/api/v1/./orders',
  '/api/v1/%2e%2e/v1/orders',
  '/api/v1/orders/%2e%2e/products',
  '/api/v1/orders%2f',
  '/api/v1/orders/%E0%A4%A',
  '/api/v1/orders/%',
  '/api/v1/orders/%zz',
  '/api/v1/orders/%C0%AF',
  '/api/v1/orders/%ED%A0%80',
  '/api/v1/orders/%00',
  '/api/v1/orders/PF-2222%002222',
  '/api/v1/orders/a%2fb',
  '/api/v1/orders/a%5cb',
  '/api/v1/orders/a%0d%0ab',
  `/api/v1/orders/${'a'.repeat(10_240)}`,
  `/api/v1/orders/PF-${'2'.repeat(10_240)}`,
  `/api/v1/products/${'%F0%9F%A7%B5'.repeat(800)}`,
  '/api/v1/orders;version=1',
  '/api/v1/orders/__proto__',
  '/api/v1/orders/constructor',
  '/orders',
];

describe('A20 A21 A22 a path that is written otherwise is an unknown path: 404 as JSON, never another resource', () => {
  for (const target of STRANGE_TARGETS) {
    test(target.slice(0, 60), async () => {
      const received = await exchange(port, [head('GET', target, 'Connection: close')]);
      assert.match(received ?? '', /^HTTP\/1\.1 404 /, received?.slice(0, 200));
      assert.match(received ?? '', /\r\ncontent-type: application\/json\r\n[\s\S]*"code":"not_found"/i);
      assert.doesNotMatch(received ?? '', /<html|ENOENT|node_modules/i);
    });
  }
});

type Sent = { method?: string; headers?: Record<string, string>; body?: string };

test('A24 whoever asks for HTML gets JSON, whatever the answer is', async () => {
  const token = { authorization: `Bearer ${service.customer.token}` };
  const accepts = ['text/html', 'application/xml', 'image/*', '*/*;q=0'];
  const requests: readonly (readonly [path: string, status: number, init: Sent])[] = [
    ['/orders', 200, { headers: token }],
    ['/orders?limit=0', 422, { headers: token }],
    ['/orders', 401, {}],
    ['/nothing', 404, {}],
    ['/orders', 405, { method: 'PUT' }],
    ['/orders', 415, { method: 'POST', headers: token, body: 'text' }],
    ['/orders', 400, { method: 'POST', headers: { ...token, 'content-type': 'application/json' }, body: '{' }],
  ];
  for (const accept of accepts) {
    for (const [path, status, init] of requests) {
      const response = await fetch(`${service.url}/api/v1${path}`, { ...init, headers: { ...init.headers, accept } });
      assert.deepEqual([response.status, response.headers.get('content-type')], [status, 'application/json'], path);
      assert.equal(typeof JSON.parse(await response.text()), 'object');
    }
  }
});

test('A25 the body of a GET is ignored, whatever it is, and the connection stays in step', async () => {
  const good = head('GET', '/api/v1/orders?limit=1', 'Connection: close');
  for (const body of ['{', '{"limit":"1000"}', 'x'.repeat(5_000)]) {
    const first = head('GET', '/api/v1/orders?limit=1', 'Content-Type: text/plain', `Content-Length: ${body.length}`);
    assert.deepEqual(await statusesOf(first, body, good), ['200', '200']);
  }
});

test('A13 a body without a media type is 415, and A1 no body at all is 400', async () => {
  const body = JSON.stringify(basket(service));
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  assert.deepEqual(await statusesOf(head('POST', '/api/v1/orders', length, 'Connection: close'), body), ['415']);
  const typed = ['Content-Type: application/json', 'Connection: close'];
  assert.deepEqual(await statusesOf(head('POST', '/api/v1/orders', 'Content-Length: 0', ...typed)), ['400']);
  assert.deepEqual(await statusesOf(head('POST', '/api/v1/orders', ...typed)), ['400']);
  assert.deepEqual(await statusesOf(head('POST', '/api/v1/orders', 'Connection: close')), ['400']);
});

test('A15 lengths that lie place no order and leave no second request on the connection', async () => {
  const before = await everythingWritten(service);
  const body = JSON.stringify(basket(service));
  const bytes = Buffer.byteLength(body);
  const post = (...headers: string[]) => head('POST', '/api/v1/orders', 'Content-Type: application/json', ...headers);
  const hidden = head('GET', '/api/v1/orders');
  const cases: readonly (readonly [what: string, chunks: readonly string[], statuses: readonly string[]])[] = [
    ['two lengths', [post(`Content-Length: ${bytes}`, `Content-Length: ${bytes + 1}`), body], ['400']],
    [
      'a length and chunks',
      [post(`Content-Length: ${bytes}`, 'Transfer-Encoding: chunked'), '0\r\n\r\n', hidden],
      ['400'],
    ],
    ['chunks under another name', [post('Transfer-Encoding: xchunked'), body], ['400']],
    ['chunks named twice', [post('Transfer-Encoding: chunked, identity'), body], ['400']],
    ['a blank before the colon', [post('Transfer-Encoding : chunked'), '0\r\n\r\n', hidden], ['400']],
    ['a folded header', [post('X: a\r\n b'), ''], ['400']],
    ['a bare line feed in the head', [post('X: a\nTransfer-Encoding: chunked'), '0\r\n\r\n', hidden], ['400']],
    ['a length with a sign', [post(`Content-Length: +${bytes}`), body], ['400']],
    ['a length in hexadecimal', [post('Content-Length: 0x10'), body], ['400']],
    ['a chunk longer than told', [post('Transfer-Encoding: chunked'), '1\r\n{{\r\n0\r\n\r\n', hidden], ['400']],
    ['a chunk of a negative length', [post('Transfer-Encoding: chunked'), '-1\r\n{\r\n0\r\n\r\n'], ['400']],
    ['a chunk of an endless length', [post('Transfer-Encoding: chunked'), `${'f'.repeat(20)}\r\n{`], ['400']],
    ['a length shorter than the body', [post('Content-Length: 10'), body], ['400', '400']],
  ];
  for (const [what, chunks, statuses] of cases) assert.deepEqual(await statusesOf(...chunks), statuses, what);
  assert.deepEqual(await everythingWritten(service), before);
});

test('A16 a request has 30 seconds to arrive whole, and one byte now and then does not prolong it', async () => {
  const usual = await startDoors();
  const quick = await startDoors({ timeouts: { requestMs: 400 } });
  try {
    assert.deepEqual([usual.app.server.requestTimeout, usual.app.server.headersTimeout], [30_000, 30_000]);
    const heads = [
      'GET /api/v1/orders HTTP/1.1\r\nHost: x\r\nX-Slow: ',
      'POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n',
    ];
    for (const start of heads) {
      const socket = connect(quick.port, '127.0.0.1');
      let received = '';
      let isOver = false;
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
      socket
        .on('error', () => {})
        .on('close', () => {
          isOver = true;
        });
      socket.write(start);
      const drip = setInterval(() => socket.write('1'), 40);
      await until(() => isOver);
      clearInterval(drip);
      assert.match(received, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    }
  } finally {
    await usual.drain(0);
    await quick.drain(0);
  }
});

test('A26 requests sent in one go are answered in their order, and what asks for another protocol stays HTTP/1.1', async () => {
  const get = (...headers: string[]) => head('GET', '/api/v1/orders?limit=1', ...headers);
  const missing = head('GET', '/api/v1/orders/none');
  assert.deepEqual(await statusesOf(get(), missing, get(), missing, get('Connection: close')), [
    '200',
    '404',
    '200',
    '404',
    '200',
  ]);
  const upgrades = [
    ['Connection: Upgrade, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    ['Connection: Upgrade, close', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'],
    ['Connection: close, Authorization', 'Keep-Alive: timeout=1'],
    ['Connection: close', 'Proxy-Connection: keep-alive', 'TE: trailers'],
    ['Connection: close', 'X-HTTP-Method-Override: DELETE', 'X-Original-URL: /api/v1/products'],
  ];
  for (const headers of upgrades) assert.deepEqual(await statusesOf(get(...headers)), ['200'], headers.join());
  const before = await everythingWritten(service);
  const expecting = head('POST', '/api/v1/orders', 'Expect: 100-continue', 'Content-Length: 2', 'Connection: close');
  assert.deepEqual(await statusesOf(expecting, '{}'), ['415']);
  assert.deepEqual(await everythingWritten(service), before);
});

test('A17 a head of 32 KiB is 431, whether one header is long or there are many', async () => {
  const long = head('GET', '/api/v1/orders', `X: ${'y'.repeat(32_768)}`);
  const many = head('GET', '/api/v1/orders', ...Array.from({ length: 4_000 }, (_, index) => `x${index}: y`));
  const target = head('GET', `/api/v1/orders?x=${'y'.repeat(32_768)}`);
  for (const request of [long, many, target]) assert.deepEqual(await statusesOf(request), ['431']);
});

test('A12 a body over 1 MiB is 413 at every endpoint that takes one, and nothing is written', async () => {
  const before = await everythingWritten(service);
  const body = JSON.stringify({ ...basket(service), filler: 'x'.repeat(1_048_577) });
  for (const { method, path } of API_ROUTES.filter((route) => route.body !== undefined)) {
    const response = await fetch(addressOf(path), {
      method,
      headers: { authorization: `Bearer ${service.customer.token}`, 'content-type': 'application/json' },
      body,
    });
    assert.equal(response.status, 413, `${method} ${path}`);
    assert.match(await response.text(), /"code":"payload_too_large"/);
  }
  assert.deepEqual(await everythingWritten(service), before);
});

test('A27 a query parameter that is known is 422 when it comes twice, on every list', async () => {
  const headers = { authorization: `Bearer ${service.customer.token}` };
  const reads = API_ROUTES.filter(({ method, query }) => method === 'GET' && query !== undefined).filter(
    ({ path }) => !path.includes(':'),
  );
  assert.ok(reads.length >= 5);
  for (const { path } of reads) {
    // Every read with parameters is a list but for the balance, which takes a time.
    const name = path === '/account/balance' ? 'at' : 'limit';
    const response = await fetch(`${addressOf(path)}?${name}=1&${name}=100`, { headers });
    assert.equal(response.status, 422, path);
    assert.match(await response.text(), new RegExp(`"path":"${name}"`));
  }
});
