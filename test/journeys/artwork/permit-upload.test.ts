import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import type { UploadPermit } from '../../../src/artwork/drop/drop-schema.ts';
import { DROPPED_MS, dropPath, PERMIT_MS, type Permit, readPermit } from '../../../src/artwork/drop/permit.ts';
import { newLocalCertificate } from '../../../src/bin/artwork-folder.ts';
import { type DropFolder, type DropRefused, openDropFolder } from '../../../src/http/drop/drop-folder.ts';
import { type RunningDrop, startDrop, startLocalFiles } from '../../../src/http/drop/drop-server.ts';
import { eventually } from '../../harness/context.ts';
import { flat } from '../../harness/pictures.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { scratchParent } from '../../harness/scratch.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const PAGES = 'https://portal.example';

let root: string;
let folder: DropFolder;
let pages: RunningDrop;
let files: RunningDrop;
let service: TestService;
let person: PortalClient;
let png: Buffer;
/** Added to the machine's time. */
let aheadMs = 0;
const nowMs = (): number => Date.now() + aheadMs;

before(async () => {
  root = await mkdtemp(join(scratchParent(), 'platen-drop-'));
  folder = await openDropFolder(root, nowMs);
  const settings = {
    folder: Promise.resolve(folder),
    pagesOrigin: PAGES,
    readPermit: (text: string) => readPermit(service.ctx.secrets, text, nowMs()),
  };
  const tls = newLocalCertificate('a test');
  pages = await startDrop(settings, { host: '127.0.0.1', port: 0 });
  files = await startLocalFiles(settings, tls);
  service = await startTestService({
    env: { DROP_URL: `https://localhost:${files.port}` },
    artworkServer: async () => ({ port: files.port, certificate: tls.cert }),
  });
  person = await openRole(service, 'orders');
  png = await flat(60, 40, 'plum').png().toBuffer();
});
after(async () => {
  await service.stop();
  await Promise.all([pages.stop(), files.stop()]);
  await rm(root, { recursive: true, force: true });
});

type Permitted = UploadPermit & { readonly permit: string };

async function permitFor(bytes: Uint8Array, type = 'image/png', by = person): Promise<Permitted> {
  const { status, body, text } = await by.request<UploadPermit>('POST', '/uploads', {
    body: { type, size: bytes.length },
  });
  assert.equal(status, 201, text);
  const [bearer, ofType] = body.headers;
  assert.deepEqual([bearer?.name, ofType], ['authorization', { name: 'content-type', value: type }]);
  return { ...body, permit: bearer?.value.replace(/^Bearer /, '') ?? '' };
}

type Left = { readonly status: number; readonly detail: string; readonly headers: Headers };

async function leave(permit: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Left> {
  const answer = await fetch(`http://127.0.0.1:${pages.port}/files`, {
    method: 'PUT',
    headers: { origin: PAGES, authorization: `Bearer ${permit}`, 'content-type': 'image/png', ...headers },
    body: Uint8Array.from(bytes),
  });
  const { detail = '' } = (await answer.json()) as { detail?: string };
  return { status: answer.status, detail, headers: answer.headers };
}

/** A file of the drop as any client gets it. */
async function fetchOf(url: string, method = 'GET'): Promise<Response> {
  return await fetch(`http://127.0.0.1:${pages.port}${new URL(url).pathname}`, { method });
}

/** The files in the drop, of all accounts and uploads. */
async function kept(): Promise<string[]> {
  return (await readdir(root, { recursive: true })).filter((name) => /[0-9a-f]{32}/.test(name));
}

describe('a picture of a person’s computer', () => {
  test('gets an https address, from which the service fetches it by its own guard', async () => {
    const { permit, url, upload_url: to, kept_until: until } = await permitFor(png);
    assert.match(url, /^https:\/\/localhost:\d+\/[0-9a-f]{16}\/[0-9a-f]{32}\.png$/);
    assert.equal(new URL(to).pathname, '/files');
    assert.ok(Math.abs(Date.parse(until) - Date.now() - DROPPED_MS) < 60_000);
    assert.equal((await fetchOf(url)).status, 404, 'before it is left');
    const left = await leave(permit, png);
    assert.deepEqual([left.status, left.headers.get('access-control-allow-origin')], [201, PAGES]);
    const { body } = await service.customer.request<{ results: { valid: boolean }[] }>('POST', '/uploads/validate', {
      urls: [url],
    });
    assert.deepEqual(
      body.results.map(({ valid }) => valid),
      [true],
    );
  });

  test('is served as a download of exactly its type, which no browser runs, shows or guesses', async () => {
    const { permit, url } = await permitFor(png);
    assert.equal((await leave(permit, png)).status, 201);
    const answer = await fetchOf(url);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), png);
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.equal(answer.headers.get('content-disposition'), 'attachment');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.equal((await fetchOf(url, 'HEAD')).headers.get('content-length'), String(png.length));
    assert.equal((await fetchOf(url, 'DELETE')).status, 405);
  });

  test('is gone after 24 hours, and swept', async () => {
    const { permit, url } = await permitFor(png);
    await leave(permit, png);
    const path = join(root, new URL(url).pathname);
    const old = new Date(Date.now() - DROPPED_MS);
    await utimes(path, old, old);
    assert.equal((await fetchOf(url)).status, 404);
    await folder.sweep();
    assert.ok(!(await kept()).some((name) => path.endsWith(name)));
  });
});

