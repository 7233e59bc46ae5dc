import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { claimDataDir, DataDirInUse } from '@platen/embedded-postgres/data-dir';
import { readConfig } from '../lib/config.ts';
import { silentLog } from '../lib/log.ts';
import { borrowDatabaseServer, openDatabaseServer, readSecretKey } from './database-server.ts';

const folder = await mkdtemp(join(tmpdir(), 'platen-server-'));
after(() => rm(folder, { recursive: true, force: true }));

/** The settings of a service with a data directory of its own. */
async function newConfig() {
  return readConfig({ DATA_DIR: await mkdtemp(join(folder, 'data-')) });
}

test('the key is made once, for its user alone, and twenty that ask at once get the same', async () => {
  const config = await newConfig();
  const keys = await Promise.all(Array.from({ length: 20 }, () => readSecretKey(config)));
  assert.equal(new Set(keys).size, 1);
  assert.match(keys[0] ?? '', /^[0-9a-f]{64}$/);
  assert.equal(await readSecretKey(config), keys[0]);
  assert.deepEqual(await readdir(config.dataDir), ['secret.key']);
  assert.equal((await stat(join(config.dataDir, 'secret.key'))).mode & 0o777, 0o600);
});

test('a key of the settings comes before one on disk, and none is made', async () => {
  const config = { ...(await newConfig()), secretKey: 'k'.repeat(32) };
  assert.equal(await readSecretKey(config), 'k'.repeat(32));
  assert.deepEqual(await readdir(config.dataDir), []);
});

test('a damaged key is refused and never replaced, since webhook secrets are sealed with it', async () => {
  const config = await newConfig();
  await writeFile(join(config.dataDir, 'secret.key'), 'abc');
  await assert.rejects(readSecretKey(config), /secret\.key is damaged/);
  await assert.rejects(readSecretKey(config), /secret\.key is damaged/);
});

test('a second service is refused at once, and a command waits for one that is going down', async () => {
  const config = await newConfig();
  const claim = await claimDataDir(config.dataDir);
  await assert.rejects(
    openDatabaseServer(config, silentLog, () => {}),
    DataDirInUse,
  );
  const borrowing = borrowDatabaseServer(config, silentLog);
  setTimeout(() => void claim.release(), 300);
  const server = await borrowing;
  await server.stop();
});
