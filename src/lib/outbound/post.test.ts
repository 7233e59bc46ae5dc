import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe } from 'node:test';
import { type Authority, createAuthority } from '../../../test/harness/authority.ts';
import {
  drip,
  endless,
  type Handler,
  hang,
  type Reply,
  raw,
  redirectTo,
  reset,
  type Stranger,
  startStranger,
} from '../../../test/harness/stranger.ts';
import { timedTest as it } from '../../../test/harness/timed-test.ts';
import { newId } from '../ids.ts';
import { createOutbound, type Outbound, type PostOptions, type PostResult } from './outbound.ts';

const HOOK = 'hook.example.test';
const KIB = 1_024;
const OWNER = newId();

let authority: Authority;
let receiver: Stranger;
let outbound: Outbound;
let addressOf: (hostname: string) => string;

before(() => {
  authority = createAuthority();
});
beforeEach(async () => {
  receiver = await startStranger({ authority, hostnames: [HOOK] });
  addressOf = () => '127.0.0.1';
  outbound = createOutbound({
    trustedPrivateHosts: new Set([receiver.hostPort]),
    extraAuthority: authority.caPem,
    resolve: async (hostname) => {
      const address = addressOf(hostname);
      return address === '' ? [] : [{ address, family: 4 }];
    },
  });
});
afterEach(async () => {
  await outbound.close();
  await receiver.close();
});

function send(path: string, options: Partial<PostOptions> = {}): Promise<PostResult> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'svc-webhooks/1' };
  const body = Buffer.from('{"event":"order.created"}');
  return outbound.post(receiver.url(path), {
    owner: OWNER,
    headers,
    body,
    timeoutMs: 5_000,
    answerBytesMax: 64 * KIB,
    ...options,
  });
}