describe('the drop refuses, and keeps nothing of', () => {
  test('a permit that is none of ours, was changed, has ended or was used', async () => {
    const { permit } = await permitFor(png);
    const before = await kept();
    assert.equal((await leave('', png)).status, 401);
    assert.equal((await leave('x.y', png)).status, 401);
    const [payload = '', signature = ''] = permit.split('.');
    const changed = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...changed, folder: '0'.repeat(16) })).toString('base64url');
    assert.equal((await leave(`${forged}.${signature}`, png)).status, 401, 'the folder of another user');
    aheadMs = PERMIT_MS + 1_000;
    assert.equal((await leave(permit, png)).status, 401, 'ended');
    aheadMs = 0;
    assert.deepEqual(await kept(), before);
    const both = await Promise.all([leave(permit, png), leave(permit, png)]);
    assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([201, 409]), 'used twice at once');
    assert.equal((await leave(permit, png)).status, 409);
    assert.equal((await kept()).length, before.length + 1);
  });

  test('a script, a page, a drawing, a picture of another type or size, and half of one', async () => {
    const before = await kept();
    const half = png.subarray(0, png.length - 20);
    for (const bytes of [
      Buffer.from('<!doctype html><script>alert(1)</script>'),
      Buffer.from('alert(1)'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      Buffer.from('GIF89a'),
      half,
    ]) {
      const { permit } = await permitFor(bytes);
      const { status, detail } = await leave(permit, bytes);
      assert.equal(status, 422, bytes.toString('latin1').slice(0, 20));
      assert.match(detail, /file/);
    }
    const asJpeg = await permitFor(png, 'image/jpeg');
    assert.equal((await leave(asJpeg.permit, png, { 'content-type': 'image/jpeg' })).status, 422);
    const { permit } = await permitFor(png);
    assert.equal((await leave(permit, png, { 'content-type': 'text/html' })).status, 415);
    assert.equal((await leave(permit, half)).status, 413);
    assert.deepEqual(await kept(), before);
    assert.equal((await leave(permit, png)).status, 201, 'a refused upload can be tried again');
  });

  test('a page of another origin, an address that is none of its files, and too many files of one account', async () => {
    const { permit } = await permitFor(png);
    for (const origin of ['https://evil.example', 'null', 'https://portal.example.evil.example']) {
      assert.equal((await leave(permit, png, { origin })).status, 403, origin);
    }
    const preflight = async (origin: string): Promise<Response> =>
      await fetch(`http://127.0.0.1:${pages.port}/files`, { method: 'OPTIONS', headers: { origin } });
    assert.equal((await preflight('https://evil.example')).status, 403);
    assert.equal((await preflight(PAGES)).headers.get('access-control-allow-methods'), 'PUT');
    for (const path of ['/', '/incoming', '/../secret.key', '/%2e%2e/secret.key', `/${'a'.repeat(16)}/x.html`]) {
      assert.equal((await fetch(`http://127.0.0.1:${pages.port}${path}`)).status, 404, path);
    }
    const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
    const mine = await permitFor(png, 'image/png', other);
    const own = new URL(mine.url).pathname.slice(1, 17);
    assert.notEqual(own, new URL((await permitFor(png)).url).pathname.slice(1, 17), 'a folder for each account');
    assert.equal((await leave(mine.permit, png)).status, 201);
    for (let file = 0; file < 99; file += 1) {
      await writeFile(join(root, own, `${String(file).padStart(32, '0')}.png`), '');
    }
    const { status, detail } = await leave((await permitFor(png, 'image/png', other)).permit, png);
    assert.deepEqual([status, detail.includes('24 hours')], [429, true]);
    assert.equal((await leave(permit, png)).status, 201, 'another account is not in the way');
  });
});

