import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { API_ROUTES } from '../../app/service.ts';
import { ERRORS } from '../../lib/error-catalogue.ts';
import { openApiDocument } from './openapi.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });

describe('the OpenAPI document (decisions, "Contract in the open")', () => {
  test('is served without a token, as the code makes it', async () => {
    const response = await get('/api/v1/openapi.json');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
    assert.deepEqual(await response.json(), JSON.parse(JSON.stringify(openApiDocument(API_ROUTES))));
  });

  test('is not sent twice to who has it', async () => {
    const etag = (await get('/api/v1/openapi.json')).headers.get('etag') ?? '';
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await get('/api/v1/openapi.json', { 'if-none-match': known });
      assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag]);
    }
    const other = await get('/api/v1/openapi.json', { 'if-none-match': '"other"' });
    assert.equal(other.status, 200);
  });

  test('is compressed for who takes it so, and for nobody else', async () => {
    for (const [accepted, coding] of [
      ['gzip', 'gzip'],
      ['br, gzip;q=0.5', 'gzip'],
      ['*', 'gzip'],
      ['gzip;q=0', null],
      ['gzip;q=0, *', null],
      ['gzip;q=x', null],
      ['identity', null],
      ['br', null],
    ] as const) {
      const response = await get('/api/v1/openapi.json', { 'accept-encoding': accepted });
      assert.equal(response.headers.get('content-encoding'), coding, accepted);
      assert.equal(response.headers.get('vary'), 'Accept-Encoding');
      assert.equal(((await response.json()) as { openapi: string }).openapi, '3.1.0');
    }
  });

  test('names endpoints of OAuth that are there', async () => {
    const { components } = (await (await get('/api/v1/openapi.json')).json()) as {
      components: { securitySchemes: { oauth2: { flows: Record<string, Record<string, unknown>> } } };
    };
    const flows = Object.values(components.securitySchemes.oauth2.flows);
    const urls = flows.flatMap((flow) => Object.values(flow).filter((value) => typeof value === 'string'));
    assert.equal(urls.length, 4);
    for (const url of urls) {
      const method = url.endsWith('/authorize') ? 'GET' : 'POST';
      const { status } = await fetch(service.url + url, { method, redirect: 'manual' });
      assert.ok(![404, 405].includes(status), `${method} ${url} is answered ${status}`);
    }
  });

  test('takes no other method, and HEAD without a body', async () => {
    const posted = await fetch(`${service.url}/api/v1/openapi.json`, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
    const head = await fetch(`${service.url}/api/v1/openapi.json`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });
});

describe('the reference page', () => {
  test('loads its script and the document from the service, and the browser is told to take nothing else', async () => {
    const page = await get('/docs');
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'self';/);
    assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/);
    assert.doesNotMatch(policy.replace(/style-src [^;]+/, ''), /unsafe-inline/);
    const html = await page.text();
    assert.doesNotMatch(html, /https?:\/\//);
    const scripts = [...html.matchAll(/<script src="([^"]+)">/g)].map((match) => match[1] ?? '');
    assert.deepEqual(scripts, ['/docs/reference.js', '/docs/start.js']);
    assert.doesNotMatch(html, /<script>|onload=|style=/);
  });

  test('keeps its fonts, its counting and the token to itself, and sends requests through no other host', async () => {
    const start = await (await get('/docs/start.js')).text();
    const configuration = JSON.parse(/\{.*\}/s.exec(start)?.[0] ?? '') as Record<string, unknown>;
    assert.equal(configuration.withDefaultFonts, false);
    assert.equal(configuration.telemetry, false);
    assert.equal(configuration.persistAuth, false);
    assert.deepEqual([configuration.hideTestRequestButton, configuration.proxyUrl], [undefined, undefined]);
    assert.equal(configuration.url, '/api/v1/openapi.json');
    assert.doesNotMatch(start, /https?:\/\//);
  });

  test('gets its script whole, also when several ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => get('/docs/reference.js')));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(texts).size, 1);
    assert.ok((texts[0] ?? '').length > 1_000_000 && (texts[0] ?? '').includes('createApiReference'));
    assert.equal(answers[0]?.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(answers[0]?.headers.get('content-encoding'), 'gzip');
    const plain = await get('/docs/reference.js', { 'accept-encoding': 'identity' });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(await plain.text(), texts[0]);
  });
});

test('7 the type of an error leads to a page with that anchor, which needs no script and no other address', async () => {
  const { body } = await service.customer.request('GET', '/orders/unknown');
  const [path = '', anchor = ''] = body.type.split('#');
  const page = await get(path);
  const html = await page.text();
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  assert.ok(html.includes(`<h3 id="${anchor}">`));
  for (const code of Object.keys(ERRORS)) assert.ok(html.includes(`<h3 id="${code}">`), code);
  assert.doesNotMatch(html, /<script|src=|href="https?:/);
});

test('a node that only works in the background serves none of it', async () => {
  const worker = await startTestService({ role: 'worker', database: service.database });
  try {
    for (const path of ['/docs', '/docs/errors', '/docs/reference.js', '/api/v1/openapi.json']) {
      assert.equal((await fetch(worker.url + path)).status, 404, path);
    }
  } finally {
    await worker.stop();
  }
});

test('clients that ask for the large script and do not read it hold no copy of it each', async () => {
  await (await get('/docs/reference.js')).arrayBuffer();
  const { hostname, port } = new URL(service.url);
  const held = (): number => process.memoryUsage().external + process.memoryUsage().arrayBuffers;
  const before = held();
  const sockets = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const socket = connect({ host: hostname, port: Number(port) });
      await once(socket, 'connect');
      socket.pause();
      socket.write('GET /docs/reference.js HTTP/1.1\r\nHost: a.example\r\n\r\n');
      return socket;
    }),
  );
  // An answer on another connection comes after those have been begun.
  for (let asked = 0; asked < 20; asked += 1) await (await get('/docs')).text();
  const heldMb = (held() - before) / 1_000_000;
  for (const socket of sockets) socket.destroy();
  assert.ok(heldMb < 130, `${heldMb.toFixed(0)} MB for 60 clients; a copy each would be 260 MB`);
});
