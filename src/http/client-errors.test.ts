import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { exchange, type Running, startDoors, until } from '../../test/harness/server-fixture.ts';

const REQUEST_MS = 400;
let doors: Running;
before(async () => {
  doors = await startDoors({ timeouts: { requestMs: REQUEST_MS } });
});
after(async () => {
  await doors.drain(0);
});

const HEAD = 'Host: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n';
const GOOD = '{"items":[{"quantity":1}]}';
const POST = `POST /api/v1/orders HTTP/1.1\r\n${HEAD}`;

/** Every answer in a stream of bytes: its status and, when it is a refusal, its code; checks the request id of each. */
function answersIn(received: string | undefined): string[] {
  assert.ok(received !== undefined, 'the connection was reset');
  return received.split(/(?=HTTP\/1\.1 (?!100))/).map((answer) => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? '';
    const id = /\r\nx-request-id: (req_\w{26})\r\n/i.exec(answer)?.[1];
    assert.ok(id !== undefined, answer);
    if (status.startsWith('2')) return status;
    assert.match(answer, /\r\ncontent-type: application\/json\r\n/i);
    const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    assert.partialDeepStrictEqual(body, { status: Number(status), request_id: id });
    return `${status} ${/"code":"(\w+)"/.exec(answer)?.[1]}`;
  });
}

