import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fastify } from 'fastify';
import { startTestService, type TestService } from '../../test/harness/service.ts';
import { mountFrontPage } from './front-page.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const get = (accept?: string, method = 'GET') =>
  fetch(`${service.url}/`, { method, headers: accept === undefined ? {} : { accept } });

describe('/ (operating, "Addresses")', () => {
  test('a client reads what this is, and where its documents and health are', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json']) {
      const answer = await get(accept);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json'], accept);
      const body = (await answer.json()) as Record<string, string>;
      assert.deepEqual([body.name, body.version, body.sandbox], ['Platen', version, false]);
      for (const name of ['documentation', 'openapi', 'health']) {
        assert.equal((await fetch(new URL(body[name] ?? '', service.url))).status, 200, name);
      }
    }
  });

  test('a browser gets a page without script, whose links lead somewhere', async () => {
    const answer = await get(BROWSER);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.match(answer.headers.get('vary') ?? '', /\bAccept\b/);
    const html = await answer.text();
    assert.doesNotMatch(html, /<script|https?:/);
    assert.ok(html.includes(version) && html.includes('<html lang="en">') && html.includes('<main>'));
    const links = [...html.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path ?? '');
    assert.ok(links.length >= 6);
    for (const path of links) assert.equal((await fetch(service.url + path)).status, 200, path);
    const isBuilt = existsSync('built/portal/index.html');
    assert.equal(links.includes('/portal'), isBuilt, 'the portal, where it was built');
    assert.ok(!links.includes('/ops'), 'a console that is not there');
    assert.doesNotMatch(html, /sandbox/i);
  });

  test('HEAD has the headers alone, and another method is refused', async () => {
    const head = await get(BROWSER, 'HEAD');
    assert.deepEqual([head.status, await head.text()], [200, '']);
    const posted = await get(undefined, 'POST');
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  });

  test('a console is listed once it is mounted', async () => {
    const app = fastify();
    mountFrontPage(app, { isSandbox: false });
    app.get('/portal', () => '');
    const { body } = await app.inject({ url: '/', headers: { accept: BROWSER } });
    assert.ok(body.includes('href="/portal"') && !body.includes('href="/ops"'));
  });
});
