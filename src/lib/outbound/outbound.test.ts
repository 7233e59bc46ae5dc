import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
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
import { createOutbound, type DownloadOptions, type DownloadResult, type Outbound } from './outbound.ts';
import { HostQueueFullError } from './per-host-queue.ts';

const NAMES = ['art.example.test', 'cdn.example.test'];
const SECRET = 'X-Signature=very-secret';
const MIB = 1_048_576;
/** The account that asks, unless a test has several. */
const OWNER = newId();

let authority: Authority;
let stranger: Stranger;
let tripwire: Tripwire;
let folder: string;
let outbound: Outbound;
/** What the resolver answers, changed by tests; a name that is not here cannot be found. */
let names: Map<string, readonly string[]>;
let lookedUp: string[];

before(async () => {
  authority = createAuthority();
  folder = mkdtempSync(join(tmpdir(), 'platen-outbound-'));
  tripwire = await startTripwire();
  // The thread of downloads has started before any time counts.
  stranger = await startStranger({ authority, hostnames: NAMES });
  outbound = outboundTo([stranger.hostPort]);
  names = new Map(NAMES.map((name) => [name, ['127.0.0.1']]));
  lookedUp = [];
  await fetchFrom(stranger.url('/'));
  await stranger.close();
});
after(() => {
  tripwire.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  stranger = await startStranger({ authority, hostnames: NAMES });
  names = new Map(NAMES.map((name) => [name, ['127.0.0.1']]));
  lookedUp = [];
  tripwire.forget();
  outbound = outboundTo(NAMES.map((name) => `${name}:${stranger.port}`));
});
afterEach(async () => {
  await outbound.close();
  await stranger.close();
});

