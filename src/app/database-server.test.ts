import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { claimDataDir, DataDirInUse } from '@platen/embedded-postgres/data-dir';
import { readConfig } from '../lib/config.ts';
import { silentLog } from '../lib/log.ts';
import { borrowDatabaseServer, openDatabaseServer } from './database-server.ts';

const folder = await mkdtemp(join(tmpdir(), 'platen-server-'));
after(() => rm(folder, { recursive: true, force: true }));

/** The settings of a service with a data directory of its own. */
async function newConfig() {
  return readConfig({ DATA_DIR: await mkdtemp(join(folder, 'data-')) });
}

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
