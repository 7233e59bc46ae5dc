import assert from 'node:assert/strict';
import files, { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { collectUnusedBlobs } from '../../src/app/collect-blobs.ts';
import { collectOrphans } from '../../src/app/collect-orphans.ts';
import { adoptStore, openStore, WrongStore } from '../../src/artwork/store/marker.ts';
import { startProcess, withPort } from '../../src/bin/serve.ts';
import { openBlobStore } from '../../src/lib/blobs.ts';
import { readConfig } from '../../src/lib/config.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { removeFiles } from '../../src/privacy/erase/order-files.ts';
import { SECRET_KEY } from '../harness/database.ts';
import { scratchParent } from '../harness/scratch.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { rows } from '../harness/written.ts';

// A store whose disk is not mounted looks like an empty one, and a wrong one like files that nothing needs.

let folder: string;
let service: TestService;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-store-'));
  service = await startTestService({ dataDir: join(folder, 'data') });
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const store = (): string => join(folder, 'data', 'blobs');
const isReady = async (): Promise<{ status: number; text: string }> => {
  const response = await fetch(`${service.url}/readyz`);
  return { status: response.status, text: await response.text() };
};
/** The context of a node whose store lies in another folder. */
const nodeOn = (name: string) => ({ ...service.ctx, blobs: openBlobStore(`file:${join(folder, name)}`, folder) });

async function refusesToDelete(ctx: TestService['ctx']): Promise<void> {
  const [blob] = await rows<{ hash: string }>(service, `select encode(hash, 'hex') as hash from blob limit 1`);
  const [account] = await rows<{ id: string }>(service, 'select id from account limit 1');
  assert.ok(blob !== undefined && account !== undefined);
  const before = await rows(service, 'select count(*) from blob where deleting');
  const erasureId = newId();
  await rows(service, `update blob set last_used_at = now() - interval '3 days'`);
  await rows(
    service,
    `insert into erasure (account_id, id, scope, subject, state, requested_at) values ($1, $2, 'order', '', 'erasing', now())`,
    [account.id, erasureId],
  );
  await rows(service, `insert into erasure_file (account_id, erasure_id, hash) values ($1, $2, decode($3, 'hex'))`, [
    account.id,
    erasureId,
    blob.hash,
  ]);
  await assert.rejects(collectUnusedBlobs(ctx, undefined), WrongStore);
  await assert.rejects(collectOrphans(ctx, ''), WrongStore);
  await assert.rejects(removeFiles(ctx, { accountId: account.id as never, erasureId }), WrongStore);
  assert.deepEqual(await rows(service, 'select count(*) from blob where deleting'), before);
  await rows(service, 'delete from erasure_file where erasure_id = $1', [erasureId]);
}

test('a store is marked at the first start, and a later start with the same store finds it', async () => {
  const marker = await readFile(join(store(), 'store.id'), 'utf8');
  const [row] = await rows<{ id: string }>(service, 'select id::text as id from blob_store');
  assert.equal(marker, `${row?.id}\n`);
  assert.equal((await isReady()).status, 200);
  await openStore(service.ctx);
  assert.equal(await readFile(join(store(), 'store.id'), 'utf8'), marker);
  await collectUnusedBlobs(service.ctx, undefined);
});

test('a start of the service looks at the marker of its store once', async (t) => {
  const looks = t.mock.method(files, 'readFile').mock;
  syncBuiltinESMExports();
  const config = await withPort(
    readConfig({
      PORT: '0',
      DATABASE_URL: service.database.url,
      DATA_DIR: join(folder, 'data'),
      SECRET_KEY,
      TRUSTED_PRIVATE_HOSTS: service.stranger.hostPort,
    }),
  );
  const silent = { log: silentLog, onProgress: () => {}, prepare: async () => {}, until: new Promise<void>(() => {}) };
  const running = await startProcess({ ...silent, config, role: 'api' });
  await running.stop();
  assert.ok(running.hasStarted);
  assert.equal(looks.calls.filter(({ arguments: [path] }) => path === join(store(), 'store.id')).length, 1);
  t.mock.restoreAll();
  syncBuiltinESMExports();
});

test('while the disk of the store is not mounted the service is not ready, says what to do, and deletes nothing', async () => {
  await rename(store(), join(folder, 'mounted elsewhere'));
  for (const name of ['files', 'staging', 'leaving']) await mkdir(join(store(), name), { recursive: true });
  const { status, text } = await isReady();
  assert.equal(status, 503);
  assert.match(
    text,
    /The blob store has no marker \(store\.id\): mount its disk, or set BLOB_STORE .*platen store adopt/,
  );
  await refusesToDelete(service.ctx);
  await assert.rejects(openStore(service.ctx), /has no marker/);
  await rm(store(), { recursive: true });
  await rename(join(folder, 'mounted elsewhere'), store());
  assert.equal((await isReady()).status, 200);
});

test('the store of another database is refused, at a start and by everything that deletes', async () => {
  const other = nodeOn('other');
  await other.blobs.mark(newId());
  await assert.rejects(openStore(other), /the blob store is not the one of this database: mount its disk/);
  await refusesToDelete(other);
});

test('a store that was moved without its marker is adopted if it has the recorded files, and else only on demand', async () => {
  const empty = nodeOn('empty');
  await assert.rejects(adoptStore(empty, false), /lacks \d+ of \d+ recorded files .*--even-if-lacking/);
  assert.equal(await empty.blobs.marker(), undefined);
  await rm(join(store(), 'store.id'));
  assert.equal((await isReady()).status, 503);
  const adopted = await adoptStore(service.ctx, false);
  assert.deepEqual([adopted.lacking, adopted.looked > 0], [0, true]);
  assert.equal((await isReady()).status, 200);
  await rm(join(store(), 'store.id'));
  await writeFile(join(store(), 'store.id'), 'torn');
  assert.equal((await isReady()).status, 503, 'a damaged marker is none');
  await assert.rejects(adoptStore(service.ctx, false), /store\.id is damaged: remove it/);
  await rm(join(store(), 'store.id'));
  await adoptStore(service.ctx, false);
  const given = await adoptStore(empty, true);
  assert.ok(given.lacking > 0);
  assert.equal((await isReady()).status, 503, 'the one that was left behind is not taken again');
  await adoptStore(service.ctx, false);
});

test('a database from before there were markers takes its store, but never an empty one, nor a store for no files', async () => {
  await rows(service, 'delete from blob_store');
  const missing = nodeOn('missing');
  await assert.rejects(openStore(missing), /the blob store is empty, and the database has recorded files/);
  assert.equal(await missing.blobs.marker(), undefined);
  await openStore(service.ctx);
  assert.equal((await isReady()).status, 200);
  // A database without files beside the store of another one.
  const fresh = await startTestService({ dataDir: join(folder, 'fresh') });
  try {
    const { database } = fresh.ctx;
    const beside = { ...fresh.ctx, blobs: service.ctx.blobs };
    await database.script('set session_replication_role = replica; delete from blob_store; delete from blob');
    await assert.rejects(openStore(beside), /is that of another database, and this one has no files yet/);
    const begun = { ...fresh.ctx, blobs: openBlobStore(`file:${join(folder, 'begun')}`, folder) };
    await openStore(begun);
    assert.ok((await begun.blobs.marker()) !== undefined, 'a new store for an empty database is begun without a word');
  } finally {
    await fresh.stop();
  }
});