async function noConnectionLeft(): Promise<void> {
  const end = Date.now() + 2_000;
  while (receiver.connections().open > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(receiver.connections().open, 0, 'the connection is still open');
}

describe('spec 6.4 redirects: a delivery is one HTTPS POST (6 delivery)', () => {
  it('with the exact body bytes and headers', async () => {
    receiver.serve('/hook', { status: 200, body: 'thanks' });
    const body = Buffer.from('{"name":"Zoë \u{1F458}"}');
    const headers = { 'user-agent': 'svc-webhooks/1', 'svc-signature': 'abc', 'content-type': 'application/json' };
    assert.deepEqual(await send('/hook?key=1', { body, headers }), { kind: 'answered', status: 200 });
    const [hit] = receiver.hits;
    assert.equal(`${hit?.method} ${hit?.path}`, 'POST /hook?key=1');
    assert.ok(hit?.body.equals(body));
    assert.equal(hit?.headers['svc-signature'], 'abc');
    assert.equal(hit?.headers['user-agent'], 'svc-webhooks/1');
    assert.equal(hit?.headers['content-length'], String(body.length));
    await outbound.close();
    await noConnectionLeft();
  });

  for (const status of [200, 201, 202, 204, 299, 300, 304, 400, 404, 410, 429, 500, 503]) {
    it(`answered ${status} is told as ${status}`, async () => {
      receiver.serve('/hook', { status });
      assert.deepEqual(await send('/hook'), { kind: 'answered', status });
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`a redirect with ${status} is not followed`, async () => {
      receiver.serve('/hook', redirectTo('/elsewhere', status));
      assert.deepEqual(await send('/hook'), { kind: 'answered', status });
      assert.equal(receiver.hits.length, 1);
    });
  }

  it('sent once: a connection that is cut after the request is not tried again', async () => {
    receiver.serve('/hook', reset);
    assert.equal((await send('/hook')).kind, 'failed');
    assert.equal(receiver.hits.length, 1);
    assert.equal(receiver.connections().accepted, 1);
  });
});

describe('a connection is kept for the next delivery of the same account to the same origin', () => {
  const accepted = (): number => receiver.connections().accepted;
  beforeEach(() => receiver.serve('/hook', { status: 200, body: 'thanks' }));

  it('deliveries one after the other share one', async () => {
    for (let sent = 0; sent < 3; sent += 1) assert.equal((await send('/hook')).kind, 'answered');
    assert.equal((await send('/other')).kind, 'answered');
    assert.equal(accepted(), 1);
  });

  it('those of one moment do not, nor do those of two accounts', async () => {
    await Promise.all([send('/hook'), send('/hook')]);
    assert.equal(accepted(), 2);
    await send('/hook', { owner: newId() });
    assert.equal(accepted(), 3);
  });

  it('it is not used when the name leads elsewhere now, or nowhere (bad-input G 108)', async () => {
    await send('/hook');
    addressOf = () => '127.0.0.2';
    assert.equal((await send('/hook')).kind, 'failed');
    assert.equal(receiver.hits.length, 1);
    await noConnectionLeft();
  });

  it('it does not spare a host its look-up: without an address now, nothing is sent', async () => {
    await send('/hook');
    addressOf = () => '';
    const refused = await send('/hook');
    assert.equal(refused.kind === 'failed' && refused.code, 'fetch');
    assert.equal(receiver.hits.length, 1);
  });

  it('one that the server closes in the moment of its use is replaced, and the delivery sent again', async () => {
    const seen = new Set<unknown>();
    receiver.serve('/once', (_hit, response) => {
      const { socket } = response;
      if (seen.has(socket)) socket?.destroy();
      else response.writeHead(200).end();
      seen.add(socket);
    });
    assert.deepEqual(await send('/once'), { kind: 'answered', status: 200 });
    assert.deepEqual(await send('/once'), { kind: 'answered', status: 200 });
    assert.equal(receiver.hits.length, 3);
    assert.equal(accepted(), 2);
  });

  it('but once only: a second cut is a failure', async () => {
    await send('/hook');
    receiver.serve('/hook', reset);
    assert.equal((await send('/hook')).kind, 'failed');
    assert.equal(receiver.hits.length, 3);
    assert.equal(accepted(), 2);
  });

  it('it is closed when the server says so, when its answer is too long, late or followed by more, and at the end', async () => {
    receiver.serve('/close', { status: 200, headers: { connection: 'close' } });
    receiver.serve('/long', { status: 200, body: 'x'.repeat(70 * KIB) });
    receiver.serve('/more', raw('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nmore', 'stay'));
    receiver.serve('/late', hang);
    for (const path of ['/close', '/long', '/more']) {
      await send(path);
      await noConnectionLeft();
    }
    assert.equal((await send('/late', { timeoutMs: 200 })).kind, 'failed');
    await noConnectionLeft();
    await send('/hook');
    assert.equal(receiver.connections().open, 1);
    await outbound.close();
    await noConnectionLeft();
  });

  it('an account keeps sixteen at most', async () => {
    await Promise.all(Array.from({ length: 20 }, () => send('/hook')));
    assert.equal(accepted(), 20);
    const end = Date.now() + 2_000;
    while (receiver.connections().open > 16 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(receiver.connections().open, 16);
  });
});

describe('a receiver’s Retry-After is understood in both forms', () => {
  const date = 'Sat, 21 Nov 2026 09:00:00 GMT';
  const rows: readonly (readonly [value: string, seconds: number | undefined])[] = [
    ['0', 0],
    ['120', 120],
    ['Sat, 21 Nov 2026 09:02:00 GMT', 120],
    ['Sat, 21 Nov 2026 08:00:00 GMT', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['99999999999', undefined],
    ['soon', undefined],
    ['', undefined],
  ];
  for (const [value, seconds] of rows) {
    it(`"${value}" -> ${seconds ?? 'nothing'}`, async () => {
      receiver.serve('/hook', { status: 429, headers: { 'retry-after': value, date } });
      const expected = {
        kind: 'answered',
        status: 429,
        ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
      };
      assert.deepEqual(await send('/hook'), expected);
    });
  }
});

describe('a receiver that misbehaves is a failed attempt within the time-out, with little memory (K173)', () => {
  const early: Handler = (_hit, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('abc', () => response.destroy());
  };
  const rows: readonly (readonly [title: string, code: string, reply: Reply | Handler])[] = [
    ['hangs', 'fetch', hang],
    ['answers too late', 'fetch', { delayMs: 3_000 }],
    ['drips its answer', 'fetch', drip({ chunkBytes: 1, everyMs: 20 })],
    ['says 200 and then nothing', 'fetch', raw('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n', 'stay')],
    ['resets', 'fetch', reset],
    ['closes early', 'fetch', early],
    ['answers 101', 'fetch', raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
    ['speaks something else', 'fetch', raw('SSH-2.0-banner\r\n')],
    ['answers with 65 KiB', 'size', { body: Buffer.alloc(65 * KIB) }],
    ['answers without end', 'size', endless().handler],
    ['sends headers of 1 MiB', 'fetch', raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(KIB * KIB)}\r\n\r\n`)],
  ];
  for (const [title, code, reply] of rows) {
    it(title, async () => {
      receiver.serve('/hook', reply);
      const started = performance.now();
      const result = await send('/hook?key=very-secret', { timeoutMs: 400 });
      assert.ok(performance.now() - started < 2_000);
      assert.ok(result.kind === 'failed');
      assert.equal(result.code, code);
      assert.doesNotMatch(result.error, /127\.|banner|very-secret/);
      assert.ok(result.error.length < 200);
      await noConnectionLeft();
    });
  }

  it('an answer of exactly 64 KiB counts', async () => {
    receiver.serve('/hook', { body: Buffer.alloc(64 * KIB) });
    assert.deepEqual(await send('/hook'), { kind: 'answered', status: 200 });
  });

  it('an endless answer is not read on: what was sent fits the socket buffers', async () => {
    const { handler, sentBytes } = endless();
    receiver.serve('/hook', handler);
    assert.equal((await send('/hook')).kind, 'failed');
    await noConnectionLeft();
    assert.ok(sentBytes() < 20 * KIB * KIB, `${sentBytes()} bytes were sent`);
  });

  it('bad TLS: no request is sent, and the error names the problem', async () => {
    await receiver.close();
    const certificate = authority.issue({ hostnames: [HOOK], flaw: 'expired' });
    receiver = await startStranger({ authority, hostnames: [HOOK], certificate });
    outbound = createOutbound({
      trustedPrivateHosts: new Set([receiver.hostPort]),
      extraAuthority: authority.caPem,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const result = await send('/hook');
    assert.ok(result.kind === 'failed' && /has expired/.test(result.error));
    assert.equal(receiver.hits.length, 0);
  });

  it('a fault of our own is thrown, not blamed on the receiver', async () => {
    await assert.rejects(send('/hook', { headers: { 'svc-event': 'a\r\nb' } }));
    await noConnectionLeft();
  });
});

describe('spec 4.5 url: a webhook target is judged without contacting it', () => {
  const rows: readonly (readonly [url: string, code: string])[] = [
    ['http://hook.example.test/', 'scheme'],
    ['hook.example.test', 'url'],
    ['https://user@hook.example.test/', 'url'],
    ['https://user:word@hook.example.test/', 'url'],
    ['https://8.8.8.8/', 'url'],
    ['https://[2a00:1450::1]/', 'url'],
    ['https://134744072/', 'url'],
    ['https://10.0.0.1/', 'ssrf'],
    ['https://[::1]/', 'ssrf'],
    ['https://localhost/', 'ssrf'],
    ['https://private.example.test/', 'ssrf'],
    ['https://hook.example.test/', 'ssrf'],
    ['https://public.example.test:22/', 'ssrf'],
    ['https://h\u00f6ok.example.test/', 'url'],
    ['https://h%C3%B6ok.example.test/', 'url'],
    [`https://public.example.test/${'x'.repeat(8_193 - 28)}`, 'url'],
    ['', 'url'],
  ];
  for (const [url, code] of rows) {
    it(`${url.slice(0, 50)} (${url.length} characters) -> ${code}`, async () => {
      addressOf = (hostname) => (hostname === 'private.example.test' || hostname === HOOK ? '10.1.2.3' : '8.8.8.8');
      const judged = await outbound.checkTarget(url, { owner: OWNER });
      assert.equal(judged.kind === 'refused' && judged.code, code);
      assert.equal(receiver.connections().accepted, 0);
    });
  }

  it('a public name, its ASCII form, port 8443 and a trusted target pass', async () => {
    addressOf = () => '8.8.8.8';
    const longest = `https://public.example.test/${'x'.repeat(8_192 - 28)}`;
    const good = [
      'https://public.example.test/a?b=c',
      'https://xn--hok-sna.example.test:8443/',
      receiver.url('/hook'),
      longest,
    ];
    for (const url of good) assert.equal((await outbound.checkTarget(url, { owner: OWNER })).kind, 'ok', url);
    assert.equal(receiver.connections().accepted, 0);
  });

  it('a name that cannot be found, or not in time, is refused', async () => {
    addressOf = () => {
      throw new Error('no such name');
    };
    const judged = await outbound.checkTarget('https://nowhere.example.test/', { owner: OWNER });
    assert.equal(judged.kind === 'refused' && judged.code, 'fetch');
    await outbound.close();
    const closed = await outbound.checkTarget('https://public.example.test/', { owner: OWNER });
    assert.equal(closed.kind === 'refused' && closed.code, 'fetch');
  });
});
