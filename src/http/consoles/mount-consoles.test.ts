import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { databaseClock } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { buildServer, type PlatenServer } from '../server.ts';
import { mountConsoles } from './mount-consoles.ts';

const SCRIPT = 'main-Ab12.js';
const TEXT = `console.log("${'portal '.repeat(100)}");`;
const PAGE = '<!doctype html><meta name="csp-nonce" nonce="__NONCE__"><div id="app"></div>';

let folder: string;
let server: PlatenServer;
let origin: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'platen-consoles-'));
  writeBuilt(folder);
  writeFileSync(join(folder, 'secret.js'), 'not a file of the console');
  server = await serving(folder);
  origin = `http://127.0.0.1:${(await server.listen(0, '127.0.0.1')).port}`;
});
after(async () => {
  await server.drain(0);
  rmSync(folder, { recursive: true, force: true });
});

function writeBuilt(into: string): void {
  const assets = join(into, 'portal', 'assets');
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(into, 'portal', 'index.html'), PAGE);
  writeFileSync(join(assets, SCRIPT), TEXT);
  writeFileSync(join(assets, `${SCRIPT}.br`), brotliCompressSync(TEXT));
  writeFileSync(join(assets, `${SCRIPT}.gz`), gzipSync(TEXT));
}

async function serving(built: string, log = silentLog): Promise<PlatenServer> {
  return buildServer({
    ctx: {},
    routes: [],
    authenticate: async () => undefined,
    log,
    clock: databaseClock(),
    settings: {
      baseUrl: 'http://127.0.0.1:8080',
      trustProxy: undefined,
      rateLimitTokenPerMinute: 0,
      rateLimitIpPerMinute: 0,
    },
    ready: async () => ({ ready: true }),
    extend: (app) => {
      app.delete('/portal/api/v1/session', async () => '');
      mountConsoles(app, log, { built: pathToFileURL(`${built}/`), baseUrl: 'http://127.0.0.1:8080' });
    },
  });
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(origin + path, { method, headers });

/** As it is on the wire: `fetch` would resolve dots in the path, and decompress the body. */
async function getRaw(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const sent = request(origin, { path, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the page', () => {
  test('stands at the address of the console and at every path under it, and is never kept', async () => {
    for (const path of ['/portal', '/portal/', '/portal/sign-in', '/portal/orders/PF-7KQ2M9XA', '/portal/apiary']) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.match(await answer.text(), /<div id="app">/);
    }
  });

  test('runs nothing inline, loads nothing from elsewhere, and stands in no frame', async () => {
    const { headers } = await getRaw('/portal', { host: '127.0.0.1:8080' });
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|https?:|\*/);
    const answer = await get('/portal');
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
      assert.ok(policy.split('; ').includes(part), part);
    }
    assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  });

  test('has its pictures from BASE_URL where it is asked for by another name, and nothing else', async () => {
    const policyAt = async (host: string): Promise<string> =>
      String((await getRaw('/portal', { host })).headers['content-security-policy']);
    assert.match(await policyAt('127.0.0.1:8080'), /; img-src 'self' data:;/);
    const policy = await policyAt('localhost:8080');
    assert.match(policy, /; img-src 'self' data: http:\/\/127\.0\.0\.1:8080;/);
    assert.equal(policy.match(/http/g)?.length, 1);
  });

  test('has a nonce of its own each time, which its policy allows for styles alone', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const answer = await get('/portal');
      const nonce = /nonce="([\w-]{22})"/.exec(await answer.text())?.[1] ?? '';
      const policy = answer.headers.get('content-security-policy') ?? '';
      assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}';`));
      assert.equal(policy.split(nonce).length, 2, 'once');
      seen.add(nonce);
    }
    assert.equal(seen.size, 3);
  });

  test('HEAD has its headers alone; another method finds nothing', async () => {
    const head = await get('/portal/orders', {}, 'HEAD');
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.match(head.headers.get('content-security-policy') ?? '', /nonce-/);
    assert.equal((await get('/portal/orders', {}, 'POST')).status, 404);
  });
});

describe('under the API of the console', () => {
  test('what is unknown is 404 as JSON, and a wrong method names those of its path', async () => {
    for (const path of ['/portal/api', '/portal/api/', '/portal/api/v1/nothing']) {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/json'], path);
    }
    const wrong = await get('/portal/api/v1/session');
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'DELETE']);
    assert.equal((await get('/portal/api/v1/nothing', {}, 'POST')).status, 404);
  });
});

describe('a file', () => {
  const path = `/portal/assets/${SCRIPT}`;

  test('is sent in the smallest coding that the client takes, and kept for ever', async () => {
    const rows: [accepted: string, coding: string | undefined, read: (bytes: Buffer) => Buffer][] = [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
      ['identity', undefined, (bytes) => bytes],
      ['zstd', undefined, (bytes) => bytes],
    ];
    for (const [accepted, coding, read] of rows) {
      const { status, headers, bytes } = await getRaw(path, { 'accept-encoding': accepted });
      assert.equal(status, 200, accepted);
      assert.equal(headers['content-encoding'], coding, accepted);
      assert.equal(headers['content-length'], String(bytes.length));
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.equal(read(bytes).toString(), TEXT, accepted);
    }
  });

  test('that the client has is 304', async () => {
    const etag = (await get(path)).headers.get('etag') ?? '';
    const again = await get(path, { 'if-none-match': etag });
    assert.deepEqual([again.status, await again.text()], [304, '']);
  });

  test('that is unknown is 404, however its name is written', async () => {
    const names = [
      'nothing.js',
      `${SCRIPT}.br`,
      '',
      '../index.html',
      '..%2Findex.html',
      '%2e%2e%2f%2e%2e%2fsecret.js',
      '....//secret.js',
      `${SCRIPT}%00`,
      'constructor',
    ];
    for (const name of names) {
      const { status, bytes } = await getRaw(`/portal/assets/${name}`);
      assert.equal(status, 404, name);
      assert.doesNotMatch(bytes.toString(), /not a file of the console|<div/);
    }
  });
});

test('a console that was not built is not there, and one line says how to build it', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'platen-consoles-'));
  const lines: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, message) => void lines.push(message) };
  const without = await serving(empty, log);
  try {
    const { port } = await without.listen(0, '127.0.0.1');
    assert.equal((await fetch(`http://127.0.0.1:${port}/portal`)).status, 404);
    assert.deepEqual(lines, ['the portal is not built: `npm run prepare` builds it']);
  } finally {
    await without.drain(0);
    rmSync(empty, { recursive: true, force: true });
  }
});

test('a page without its one mark for the nonce, and a file of an unknown type, end the start', async () => {
  const wrong = mkdtempSync(join(tmpdir(), 'platen-consoles-'));
  try {
    writeBuilt(wrong);
    writeFileSync(join(wrong, 'portal', 'index.html'), PAGE.replace('__NONCE__', ''));
    await assert.rejects(serving(wrong), /must have one __NONCE__/);
    writeBuilt(wrong);
    writeFileSync(join(wrong, 'portal', 'assets', 'notes-Ab12.txt'), '');
    await assert.rejects(serving(wrong), /notes-Ab12\.txt, whose media type is not known/);
  } finally {
    rmSync(wrong, { recursive: true, force: true });
  }
});
