import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { BlobLost, BlobStoreAway } from './blobs/failures.ts';
import { type BlobStore, openBlobStore } from './blobs.ts';
import { newId } from './ids.ts';
import { TurnRefused } from './turns/refusal.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'platen-blobs-'));
const root = join(dataDir, 'blobs');
const blobs = openBlobStore('file:', dataDir);
after(() => rmSync(dataDir, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const staged = (): string[] => readdirSync(join(root, 'staging'));

async function readAll(store: BlobStore, hash: string, range?: { start: number; end: number }): Promise<Buffer> {
  const opened = await store.open(hash, range);
  assert.ok(opened !== undefined);
  return buffer(opened.stream);
}

test('bytes written in pieces are found under the hash of the whole, and nowhere before they are committed', async () => {
  const bytes = randomBytes(300_000);
  const file = await blobs.stage();
  for (let at = 0; at < bytes.length; at += 70_001) await file.write(bytes.subarray(at, at + 70_001));
  assert.deepEqual(readFileSync(file.path), bytes);
  assert.equal(await blobs.has(sha256(bytes)), false);
  assert.deepEqual(await file.commit(), { hash: sha256(bytes), bytes: bytes.length });
  assert.deepEqual(readFileSync(await blobs.path(sha256(bytes))), bytes);
  assert.deepEqual(staged(), []);
});

test('a blob opens whole or by a range of bytes, with the length of the whole', async () => {
  const hash = await blobs.put(Buffer.from('0123456789'));
  assert.equal((await readAll(blobs, hash)).toString(), '0123456789');
  assert.equal((await readAll(blobs, hash, { start: 2, end: 4 })).toString(), '234');
  const opened = await blobs.open(hash, { start: 0, end: 0 });
  assert.equal(opened?.bytes, 10);
  opened?.stream.destroy();
  const empty = await blobs.put(new Uint8Array());
  assert.equal((await readAll(blobs, empty)).length, 0);
});

test('the same bytes twenty times at once are one blob', async () => {
  const bytes = randomBytes(50_000);
  const hashes = new Set(await Promise.all(Array.from({ length: 20 }, () => blobs.put(bytes))));
  assert.deepEqual([...hashes], [sha256(bytes)]);
  assert.deepEqual(readdirSync(join(await blobs.path(sha256(bytes)), '..')), [sha256(bytes)]);
  assert.deepEqual(staged(), []);
});

test('a blob that lost bytes on the disk is made whole when the same bytes come again', async () => {
  const bytes = randomBytes(9_000);
  const path = await blobs.path(await blobs.put(bytes));
  writeFileSync(path, bytes.subarray(0, 100));
  await blobs.put(bytes);
  assert.deepEqual(readFileSync(path), bytes);
});

test('a file that another program made is moved in under its hash', async () => {
  const bytes = randomBytes(600_000);
  const path = blobs.scratchPath();
  writeFileSync(path, bytes);
  const reserved: string[] = [];
  const adopted = await blobs.adopt(path, async (hash) => {
    assert.equal(await blobs.has(hash), false, 'it is reserved before it is stored');
    reserved.push(hash);
  });
  assert.deepEqual(adopted, { hash: sha256(bytes), bytes: bytes.length });
  assert.deepEqual(reserved, [sha256(bytes)]);
  assert.deepEqual(readFileSync(await blobs.path(sha256(bytes))), bytes);
  assert.deepEqual(staged(), []);
});

test('what is discarded is gone, twice or after a commit', async () => {
  const dropped = await blobs.stage();
  await dropped.write(Buffer.from('dropped'));
  await dropped.discard();
  await dropped.discard();
  const kept = await blobs.stage();
  await kept.write(Buffer.from('kept'));
  const { hash } = await kept.commit();
  await kept.discard();
  assert.equal(await blobs.has(hash), true);
  assert.deepEqual(staged(), []);
});

test('what is removed is gone, and removing it again is no error', async () => {
  const hash = await blobs.put(Buffer.from('to be removed'));
  await blobs.remove(hash);
  await blobs.remove(hash);
  assert.equal(await blobs.has(hash), false);
  assert.equal(await blobs.open(hash), undefined);
  await assert.rejects(blobs.path(hash), /lacks/);
});

test('only a hash addresses a blob: no path leads out of the store', async () => {
  for (const name of ['', '../../../../etc/passwd', 'A'.repeat(64), `${'a'.repeat(63)}/`, 'a'.repeat(65)]) {
    await assert.rejects(async () => blobs.open(name), /hexadecimal/);
    await assert.rejects(async () => blobs.has(name), /hexadecimal/);
    await assert.rejects(async () => blobs.remove(name), /hexadecimal/);
  }
});

test('files and folders are for the service alone', async () => {
  const path = await blobs.path(await blobs.put(Buffer.from('private')));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  for (const folder of [root, join(root, 'staging'), join(root, 'files'), join(path, '..')]) {
    assert.equal(statSync(folder).mode & 0o077, 0);
  }
});

test('opening sweeps what was staged over an hour ago and leaves what is younger', () => {
  const staging = join(root, 'staging');
  const [old, young] = [join(staging, 'old'), join(staging, 'young')];
  for (const path of [old, young]) writeFileSync(path, 'x');
  const twoHoursAgo = Date.now() / 1_000 - 7_200;
  utimesSync(old, twoHoursAgo, twoHoursAgo);
  openBlobStore('file:', dataDir);
  assert.deepEqual(staged(), ['young']);
  rmSync(young);
});

test('opening removes at once what a killed process of this machine has staged, and nothing of one that runs', async (t) => {
  const staging = join(root, 'staging');
  const script = `
    const { openBlobStore } = await import(${JSON.stringify(new URL('blobs.ts', import.meta.url).href)});
    const staged = await openBlobStore('file:', ${JSON.stringify(dataDir)}).stage();
    await staged.write(Buffer.alloc(1_000));
    console.log('staged');
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const own = await blobs.stage();
  openBlobStore('file:', dataDir);
  assert.equal(staged().length, 2, 'both live');
  child.kill('SIGKILL');
  await ended;
  if (readdirSync(staging).some((name) => name.startsWith('unknown.'))) t.skip('this system has no /proc');
  else {
    openBlobStore('file:', dataDir);
    assert.deepEqual(staged(), [basename(own.path)]);
  }
  await own.discard();
  for (const name of staged()) rmSync(join(staging, name));
});

const GIB = 1_024 ** 3;
const A = newId();
const B = newId();

test('an account has room for 1.5 GiB in staging, and all of it together leaves another account its room', async () => {
  const held = await Promise.all([blobs.stage(), blobs.stage()]);
  for (const file of held) await file.reserve(0.75 * GIB, { owner: A });
  const waiting = await blobs.stage();
  const gone = new AbortController();
  const refused = waiting.reserve(1, { owner: A, signal: gone.signal });
  const other = await blobs.stage();
  await other.reserve(1.5 * GIB, { owner: B });
  assert.equal(blobs.staged().waiting, 1);
  gone.abort();
  await assert.rejects(refused, TurnRefused);
  const second = waiting.reserve(52_428_800, { owner: A });
  await held[0]?.discard();
  await second;
  for (const file of [...held, waiting, other]) await file.discard();
  assert.deepEqual([blobs.staged().running, blobs.staged().waiting], [0, 0]);
});

test('a file that is smaller than its room gives the rest back, and one that is stored or dropped all of it', async () => {
  const file = await blobs.stage();
  await file.reserve(52_428_800, { owner: A });
  await file.write(Buffer.alloc(1_000));
  file.shrink();
  assert.equal(blobs.staged().running, 1_000);
  await file.commit();
  assert.equal(blobs.staged().running, 0);
  await file.discard();
  const dropped = await blobs.stage();
  await dropped.reserve(10, { owner: A });
  await Promise.all([dropped.discard(), dropped.discard()]);
  assert.equal(blobs.staged().running, 0);
});

test('room that comes when the file has been dropped already is not kept', async () => {
  const [first, late] = [await blobs.stage(), await blobs.stage()];
  await first.reserve(1.5 * GIB, { owner: A });
  const waiting = late.reserve(1, { owner: A });
  await late.discard();
  await first.discard();
  await waiting;
  assert.equal(blobs.staged().running, 0);
});

test('BLOB_STORE takes a folder by its absolute path, and nothing else but file:', () => {
  const elsewhere = join(dataDir, 'elsewhere');
  openBlobStore(`file:${elsewhere}`, dataDir);
  assert.deepEqual(readdirSync(elsewhere).toSorted(), ['files', 'leaving', 'staging']);
  for (const setting of ['s3://bucket?endpoint=x', 'file:relative', 'gs://x', '']) {
    assert.throws(() => openBlobStore(setting, dataDir), /BLOB_STORE/);
  }
});

test('a store whose folder went away says so and leaves nothing half done', async () => {
  const folder = join(dataDir, 'gone');
  mkdirSync(folder);
  const store = openBlobStore(`file:${folder}`, dataDir);
  await rm(folder, { recursive: true });
  await assert.rejects(store.put(Buffer.from('x')), BlobStoreAway);
  const hash = 'a'.repeat(64);
  for (const step of [store.path, store.open, store.setAside]) await assert.rejects(step(hash), BlobStoreAway);
  await assert.rejects(store.listFiles(''), BlobStoreAway);
  assert.throws(() => statSync(folder), /ENOENT/, 'nothing was made in its place');
});

test('a store that is empty and is asked for what it had is one whose disk is not mounted; one that lacks a file says so', async () => {
  const store = openBlobStore(`file:${join(dataDir, 'unmounted')}`, dataDir);
  const hash = 'b'.repeat(64);
  await assert.rejects(store.path(hash), BlobStoreAway);
  await store.put(Buffer.from('another'));
  await assert.rejects(store.path(hash), BlobLost);
  assert.equal(await store.open(hash), undefined);
});

test('what is set aside can be read, put back whole, and deleted without touching the same bytes that came in later', async () => {
  const bytes = Buffer.from('set aside');
  const hash = await blobs.put(bytes);
  const first = (await blobs.setAside(hash)) ?? assert.fail();
  assert.deepEqual(readFileSync(await blobs.path(hash)), bytes);
  assert.equal(await blobs.has(hash), true);
  await first.putBack();
  await first.putBack();
  const second = (await blobs.setAside(hash)) ?? assert.fail();
  assert.equal(await blobs.put(bytes), hash);
  await second.discard();
  assert.deepEqual(readFileSync(await blobs.path(hash)), bytes);
  await blobs.remove(hash);
  assert.equal(await blobs.setAside(hash), undefined);
  assert.deepEqual(await blobs.listAside(), []);
});

test('the files of the store are listed in pieces, each once', async () => {
  const store = openBlobStore(`file:${join(dataDir, 'listed')}`, dataDir);
  const stored = await Promise.all(Array.from({ length: 150 }, (_, at) => store.put(Buffer.from(`file ${at}`))));
  const seen: string[] = [];
  let pages = 0;
  for (let after: string | undefined = ''; after !== undefined; pages += 1) {
    const { files, next } = await store.listFiles(after);
    seen.push(...files.map(({ hash }) => hash));
    after = next;
  }
  assert.deepEqual(seen.toSorted(), stored.toSorted());
  assert.equal(pages, 3);
});
