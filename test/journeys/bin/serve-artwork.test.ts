import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startArtworkServer } from '../../../src/bin/artwork-folder.ts';
import {
  ARTWORK_RECORD_MS,
  type ArtworkServer,
  artworkServerFile,
  readArtworkServer,
} from '../../../src/lib/outbound/artwork-server.ts';
import { createOutbound } from '../../../src/lib/outbound/outbound.ts';
import { SERVICE } from '../../../src/lib/turns/owner.ts';
import { createAuthority } from '../../harness/authority.ts';
import { eventually } from '../../harness/context.ts';
import { environment } from '../../harness/environment.ts';
import { flat } from '../../harness/pictures.ts';
import { freePort, runPlaten } from '../../harness/process.ts';
import { scratchParent } from '../../harness/scratch.ts';
import { startStranger } from '../../harness/stranger.ts';

const START_TIMEOUT_MS = 120_000;
const picture = (): Promise<Buffer> => flat(40, 30, 'plum').png().toBuffer();

let folder: string;
let art: string;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-artwork-'));
  art = join(folder, 'art');
  await mkdir(join(art, 'sub'), { recursive: true });
  const png = await picture();
  for (const name of ['a.png', 'sub/b c.PNG', '.hidden.png', 'notes.txt']) await writeFile(join(art, name), png);
  await writeFile(join(folder, 'outside.png'), png);
  await symlink(join(folder, 'outside.png'), join(art, 'out.png'));
  await symlink(join(art, '.hidden.png'), join(art, 'to-hidden.png'));
  await symlink(join(art, 'notes.txt'), join(art, 'to-text.png'));
  await symlink(join(art, 'a.png'), join(art, 'within.png'));
  await mkdir(join(art, 'folder.png'));
});
after(() => rm(folder, { recursive: true, force: true }));

type Seen = { readonly status: number; readonly type: string | undefined; readonly bytes: number };

/** A request whose path goes out as it is written. */
async function ask({ port, certificate }: ArtworkServer, path: string, method = 'GET'): Promise<Seen> {
  const sent = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port,
    path,
    method,
    ca: certificate,
    agent: false,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
  return { status: response.statusCode ?? 0, type: response.headers['content-type'], bytes };
}

describe('the server of artwork', () => {
  let server: Awaited<ReturnType<typeof startArtworkServer>>;
  before(async () => {
    server = await startArtworkServer(art, 0);
  });
  after(() => {
    server.server.closeAllConnections();
    server.server.close();
  });

  test('serves the images of its folder, and HEAD without their bytes', async () => {
    for (const path of ['/a.png', '/sub/b%20c.PNG', '/within.png', '/a.png?v=2']) {
      const { status, type, bytes } = await ask(server, path);
      assert.deepEqual([status, type], [200, 'image/png'], path);
      assert.ok(bytes > 50, path);
    }
    assert.deepEqual(await ask(server, '/a.png', 'HEAD'), { status: 200, type: 'image/png', bytes: 0 });
  });

  const refused = [
    ...['/', '/sub', '/sub/', '/none.png', '/folder.png', '/notes.txt', '/.hidden.png', '/out.png', '/to-hidden.png'],
    ...['/to-text.png', '/../outside.png', '/sub/../../outside.png', '/%2e%2e/outside.png', '/..%2foutside.png'],
    ...['/sub/..%5c..%5coutside.png', '//a.png', '/a.png%00', '/%ff.png', '/./a.png', '/a.png/'],
  ];
  for (const path of refused) {
    test(`${path} is not there`, async () => {
      assert.equal((await ask(server, path)).status, 404);
    });
  }

  test('takes no other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) assert.equal((await ask(server, '/a.png', method)).status, 405);
  });
});

