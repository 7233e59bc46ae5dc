import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../lib/config.ts';
import { claimDataDir, DataDirInUse } from '../lib/data-dir.ts';
import type { DatabaseAddress } from '../lib/db.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '../lib/embedded-postgres.ts';
import type { Log } from '../lib/log.ts';

/** A database server that can be connected to, until `stop`. */
export type DatabaseServer = { readonly address: DatabaseAddress; readonly stop: () => Promise<void> };

/**
 * The database of a service: the one of DATABASE_URL, or the embedded server in DATA_DIR, which is claimed for this process.
 * A second service on the same DATA_DIR is refused with one clear line.
 */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  onProgress: (line: string) => void,
): Promise<DatabaseServer> {
  if (config.databaseUrl !== undefined) return external(config.databaseUrl);
  const claim = await claimDataDir(config.dataDir);
  try {
    const server = await startEmbeddedPostgres({ dataDir: config.dataDir, log, onProgress });
    return {
      address: server.connection,
      stop: async () => {
        await server.stop();
        await claim.release();
      },
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/**
 * The database of a command: that of a running service when there is one on this DATA_DIR, else one that is started for the
 * command's own time.
 */
export async function borrowDatabaseServer(config: Config, log: Log): Promise<DatabaseServer> {
  if (config.databaseUrl !== undefined) return external(config.databaseUrl);
  const running = await findRunningPostgres(config.dataDir);
  if (running !== undefined) return { address: running, stop: async () => {} };
  try {
    return await openDatabaseServer(config, log, () => {});
  } catch (error) {
    // A service took the folder in this very moment: it is the one to talk to.
    const started = error instanceof DataDirInUse ? await findRunningPostgres(config.dataDir) : undefined;
    if (started === undefined) throw error;
    return { address: started, stop: async () => {} };
  }
}

/** The key that signs and seals: SECRET_KEY, or one that is made once and kept in DATA_DIR. */
export async function readSecretKey(config: Config): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey;
  const path = join(config.dataDir, 'secret.key');
  try {
    // Two processes that start at once: one writes, and both read what it wrote.
    await writeFile(path, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const key = (await readFile(path, 'utf8')).trim();
  if (key.length < 32) throw new Error(`${path} is damaged: restore it from a backup, since it seals webhook secrets`);
  return key;
}

function external(connectionString: string): DatabaseServer {
  return { address: { connectionString }, stop: async () => {} };
}