test('what is not HTTP is answered with the JSON error and closed', async () => {
  const cases = [
    'nonsense\r\n\r\n',
    'GET /api/v1/orders HTTP/9.9\r\nHost: x\r\n\r\n',
    'FOO /api/v1/orders HTTP/1.1\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `GET /api/v1/orders HTTP/1.1\r\n${HEAD}bad header\r\n\r\n`,
    `GET /api/v1/orders HTTP/1.1\r\n${HEAD}x: a\0b\r\n\r\n`,
    'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  ];
  for (const bytes of cases) {
    assert.deepEqual(
      answersIn(await exchange(doors.port, [Buffer.from(bytes, 'latin1')])),
      ['400 invalid_request'],
      bytes,
    );
  }
});

test('a request whose length is told twice is refused and the connection closed (A15)', async () => {
  const before = doors.seen.bodies.length;
  const cases = [
    `${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${POST}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
    `${POST}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    `${POST}Content-Length: -1\r\n\r\n`,
    `${POST}Content-Length: 1, 1\r\n\r\na`,
    `${POST}Transfer-Encoding: gzip, chunked, x\r\n\r\n0\r\n\r\n`,
    `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ];
  for (const bytes of cases)
    assert.deepEqual(answersIn(await exchange(doors.port, [bytes])), ['400 invalid_request'], bytes);
  assert.equal(doors.seen.bodies.length, before, 'no operation has run');
});

test('a body longer than its length is cut there, and what follows is no request (A15)', async () => {
  const received = await exchange(doors.port, [`${POST}Content-Length: 5\r\n\r\n${GOOD}`]);
  assert.deepEqual(answersIn(received), ['400 invalid_request', '400 invalid_request']);
  const good = await exchange(doors.port, [`${POST}Content-Length: ${GOOD.length}\r\n\r\n${GOOD}garbage\r\n\r\n`]);
  assert.deepEqual(answersIn(good), ['201', '400 invalid_request'], 'the good request is answered first');
});

test('garbage behind a slow request is refused once, after that request has been answered', async () => {
  const socket = connect(doors.port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString();
  });
  const ended = new Promise((resolve) => socket.once('end', resolve));
  const before = doors.seen.authenticated.length;
  socket.write(`POST /api/v1/slow HTTP/1.1\r\n${HEAD}\r\ngarbage\r\n\r\n`);
  await until(() => doors.seen.authenticated.length > before);
  for (let piece = 0; piece < 3; piece += 1) await new Promise((resolve) => socket.write('more\r\n\r\n', resolve));
  doors.release();
  await ended;
  assert.deepEqual(answersIn(received), ['200', '400 invalid_request']);
});

test('a body shorter than its length is 400 when the client ends, and nothing has run (A15)', async () => {
  const before = doors.seen.bodies.length;
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect(doors.port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('error', reject).on('close', () => resolve(text));
    socket.end(`${POST}Content-Length: 500\r\n\r\n${GOOD}`);
  });
  assert.deepEqual(answersIn(received), ['400 invalid_request']);
  assert.equal(doors.seen.bodies.length, before);
});

test('a head of 32 KiB is 431, and the client gets to read it (A17, B32)', async () => {
  const received = await exchange(doors.port, [
    `GET /api/v1/orders HTTP/1.1\r\n${HEAD}x: ${'y'.repeat(32_768)}\r\n\r\n`,
  ]);
  assert.deepEqual(answersIn(received), ['431 headers_too_large']);
  const token = await exchange(doors.port, [
    `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'a'.repeat(1_000_000)}\r\n\r\n`,
  ]);
  assert.deepEqual(answersIn(token), ['431 headers_too_large']);
});

test('a head or a body that drips is 408 in time, and others are served meanwhile (A16)', async () => {
  const startedMs = performance.now();
  const dripping = [
    exchange(doors.port, ['GET /api/v1/ord']),
    exchange(doors.port, [`GET /api/v1/orders HTTP/1.1\r\n${HEAD}`]),
    exchange(doors.port, [`${POST}Content-Length: 500\r\n\r\n{`]),
    exchange(doors.port, [`${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`]),
  ];
  assert.equal((await fetch(`${doors.url}/orders`, { headers: { authorization: 'Bearer good' } })).status, 200);
  for (const received of await Promise.all(dripping)) assert.deepEqual(answersIn(received), ['408 request_timeout']);
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs >= REQUEST_MS && tookMs < 2_500, `${tookMs} ms`);
  assert.ok(!doors.log.some((line) => line.level === 'error'));
});

test('a body far over the limit is 413, whole and without a reset, declared or not (A12)', async () => {
  const mebibyte = Buffer.alloc(1_048_576, 0x20);
  const declared = [
    `${POST}Content-Length: ${5 * mebibyte.length}\r\n\r\n`,
    ...Array.from({ length: 5 }, () => mebibyte),
  ];
  assert.deepEqual(answersIn(await exchange(doors.port, declared)), ['413 payload_too_large']);
  const chunk = [Buffer.from('100000\r\n'), mebibyte, Buffer.from('\r\n')];
  const chunked = [
    `${POST}Transfer-Encoding: chunked\r\n\r\n`,
    ...Array.from({ length: 3 }, () => chunk).flat(),
    '0\r\n\r\n',
  ];
  assert.deepEqual(answersIn(await exchange(doors.port, chunked)), ['413 payload_too_large']);
});

test('a refusal does not wait for a body that never comes', async () => {
  const nobody = 'POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n';
  const socket = connect(doors.port, '127.0.0.1');
  const text = await new Promise<string>((resolve) => {
    socket.write(nobody);
    socket.once('data', (bytes) => resolve(bytes.toString()));
  });
  socket.destroy();
  assert.match(text, /^HTTP\/1\.1 401 [\s\S]*\r\nconnection: close\r\n[\s\S]*"code":"unauthorized"/i);
});

test('expectations, upgrades and odd connection headers are served or refused in order (A26)', async () => {
  const get = `GET /api/v1/orders HTTP/1.1\r\n${HEAD}`;
  const cases: [string, string[]][] = [
    [`${POST}Expect: 100-continue\r\nConnection: close\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`, ['201']],
    [`${POST}Expect: nonsense\r\nConnection: close\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`, ['201']],
    [`${get}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`, ['200']],
    [`${get}Connection: close, close, x\r\n\r\n`, ['200']],
    [`${get}\r\n${get}Connection: close\r\n\r\n`, ['200', '200']],
    [`GET /api/v1/orders HTTP/1.1\r\nConnection: close\r\n\r\n`, ['400 invalid_request']],
    [`${get}Host: y\r\nConnection: close\r\n\r\n`, ['400 invalid_request']],
    [`GET /api/v1/orders HTTP/1.0\r\nAuthorization: Bearer good\r\n\r\n`, ['200']],
  ];
  for (const [bytes, expected] of cases) {
    const received = await exchange(doors.port, [bytes]);
    assert.deepEqual(answersIn(received?.replace('HTTP/1.1 100 Continue\r\n\r\n', '')), expected, bytes);
  }
});

test('a client that goes away tells the operation, and is no failure of ours', async () => {
  const socket = connect(doors.port, '127.0.0.1');
  socket.write(`POST /api/v1/slow HTTP/1.1\r\n${HEAD}\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  await until(() => doors.seen.aborted === 1);
  doors.release();
  const half = connect(doors.port, '127.0.0.1');
  half.write(`${POST}Content-Length: 500\r\n\r\n{`, () => half.resetAndDestroy());
  await until(() => doors.log.filter((line) => 'client_gone' in line.fields).length >= 2);
  assert.ok(!doors.log.some((line) => line.level === 'error'));
  assert.equal((await fetch(`http://127.0.0.1:${doors.port}/healthz`)).status, 200);
});