describe('the folder of the drop', () => {
  const permitOf = (size: number): Permit => ({
    folder: 'a'.repeat(16),
    name: randomBytes(16).toString('hex'),
    type: 'image/png',
    size,
    until: 0,
  });

  test('takes no more at once than leaves room on the disk for everything else', async (t) => {
    const fake = t.mock.method(fs.promises, 'statfs', async () => ({ bavail: 400, bsize: 1_048_576 }));
    syncBuiltinESMExports();
    const own = await mkdtemp(join(scratchParent(), 'platen-drop-'));
    const small = await openDropFolder(own, nowMs);
    const uploads = Array.from({ length: 20 }, () => new PassThrough());
    const taken = Promise.allSettled(uploads.map((bytes) => small.take(permitOf(52_428_800), bytes)));
    await eventually('each was looked at', () => fake.mock.callCount() === 20);
    await eventually('two have begun', async () => (await readdir(join(own, 'incoming'))).length === 2);
    for (const bytes of uploads) bytes.end('no picture');
    const ends = (await taken).map((end) => (end.status === 'rejected' ? (end.reason as DropRefused).status : 201));
    assert.deepEqual(
      ends.toSorted((a, b) => a - b),
      [422, 422, ...Array.from({ length: 18 }, () => 507)],
    );
    fake.mock.restore();
    syncBuiltinESMExports();
    await small.take(permitOf(png.length), Readable.from([png]));
    await rm(own, { recursive: true });
  });

  test('is swept past what does not belong there, which the sweep tells of', async () => {
    const own = await mkdtemp(join(scratchParent(), 'platen-drop-'));
    const later = await openDropFolder(own, () => Date.now() + 2 * DROPPED_MS);
    for (const name of ['0'.repeat(16), 'f'.repeat(16)]) {
      await mkdir(join(own, name, 'a folder'), { recursive: true });
      await writeFile(join(own, name, `${'f'.repeat(32)}.png`), '');
    }
    await writeFile(join(own, '.DS_Store'), '');
    await assert.rejects(later.sweep(), /3 .*ENOTDIR/s);
    const left = await readdir(own, { recursive: true });
    assert.deepEqual(
      left.filter((name) => name.endsWith('.png')),
      [],
    );
    await rm(own, { recursive: true });
  });

  test('keeps the first of two files that one permit brings at once', async () => {
    const other = await flat(60, 40, 'teal').png().toBuffer();
    const permit = permitOf(png.length);
    const own = await mkdtemp(join(scratchParent(), 'platen-drop-'));
    const one = await openDropFolder(own, nowMs);
    const target = join(own, dropPath(permit));
    const bytes = new PassThrough();
    const taken = one.take(permit, bytes);
    await eventually('it has begun', async () => (await readdir(join(own, 'incoming'))).length === 1);
    // As by another upload that came to its end between the look at the place and the move to it.
    await writeFile(target, other);
    bytes.end(png);
    await assert.rejects(taken, { status: 409 });
    assert.deepEqual(await readFile(target), other);
    assert.deepEqual(await readdir(join(own, 'incoming')), []);
    await rm(own, { recursive: true });
  });
});

test('a permit is for people who order, for a picture of at most 52,428,800 bytes', async () => {
  const body = { type: 'image/png', size: 52_428_800 };
  assert.equal((await person.request('POST', '/uploads', { body })).status, 201);
  for (const wrong of [{ ...body, size: 52_428_801 }, { ...body, size: 0 }, { ...body, type: 'image/svg+xml' }, {}]) {
    assert.equal((await person.request('POST', '/uploads', { body: wrong })).status, 422, JSON.stringify(wrong));
  }
  const reader = await openRole(service, 'reader');
  assert.equal((await reader.request('POST', '/uploads', { body })).status, 403);
});

test('a service without a drop says so', async () => {
  const without = await startTestService({ role: 'api' });
  const client = await openRole(without, 'orders');
  const { status, body } = await client.request('POST', '/uploads', { body: { type: 'image/png', size: 1 } });
  assert.deepEqual([status, body.code, body.detail.includes('https address')], [409, 'conflict', true]);
  await without.stop();
});
