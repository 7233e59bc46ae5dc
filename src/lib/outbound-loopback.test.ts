import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test as testOf } from 'node:test';
import { postToLoopback, readLoopbackUrl } from './outbound-loopback.ts';

/** A test that fails by its own name when something in it hangs. */
const TEST_TIMEOUT_MS = 30_000;
const test = (title: string, work: () => Promise<void> | void): void => {
  void testOf(title, { timeout: TEST_TIMEOUT_MS }, work);
};

describe('only an address of this machine is read', () => {
  const rows: [text: string, isRead: boolean][] = [
    ['http://127.0.0.1:3000/hooks', true],
    ['http://localhost:3000/hooks?a=b', true],
    ['http://LOCALHOST/', true],
    ['http://localhost./', true],
    ['http://[::1]:3000/', true],
    ['http://127.9.8.7/', true],
    ['http://2130706433/', true],
    ['https://localhost:3000/', false],
    ['http://localhost.example:3000/', false],
    ['http://127.0.0.1.example/', false],
    ['http://app.localhost/', false],
    ['http://0.0.0.0:3000/', false],
    ['http://[::]/', false],
    ['http://[::ffff:127.0.0.1]/', false],
    ['http://192.168.0.2/', false],
    ['http://169.254.169.254/', false],
    ['http://[fe80::1]/', false],
    ['http://user@localhost/', false],
    ['http://:secret@localhost/', false],
    ['ftp://localhost/', false],
    ['localhost:3000', false],
    ['', false],
  ];
  for (const [text, isRead] of rows) {
    test(`${text}: ${isRead}`, () => assert.equal(readLoopbackUrl(text) !== undefined, isRead));
  }
});

describe('what the server there does is a value', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<number> {
    const server = createServer(listener).listen(0, host);
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  const post = async (port: number, host = '127.0.0.1', changes: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const url = readLoopbackUrl(`http://${host}:${port}/hooks`);
    assert.ok(url);
    const body = Buffer.from('{"é":1}');
    const { signal } = new AbortController();
    return postToLoopback(url, {
      headers: { 'x-own': 'yes' },
      body,
      timeoutMs: 5_000,
      answerBytesMax: 10,
      signal,
      ...changes,
    });
  };

  test('an answer is its status, and what was sent arrived to the byte', async () => {
    const seen: unknown[] = [];
    const port = await serve((request, response) => {
      seen.push(request.method, request.url, request.headers['x-own'], request.headers['content-length']);
      request.setEncoding('utf8').on('data', (chunk) => seen.push(chunk));
      request.on('end', () => response.writeHead(201).end('0123456789'));
    });
    assert.deepEqual(await post(port), { kind: 'answered', status: 201 });
    assert.deepEqual(seen, ['POST', '/hooks', 'yes', '8', '{"é":1}']);
  });

  test('localhost is found on either loopback address', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const port = await serve((_request, response) => void response.writeHead(204).end(), host);
      assert.deepEqual(await post(port, 'localhost'), { kind: 'answered', status: 204 });
    }
  });

  test('a redirect is an answer, and nobody goes there', async () => {
    let visits = 0;
    const elsewhere = await serve((_request, response) => {
      visits += 1;
      response.end();
    });
    const location = `http://127.0.0.1:${elsewhere}/`;
    const port = await serve((_request, response) => void response.writeHead(307, { location }).end());
    assert.deepEqual(await post(port), { kind: 'answered', status: 307 });
    assert.equal(visits, 0);
  });

  test('too much of an answer, and none in time, are failures', async () => {
    const much = await serve((_request, response) => void response.end('01234567890'));
    assert.deepEqual(await post(much), { kind: 'failed', error: 'the answer is larger than 10 bytes' });
    const slow = await serve(() => {});
    assert.deepEqual(await post(slow, '127.0.0.1', { timeoutMs: 30 }), {
      kind: 'failed',
      error: 'no answer within 30 ms',
    });
    const half = await serve((_request, response) => void response.writeHead(200).write('0'));
    assert.deepEqual(await post(half, '127.0.0.1', { timeoutMs: 30 }), {
      kind: 'failed',
      error: 'no answer within 30 ms',
    });
  });

  test('nobody there, or a connection that breaks, may be better the next time', async () => {
    const port = await serve((request) => request.socket.destroy());
    const broken = await post(port);
    assert.equal(broken.kind, 'unreached');
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port: free } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    assert.deepEqual(await post(free), { kind: 'unreached', error: 'nothing listens there' });
    assert.deepEqual(await post(free, 'localhost'), { kind: 'unreached', error: 'nothing listens there' });
  });

  test("the caller's signal ends it with its own reason", async () => {
    const stop = new AbortController();
    const port = await serve(() => stop.abort(new Error('enough')));
    await assert.rejects(post(port, '127.0.0.1', { signal: stop.signal }), /enough/);
  });
});