describe('what a service fetches from it', () => {
  const options = {
    owner: SERVICE,
    maxBytes: 1_000_000,
    timeoutMs: 20_000,
    redirectsMax: 5,
    path: '/dev/null',
  } as const;

  async function fetched(server: ArtworkServer | undefined, url: string): Promise<string> {
    const outbound = createOutbound({ trustedPrivateHosts: new Set(), artworkServer: async () => server });
    try {
      const result = await outbound.download(url, options);
      return result.kind === 'ok' ? 'ok' : result.code;
    } finally {
      await outbound.close();
    }
  }

  test('images by exactly its name and port; nothing else of this machine', async () => {
    const { server, port, certificate } = await startArtworkServer(art, 0);
    const known = { port, certificate };
    const other = await startArtworkServer(art, 0);
    try {
      assert.equal(await fetched(known, `https://localhost:${port}/a.png`), 'ok');
      const rows: [url: string, code: string][] = [
        [`https://localhost:${other.port}/a.png`, 'ssrf'],
        [`https://127.0.0.1:${port}/a.png`, 'ssrf'],
        [`https://[::1]:${port}/a.png`, 'ssrf'],
        ['https://localhost/a.png', 'ssrf'],
        [`http://localhost:${port}/a.png`, 'scheme'],
        [`https://localhost:${port}/none.png`, 'fetch'],
      ];
      for (const [url, code] of rows) assert.equal(await fetched(known, url), code, url);
      assert.equal(await fetched(undefined, `https://localhost:${port}/a.png`), 'ssrf', 'without a record');
      const outbound = createOutbound({ trustedPrivateHosts: new Set(), artworkServer: async () => known });
      const target = await outbound.checkTarget(`https://localhost:${port}/hooks`, { owner: SERVICE });
      assert.equal(target.kind, 'refused', 'it is no receiver of webhooks');
      await outbound.close();
    } finally {
      for (const one of [server, other.server]) {
        one.closeAllConnections();
        one.close();
      }
    }
  });

  test('nothing from another process on its port, whatever certificate that has', async () => {
    const { server, certificate } = await startArtworkServer(art, 0);
    server.close();
    for (const flaw of [undefined, 'self-signed'] as const) {
      const authority = createAuthority();
      const names = { hostnames: ['localhost'], ips: ['127.0.0.1'] };
      const stranger = await startStranger({
        authority,
        certificate: authority.issue(flaw === undefined ? names : { ...names, flaw }),
      });
      stranger.serve('/a.png', { body: await picture() });
      assert.equal(await fetched({ port: stranger.port, certificate }, stranger.url('/a.png')), 'fetch');
      assert.equal(stranger.hits.length, 0, 'no request was sent to it');
      await stranger.close();
    }
  });

  test('nothing that its answer redirects to, and no redirect leads to it', async () => {
    const authority = createAuthority();
    const stranger = await startStranger({ authority, hostnames: ['localhost'] });
    const { server, port, certificate } = await startArtworkServer(art, 0);
    stranger.serve('/go.png', { status: 302, headers: { location: `https://localhost:${port}/a.png` } });
    const outbound = createOutbound({
      trustedPrivateHosts: new Set([stranger.hostPort]),
      extraAuthority: authority.caPem,
      artworkServer: async () => ({ port, certificate }),
    });
    const outcome = await outbound.download(stranger.url('/go.png'), options);
    assert.deepEqual([outcome.kind, outcome.kind === 'failed' && outcome.code], ['failed', 'ssrf']);
    // As if the stranger were the server itself.
    const known = { port: stranger.port, certificate: authority.caPem };
    assert.equal(await fetched(known, stranger.url('/go.png')), 'fetch');
    await outbound.close();
    await stranger.close();
    server.close();
  });
});

test('a record counts while it is fresh and whole', async () => {
  const dataDir = join(folder, 'records');
  const file = artworkServerFile(dataDir);
  await mkdir(join(file, '..'), { recursive: true });
  const good = { port: 4_711, certificate: 'pem' };
  const soon = (ms: number) => ({ ...good, valid_until: Date.now() + ms });
  assert.equal(await readArtworkServer(dataDir), undefined, 'none');
  const rows: [what: string, text: string, counts: boolean][] = [
    ['fresh', JSON.stringify(soon(2_000)), true],
    ['expired', JSON.stringify(soon(-1)), false],
    ['good for ever', JSON.stringify(soon(ARTWORK_RECORD_MS * 10)), false],
    ['without an end', JSON.stringify(good), false],
    ['without a port', JSON.stringify({ ...soon(2_000), port: '4711' }), false],
    ['half', JSON.stringify(soon(2_000)).slice(0, 20), false],
    ['no object', 'null', false],
    ['too large', JSON.stringify({ ...soon(2_000), more: 'x'.repeat(10_000) }), false],
  ];
  for (const [what, text, counts] of rows) {
    await writeFile(file, text);
    assert.deepEqual(await readArtworkServer(dataDir), counts ? good : undefined, what);
  }
});