function outboundTo(trusted: readonly string[], own: readonly { host: string; port: number }[] = []): Outbound {
  return createOutbound({
    trustedPrivateHosts: new Set(trusted),
    ownAddresses: own,
    extraAuthority: authority.caPem,
    resolve: async (hostname) => {
      lookedUp.push(hostname);
      const addresses = names.get(hostname);
      if (addresses === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
}

type Fetched = { readonly result: DownloadResult; readonly body: Buffer };

async function fetchFrom(url: string, options: Partial<DownloadOptions> = {}): Promise<Fetched> {
  const path = join(folder, randomUUID());
  writeFileSync(path, '');
  const result = await outbound.download(url, {
    owner: OWNER,
    maxBytes: MIB,
    timeoutMs: 5_000,
    redirectsMax: 5,
    path,
    ...options,
  });
  return { result, body: readFileSync(options.path ?? path) };
}

function okOf(body: Buffer | string): DownloadResult {
  const hash = createHash('sha256').update(body).digest('hex');
  return { kind: 'ok', bytes: Buffer.byteLength(body), hash };
}

/** The code of a failure, whose text must hold no address, no port and no query string (bad-input G 121, 123). */
async function failureOf(url: string, options: Partial<DownloadOptions> = {}): Promise<string> {
  const { result } = await fetchFrom(url, options);
  assert.equal(result.kind, 'failed');
  assert.doesNotMatch(result.message, /127\.|::1|very-secret|banner|\berror\b/i);
  assert.ok(!result.message.includes(String(stranger.port)), result.message);
  return result.code;
}

async function serveAndFail(reply: Reply | Handler, options: Partial<DownloadOptions> = {}): Promise<string> {
  stranger.serve('/a.png', reply);
  const code = await failureOf(stranger.url(`/a.png?${SECRET}`), options);
  await noConnectionLeft();
  return code;
}

async function noConnectionLeft(open: () => number = () => stranger.connections().open): Promise<void> {
  const end = Date.now() + 2_000;
  while (open() > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(open(), 0, 'the connection is still open');
}

describe('a file is fetched from a public HTTPS server', () => {
  it('whole, in order, and asked for without compression or a fragment (G114)', async () => {
    const body = randomBytes(300_000);
    stranger.serve('/a.png', { body, headers: { 'content-type': 'text/html' } });
    const fetched = await fetchFrom(stranger.url(`/a.png?${SECRET}#part`));
    assert.deepEqual(fetched.result, okOf(body));
    assert.ok(fetched.body.equals(body));
    const [hit] = stranger.hits;
    assert.equal(hit?.path, `/a.png?${SECRET}`);
    assert.equal(hit?.headers['accept-encoding'], 'identity');
    assert.equal(hit?.headers['user-agent'], 'platen-artwork/1');
    assert.equal(hit?.headers.host, stranger.hostPort);
    await noConnectionLeft();
  });

  it('of exactly the allowed size, with and without a declared length, and empty', async () => {
    stranger.serve('/exact', { body: Buffer.alloc(MIB) });
    stranger.serve('/chunked', (_hit, response) => void response.end(Buffer.alloc(MIB)));
    stranger.serve('/empty', { body: '' });
    assert.deepEqual((await fetchFrom(stranger.url('/exact'))).result, okOf(Buffer.alloc(MIB)));
    assert.deepEqual((await fetchFrom(stranger.url('/chunked'))).result, okOf(Buffer.alloc(MIB)));
    assert.deepEqual((await fetchFrom(stranger.url('/empty'))).result, okOf(''));
  });

  it('through five redirects, absolute and relative, each looked up and judged anew', async () => {
    stranger.serve('/1', redirectTo('/2', 301));
    stranger.serve('/2', redirectTo(stranger.url('/3', 'cdn.example.test'), 302));
    stranger.serve('/3', redirectTo('4', 303));
    stranger.serve('/4', redirectTo('?again', 307));
    stranger.serve('/5', { body: 'picture' });
    stranger.serve('/4', (hit, response) => {
      response.writeHead(308, { location: hit.path === '/4' ? '/4?again' : '/5' }).end('gone elsewhere');
    });
    const { result, body } = await fetchFrom(stranger.url('/1'));
    assert.deepEqual(result, okOf('picture'));
    assert.equal(body.toString(), 'picture');
    assert.deepEqual(lookedUp, [NAMES[0], NAMES[0], NAMES[1], NAMES[1], NAMES[1], NAMES[1]]);
  });

  it('that sends early hints first', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </b>\r\n\r\n';
    stranger.serve('/a', raw(`${hints}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`));
    assert.deepEqual((await fetchFrom(stranger.url('/a'))).result, okOf('ok'));
  });
});

describe('spec 8 host: private hosts are refused and never contacted, so nothing of them is learnt by time either (G106, G107, G121)', () => {
  const rows: readonly (readonly [title: string, host: string, addresses: readonly string[] | undefined])[] = [
    ['a name with a private address', 'inner.example.test', ['TRIPWIRE']],
    ['a name with one private address among public ones', 'mixed.example.test', ['8.8.8.8', 'TRIPWIRE']],
    ['the same in the other order', 'mixed.example.test', ['TRIPWIRE', '8.8.8.8']],
    ['a name with a private IPv6 address', 'six.example.test', ['2a00:1450::1', '::1']],
    ['a name whose address maps a private one', 'mapped.example.test', ['::ffff:TRIPWIRE']],
    ['a name whose address carries a zone id', 'zone.example.test', ['fe80::1%lo']],
    ['a name whose address is the metadata service', 'meta.example.test', ['169.254.169.254']],
    ['a name whose address is no address', 'odd.example.test', ['0x7f.1']],
    ['a literal private address', 'TRIPWIRE', undefined],
    ['a literal private address in decimal', 'DECIMAL', undefined],
    ['localhost', 'localhost', ['TRIPWIRE']],
    ['localhost with a trailing dot', 'localhost.', ['TRIPWIRE']],
    ['a name that only this network knows', 'db', ['TRIPWIRE']],
    ['an internal metadata name', 'metadata.google.internal', ['TRIPWIRE']],
  ];
  for (const [title, host, addresses] of rows) {
    it(`${title} -> ssrf, 0 connects`, async () => {
      const own = (text: string): string => text.replace('TRIPWIRE', tripwire.host);
      const decimal = tripwire.host.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
      const name = own(host).replace('DECIMAL', String(decimal));
      if (addresses !== undefined) names.set(name, addresses.map(own));
      const url = `https://${name}:8443/a.png?${SECRET}`;
      assert.equal(await failureOf(url), 'ssrf');
      stranger.serve('/hop', redirectTo(url));
      assert.equal(await failureOf(stranger.url('/hop')), 'ssrf');
      const posted = await outbound.post(url, {
        owner: OWNER,
        headers: {},
        body: Buffer.alloc(0),
        timeoutMs: 1_000,
        answerBytesMax: 10,
      });
      assert.equal(posted.kind === 'failed' && posted.code, 'ssrf');
      assert.equal((await outbound.checkTarget(url, { owner: OWNER })).kind, 'refused');
      assert.equal(tripwire.accepted(), 0);
    });
  }

  it('a trusted host is trusted on its own port and by its own name alone', async () => {
    assert.equal(await failureOf(`https://${NAMES[0]}:8443/`), 'ssrf');
    assert.equal(await failureOf(`https://${NAMES[0]}/`), 'ssrf');
    names.set('alias.example.test', ['127.0.0.1']);
    assert.equal(await failureOf(stranger.url('/', 'alias.example.test')), 'ssrf');
    assert.equal(await failureOf(stranger.url('/', '127.0.0.1')), 'ssrf');
    assert.equal(stranger.connections().accepted, 0);
  });

  it('ports other than 443 and 8443, such as a database’s, are refused on public hosts (G112)', async () => {
    names.set('public.example.test', ['8.8.8.8']);
    for (const port of [22, 80, 5_432, 8_080, 444]) {
      assert.equal(await failureOf(`https://public.example.test:${port}/`), 'ssrf');
    }
    assert.deepEqual(lookedUp, []);
  });

  it('our own address is refused, trusted or not, by name or by IP address; another port of it is not our own (G112)', async () => {
    await outbound.close();
    const trusted = NAMES.map((name) => `${name}:${stranger.port}`);
    for (const host of [NAMES[0] ?? '', 'ART.example.test.', '127.0.0.1']) {
      outbound = outboundTo(trusted, [{ host, port: stranger.port }]);
      assert.equal(await failureOf(stranger.url('/')), 'ssrf');
      assert.equal((await outbound.checkTarget(stranger.url('/'), { owner: OWNER })).kind, 'refused');
      await outbound.close();
    }
    assert.equal(stranger.connections().accepted, 0);
    outbound = outboundTo(trusted, [{ host: '127.0.0.1', port: 8_080 }]);
    stranger.serve('/', { body: 'ok' });
    assert.equal((await fetchFrom(stranger.url('/'))).result.kind, 'ok');
  });

  it('a name that turns private after it was checked is refused at use, 0 connects (G108)', async () => {
    names.set('turn.example.test', ['8.8.8.8']);
    assert.equal((await outbound.checkTarget('https://turn.example.test:8443/', { owner: OWNER })).kind, 'ok');
    names.set('turn.example.test', [tripwire.host]);
    assert.equal(await failureOf('https://turn.example.test:8443/'), 'ssrf');
    assert.equal(tripwire.accepted(), 0);
  });

  it('a name is looked up once for each request, and the connection goes to that answer (G108)', async () => {
    stranger.serve('/a', { body: 'ok' });
    assert.equal((await fetchFrom(stranger.url('/a'))).result.kind, 'ok');
    assert.deepEqual(lookedUp, [NAMES[0]]);
  });

  it('a connection that ends up at another address than the checked one is dropped before a byte is sent (G108)', async () => {
    names.set('art.example.test', ['0.0.0.0']);
    assert.equal(await failureOf(stranger.url('/a')), 'ssrf');
    assert.equal(stranger.hits.length, 0);
    await noConnectionLeft();
  });
});

describe('spec 8 host: redirects are held to the same rules (G109, G110)', () => {
  const rows: readonly (readonly [title: string, location: string, code: string])[] = [
    ['to http', 'http://art.example.test/', 'scheme'],
    ['to a file', 'file:///etc/passwd', 'scheme'],
    ['to a data URL', 'data:image/png;base64,AAAA', 'scheme'],
    ['to a private address', 'https://10.0.0.1/', 'ssrf'],
    ['to a port that is not allowed', '//art.example.test:22/', 'ssrf'],
    ['to a name that cannot be found', 'https://nowhere.example.test/', 'fetch'],
    ['to what is no URL', 'https://[', 'fetch'],
    ['to a URL with a password', 'https://a:b@art.example.test/', 'fetch'],
    ['to itself, for ever', '/a.png', 'fetch'],
    ['to a URL of 3,000 characters', `/${'x'.repeat(3_000)}`, 'fetch'],
  ];
  for (const [title, location, code] of rows) {
    it(`${title} -> ${code}`, async () => assert.equal(await serveAndFail(redirectTo(location)), code));
  }

  it('a sixth redirect is not followed (G110)', async () => {
    for (let hop = 0; hop < 7; hop += 1) stranger.serve(`/${hop}`, redirectTo(`/${hop + 1}`));
    assert.equal(await failureOf(stranger.url('/0')), 'fetch');
    assert.deepEqual(
      stranger.hits.map(({ path }) => path),
      ['/0', '/1', '/2', '/3', '/4', '/5'],
    );
  });

  it('without Location, with two of them, or of a kind that names no place -> fetch (G110)', async () => {
    assert.equal(await serveAndFail({ status: 302 }), 'fetch');
    const two = 'HTTP/1.1 302 Found\r\nlocation: /b\r\nlocation: /c\r\ncontent-length: 0\r\n\r\n';
    assert.equal(await serveAndFail(raw(two)), 'fetch');
    assert.equal(await serveAndFail({ status: 300, headers: { location: '/b' } }), 'fetch');
    assert.equal(await serveAndFail({ status: 304, headers: { location: '/b' } }), 'fetch');
    assert.equal(stranger.hits.length, 4);
  });
});

describe('spec 8 size: the cap holds while streaming, whatever the server says (G113)', () => {
  it('a declared length over the cap is refused without reading the body', async () => {
    const { handler, sentBytes } = endless();
    const withLength: Handler = (hit, response) => {
      response.setHeader('content-length', 1_000 * MIB);
      return handler(hit, response);
    };
    assert.equal(await serveAndFail(withLength), 'size');
    assert.ok(sentBytes() < 20 * MIB);
  });

  it('an endless body is cut off, and never more than the cap is handed on', async () => {
    const { handler, sentBytes } = endless();
    stranger.serve('/a.png', handler);
    const { result, body } = await fetchFrom(stranger.url('/a.png'));
    assert.equal(result.kind === 'failed' && result.code, 'size');
    assert.ok(body.length <= MIB);
    await noConnectionLeft();
    assert.ok(sentBytes() < 20 * MIB, `${sentBytes()} bytes were sent`);
  });

  it('one byte over the cap, in chunks -> size', async () => {
    assert.equal(await serveAndFail((_hit, response) => void response.end(Buffer.alloc(MIB + 1))), 'size');
  });

  it('a length that promises less than is sent ends where it says; the rest is never read', async () => {
    stranger.serve('/a.png', raw(`HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc${'d'.repeat(2 * MIB)}`));
    const { result, body } = await fetchFrom(stranger.url('/a.png'));
    assert.deepEqual([result, body.toString()], [okOf('abc'), 'abc']);
    await noConnectionLeft();
  });

  it('a length that promises more than is sent -> fetch', async () => {
    assert.equal(await serveAndFail({ body: 'abc', contentLength: 10 }), 'fetch');
  });

  it('a compressed body is refused, so that nothing can unpack into more than was counted (G114)', async () => {
    const body = gzipSync(Buffer.alloc(10 * MIB));
    assert.equal(await serveAndFail({ body, headers: { 'content-encoding': 'gzip' } }), 'fetch');
  });
});

describe('the server misbehaves -> fetch, within the deadline, nothing left open, nothing of it told (G115, G116, G121)', () => {
  for (const status of [201, 202, 203, 204, 205, 206, 400, 401, 403, 404, 410, 429, 500, 502, 503]) {
    it(`answers ${status}`, async () => {
      stranger.serve('/a.png', { status, body: 'banner' });
      const { result } = await fetchFrom(stranger.url('/a.png'));
      assert.ok(result.kind === 'failed' && result.code === 'fetch' && result.message.includes(String(status)));
    });
  }

  const early: Handler = (_hit, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('abc', () => response.destroy());
  };
  const hints: Handler = (_hit, response) => {
    const timer = setInterval(() => response.socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
    response.once('close', () => clearInterval(timer));
  };
  const manyHeaders = Array.from({ length: 5_000 }, (_, index) => `x-${index}: y`).join('\r\n');
  const rows: readonly (readonly [title: string, reply: Reply | Handler])[] = [
    ['never answers', hang],
    ['answers too late', { delayMs: 3_000, body: 'late' }],
    ['drips its body for ever', drip({ chunkBytes: 1, everyMs: 20 })],
    ['drips a body of known length', drip({ body: Buffer.alloc(1_000), chunkBytes: 1, everyMs: 20 })],
    ['sends early hints for ever', hints],
    ['resets the connection', reset],
    ['closes in the middle of the body', early],
    ['closes in the middle of a chunk', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc')],
    ['closes without a word', raw('')],
    ['speaks something else', raw('SSH-2.0-banner\r\n')],
    ['speaks HTTP/0.9', raw('<html>banner</html>')],
    ['switches protocols', raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nbanner')],
    [
      'sends both a length and chunks',
      raw('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc'),
    ],
    ['sends two lengths', raw('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd')],
    ['sends a length that is no number', raw('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n')],
    ['sends one header of 1 MiB', raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(MIB)}\r\n\r\n`)],
    ['sends 5,000 headers', raw(`HTTP/1.1 200 OK\r\n${manyHeaders}\r\n\r\n`)],
    ['sends a header with a NUL', raw('HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n')],
    ['sends a status of 99', raw('HTTP/1.1 099 Odd\r\n\r\n')],
    ['sends a status of 999', raw('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n')],
  ];
  for (const [title, reply] of rows) {
    it(title, async () => {
      const started = performance.now();
      assert.equal(await serveAndFail(reply, { timeoutMs: 400 }), 'fetch');
      assert.ok(performance.now() - started < 2_500);
    });
  }

  it('sends random bytes, fifty times', async () => {
    for (let round = 0; round < 50; round += 1) {
      const head = round % 2 === 0 ? '' : 'HTTP/1.1 200 OK\r\n';
      stranger.serve('/a.png', raw(head + randomBytes(1 + round * 20).toString('latin1')));
      const { result } = await fetchFrom(stranger.url('/a.png'), { timeoutMs: 1_000 });
      assert.equal(result.kind === 'failed' && result.code, 'fetch');
    }
    await noConnectionLeft();
  });

  it('its name cannot be found, or is not found in time', async () => {
    assert.equal(await failureOf('https://nowhere.example.test/'), 'fetch');
    assert.equal(await failureOf('https://nowhere.example.test:8443/'), 'fetch');
    names.set('none.example.test', []);
    assert.equal(await failureOf('https://none.example.test/'), 'fetch');
    const stuck = createOutbound({ trustedPrivateHosts: new Set(), resolve: () => new Promise(() => {}) });
    const options = { owner: OWNER, maxBytes: 1, timeoutMs: 100, redirectsMax: 0, path: '/dev/null' };
    const result = await stuck.download('https://slow.example.test/', options);
    assert.equal(result.kind === 'failed' && result.code, 'fetch');
    await stuck.close();
  });

  it('tells garbage from a connection that ended', async () => {
    const reasons: readonly (readonly [Handler, RegExp])[] = [
      [raw('junk'), /not valid HTTP/],
      [raw(''), /ended too early/],
      [raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(MIB)}\r\n\r\n`), /headers of the answer/],
    ];
    for (const [handler, message] of reasons) {
      stranger.serve('/a', handler);
      const { result } = await fetchFrom(stranger.url('/a'));
      assert.match(result.kind === 'failed' ? result.message : '', message);
    }
  });

  it('nobody listens there any more', async () => {
    const gone = stranger.url('/a');
    await stranger.close();
    assert.equal(await failureOf(gone), 'fetch');
    stranger = await startStranger({ authority });
  });
});

describe('TLS: the certificate must be valid, trusted and for the host name (G117)', () => {
  const rows = [
    ['expired', /has expired/, { hostnames: NAMES, flaw: 'expired' }],
    ['not valid yet', /not valid yet/, { hostnames: NAMES, flaw: 'not-yet-valid' }],
    ['self-signed', /self-signed/, { hostnames: NAMES, flaw: 'self-signed' }],
    ['for another name', /another host name/, { hostnames: ['other.example.test'] }],
    ['for our IP address only', /another host name/, { hostnames: [], ips: ['127.0.0.1'] }],
  ] as const;
  for (const [title, message, flawed] of rows) {
    it(`${title} -> fetch, and no request is sent`, async () => {
      await stranger.close();
      stranger = await startStranger({ authority, hostnames: NAMES, certificate: authority.issue(flawed) });
      outbound = outboundTo([stranger.hostPort]);
      const { result } = await fetchFrom(stranger.url('/a'));
      assert.ok(result.kind === 'failed' && result.code === 'fetch');
      assert.match(result.message, message);
      assert.equal(stranger.hits.length, 0);
      await noConnectionLeft();
    });
  }

  it('of an authority that nobody trusts -> fetch', async () => {
    await outbound.close();
    outbound = createOutbound({
      trustedPrivateHosts: new Set([stranger.hostPort]),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const { result } = await fetchFrom(stranger.url('/a'));
    assert.ok(result.kind === 'failed' && /not trusted/.test(result.message), JSON.stringify(result));
  });

  it('for an IP address, where the URL names the address', async () => {
    outbound = outboundTo([`127.0.0.1:${stranger.port}`]);
    stranger.serve('/a', { body: 'ok' });
    assert.deepEqual((await fetchFrom(stranger.url('/a', '127.0.0.1'))).result, okOf('ok'));
    assert.deepEqual(lookedUp, []);
  });

  it('a server that speaks no TLS, or accepts and then says nothing -> fetch', async () => {
    for (const greeting of ['220 banner\r\n', undefined]) {
      const open = new Set<Socket>();
      const plain = createServer((socket) => {
        open.add(socket.on('error', () => {}).resume());
        socket.once('close', () => open.delete(socket));
        if (greeting !== undefined) socket.end(greeting);
      });
      await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
      const port = portOf(plain);
      outbound = outboundTo([`art.example.test:${port}`]);
      assert.equal(await failureOf(`https://art.example.test:${port}/`, { timeoutMs: 300 }), 'fetch');
      await noConnectionLeft(() => open.size);
      plain.close();
    }
  });

  it('NODE_EXTRA_CA_CERTS is trusted; proxy settings and a switched-off verification change nothing (G124)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'platen-outbound-'));
    const local = await startStranger({ authority });
    local.serve('/a', { body: 'ok' });
    const selfSigned = authority.issue({ hostnames: ['localhost'], flaw: 'self-signed' });
    const impostor = await startStranger({ authority, certificate: selfSigned });
    const proxy = `http://${tripwire.host}:${tripwire.port}`;
    const script = `
      import { createOutbound } from ${JSON.stringify(new URL('outbound.ts', import.meta.url).href)};
      const outbound = createOutbound({ trustedPrivateHosts: new Set(['${local.hostPort}', '${impostor.hostPort}']) });
      const options = { owner: 'service', maxBytes: 10, timeoutMs: 5000, redirectsMax: 0, path: '/dev/null' };
      console.log((await outbound.download('${local.url('/a')}', options)).kind);
      console.log((await outbound.download('${impostor.url('/a')}', options)).code);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: {
        NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
        NODE_USE_ENV_PROXY: '1',
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        ...{ HTTPS_PROXY: proxy, https_proxy: proxy, ALL_PROXY: proxy, HTTP_PROXY: proxy },
      },
      timeout: 20_000,
    });
    assert.equal(stdout, 'ok\nfetch\n');
    assert.equal(tripwire.accepted(), 0);
    assert.equal(impostor.hits.length, 0);
    await Promise.all([local.close(), impostor.close(), rm(folder, { recursive: true })]);
  });
});

describe('the caller keeps control', () => {
  it('a file that cannot be written is reported as that, not as the server’s fault', async () => {
    stranger.serve('/a', { body: 'picture' });
    await assert.rejects(fetchFrom(stranger.url('/a'), { path: '/dev/full' }), { code: 'ENOSPC' });
    await assert.rejects(fetchFrom(stranger.url('/a'), { path: join(folder, 'none') }), { code: 'ENOENT' });
    await noConnectionLeft();
  });

  it('what has no room is not fetched, whoever ends the wait', async () => {
    stranger.serve('/a', { body: 'picture' });
    const full = new Error('no room');
    await assert.rejects(fetchFrom(stranger.url('/a'), { reserve: () => Promise.reject(full) }), full);
    const late = async (_bytes: number, signal: AbortSignal): Promise<void> => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw full;
    };
    await assert.rejects(fetchFrom(stranger.url('/a'), { reserve: late, timeoutMs: 100 }), full);
    await noConnectionLeft();
  });

  it('an abort and a close stop a fetch at once; after close nothing is contacted', async () => {
    stranger.serve('/hang', hang);
    const aborting = AbortSignal.timeout(100);
    assert.equal(await failureOf(stranger.url('/hang'), { signal: aborting, timeoutMs: 60_000 }), 'fetch');
    await noConnectionLeft();
    const pending = failureOf(stranger.url('/hang'), { timeoutMs: 60_000 });
    while (stranger.hits.length < 2) await new Promise(setImmediate);
    await outbound.close();
    assert.equal(await pending, 'fetch');
    const { accepted } = stranger.connections();
    assert.equal(await failureOf(stranger.url('/hang')), 'fetch');
    assert.equal(stranger.connections().accepted, accepted);
  });

  it('who finds the line of a host full is told that we are busy, not that the address is bad', async () => {
    stranger.serve('/hang', hang);
    const giveUp = new AbortController();
    const options = { signal: giveUp.signal, timeoutMs: 60_000 };
    const waiting = Array.from({ length: 404 }, () => failureOf(stranger.url('/hang'), options));
    while (stranger.hits.length < 4) await new Promise(setImmediate);
    await assert.rejects(fetchFrom(stranger.url('/hang'), options), HostQueueFullError);
    giveUp.abort();
    assert.deepEqual([...new Set(await Promise.all(waiting))], ['fetch']);
    await noConnectionLeft();
  });

  it('at most four fetches run against one host, another host is not held up, and waiting counts as time (G122)', async () => {
    let now = 0;
    let most = 0;
    const slow: Handler = async (_hit, response) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 30));
      now -= 1;
      response.end('ok');
    };
    stranger.serve('/slow', slow);
    const fetches = Array.from({ length: 13 }, () => fetchFrom(stranger.url('/slow')));
    for (const { result } of await Promise.all(fetches)) assert.equal(result.kind, 'ok');
    assert.equal(most, 4);
    stranger.serve('/hang', hang);
    stranger.serve('/quick', { body: 'ok' });
    const hanging = Array.from({ length: 4 }, () => failureOf(stranger.url('/hang'), { timeoutMs: 600 }));
    const behind = failureOf(stranger.url('/quick'), { timeoutMs: 200 });
    assert.equal((await fetchFrom(stranger.url('/quick', NAMES[1]))).result.kind, 'ok');
    assert.equal(await behind, 'fetch');
    assert.deepEqual(await Promise.all(hanging), Array(4).fill('fetch'));
    assert.equal((await fetchFrom(stranger.url('/quick'))).result.kind, 'ok');
  });
});

type Tripwire = { host: string; port: number; accepted: () => number; forget: () => void; close: () => void };

/** A server on an allowed port of a private address, which no test may ever reach. */
async function startTripwire(): Promise<Tripwire> {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.destroy();
  });
  // Linux has all of 127.0.0.0/8, so that files which run at once do not meet.
  const host =
    process.platform === 'linux' ? `127.${[...randomBytes(3)].map((byte) => (byte % 250) + 1).join('.')}` : '127.0.0.1';
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(8_443, host, resolve));
  return {
    host,
    port: 8_443,
    accepted: () => accepted,
    forget: () => {
      accepted = 0;
    },
    close: () => void server.close(),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}