test('the command refuses what it cannot serve in one line', async () => {
  const dataDir = join(folder, 'refusing');
  await mkdir(dataDir, { recursive: true });
  const rows: [args: string[], env: Record<string, string>, word: string][] = [
    [[join(folder, 'nowhere')], { DATA_DIR: dataDir }, 'DIR'],
    [[join(art, 'a.png')], { DATA_DIR: dataDir }, 'DIR'],
    [[art], { DATA_DIR: join(folder, 'no-data') }, 'DATA_DIR'],
    [[art, '--port', '70000'], { DATA_DIR: dataDir }, '--port'],
    [[art], { DATABASE_URL: 'postgres://a@127.0.0.1:1/a', SECRET_KEY: 'k'.repeat(32) }, 'DATABASE_URL'],
  ];
  for (const [args, env, word] of rows) {
    const { status, stdout, stderr } = await runPlaten(['serve-artwork', ...args], env);
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, /^platen: [^\n]+\n$/);
    assert.ok(stderr.includes(word), stderr);
  }
  assert.deepEqual(await readdir(dataDir), [], 'nothing is written');
});

/** Starts a program of the project and returns it once its output matches. */
async function start(
  args: readonly string[],
  env: Record<string, string>,
  until: RegExp,
): Promise<{ child: ChildProcess; match: RegExpExecArray }> {
  const child = spawn(process.execPath, [...args], {
    env: environment({ HOME: folder, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: START_TIMEOUT_MS * 2,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const match = await eventually(
    `${until.source} is printed`,
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output}`);
      return until.exec(output) ?? undefined;
    },
    START_TIMEOUT_MS,
  );
  return { child, match };
}

async function ended(child: ChildProcess, signal: 'SIGINT' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
  return child.exitCode;
}

test('of two that start at the same moment one goes on: the other ends in one line and leaves its record', async () => {
  const dataDir = join(folder, 'two');
  await mkdir(dataDir, { recursive: true });
  const command = [resolve('src/bin/platen.js'), 'serve-artwork', art, '--json'];
  const { child } = await start(command, { DATA_DIR: dataDir }, /^\{"url":/m);
  const lines: string[] = [];
  child.stderr?.on('data', (chunk: string) => lines.push(chunk));
  const file = artworkServerFile(dataDir);
  const other = { port: 4_711, certificate: 'of another' };
  // As a command does that had looked before the first one wrote, and renews its record.
  const written = `${file}.other`;
  await eventually('the first ends', async () => {
    if (child.exitCode !== null) return true;
    await writeFile(written, JSON.stringify({ ...other, valid_until: Date.now() + ARTWORK_RECORD_MS - 500 }));
    await rename(written, file);
    return false;
  });
  assert.deepEqual([child.exitCode, lines.join('')], [1, 'platen: another serve-artwork runs on this DATA_DIR\n']);
  assert.deepEqual((JSON.parse(await readFile(file, 'utf8')) as ArtworkServer).port, other.port);
});

test('npm start takes artwork from the folder while it is served, and from the moment it is not refuses it', async () => {
  const dataDir = join(folder, 'data');
  const port = String(await freePort());
  const env = { DATA_DIR: dataDir, PORT: port };
  const service = await start([resolve('src/bin/start.js')], env, /Token +(pat_live_\w+)/);
  const codeOf = async (url: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/uploads/validate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.match[1]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    const { results } = (await response.json()) as { results: { valid: boolean; code?: string }[] };
    return results[0]?.valid === true ? 'valid' : (results[0]?.code ?? '?');
  };
  const command = [resolve('src/bin/platen.js'), 'serve-artwork', art, '--json'];
  const served = /^\{"url":"([^"]+)".*"example":"([^"]+)"\}$/m;
  try {
    const first = await start(command, env, served);
    const example = first.match[2] ?? '';
    assert.equal(example, `${first.match[1]}/a.png`);
    assert.equal(await codeOf(example), 'valid');
    const record = artworkServerFile(dataDir);
    assert.equal((await stat(record)).mode & 0o777, 0o600);
    assert.doesNotMatch(await readFile(record, 'utf8'), /PRIVATE KEY/);
    const second = await runPlaten(['serve-artwork', art], env);
    assert.deepEqual([second.status, second.stderr], [1, 'platen: another serve-artwork runs on this DATA_DIR\n']);
    assert.equal(await codeOf(example), 'valid', 'the refused one left the record of the first');
    assert.equal(await ended(first.child, 'SIGINT'), 0);
    assert.equal(existsSync(record), false);
    assert.equal(await codeOf(example), 'ssrf');

    const killed = await start(command, env, served);
    assert.equal(await codeOf(killed.match[2] ?? ''), 'valid');
    await ended(killed.child, 'SIGKILL');
    await eventually('its record expires', async () => (await codeOf(killed.match[2] ?? '')) === 'ssrf');
  } finally {
    await ended(service.child, 'SIGINT');
  }
});
