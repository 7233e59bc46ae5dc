import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningPostgres, startEmbeddedPostgres } from '@platen/embedded-postgres';
import { claimDataDir, DataDirInUse } from '@platen/embedded-postgres/data-dir';
import { refuseUnfinishedRestore } from '../backup/restore-target.ts';
import { refuseUnfinishedUpgrade } from '../backup/upgrade/swap-clusters.ts';
import type { Config } from '../lib/config.ts';
import type { DatabaseAddress } from '../lib/db.ts';
import type { Log } from '../lib/log.ts';

/** A database server that accepts connections until `stop`. */
export type DatabaseServer = { readonly address: DatabaseAddress; readonly stop: () => Promise<void> };

/**
 * Opens the database of a service.
 * That is the one of DATABASE_URL, or the embedded server in DATA_DIR, which is claimed for this process. A second
 * service on the same DATA_DIR is refused with a one-line error, and so is one where a restore was interrupted.
 */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  onProgress: (line: string) => void,
): Promise<DatabaseServer> {
  if (config.databaseUrl !== undefined) return external(config.databaseUrl);
  const claim = await claimDataDir(config.dataDir);
  try {
    refuseUnfinishedRestore(config.dataDir);
    refuseUnfinishedUpgrade(config.dataDir);
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
 * Opens the database of a command.
 * That is the one of a running service, if there is one on this DATA_DIR; else one that is started for as long as the
 * command runs.
 */
export async function borrowDatabaseServer(config: Config, log: Log): Promise<DatabaseServer> {
  if (config.databaseUrl !== undefined) return external(config.databaseUrl);
  const endsAt = performance.now() + BORROW_TIMEOUT_MS;
  for (;;) {
    const running = await findRunningPostgres(config.dataDir);
    if (running !== undefined) return { address: running, stop: async () => {} };
    try {
      return await openDatabaseServer(config, log, () => {});
    } catch (error) {
      // The holder of the folder is starting or stopping: soon there is a server to connect to, or the folder is free.
      if (!(error instanceof DataDirInUse) || performance.now() > endsAt) throw error;
      await sleep(BORROW_POLL_MS);
    }
  }
}

/**
 * A first start makes the cluster, which takes seconds.
 * A process that holds the folder for longer has no server to share.
 */
const BORROW_TIMEOUT_MS = 15_000;
const BORROW_POLL_MS = 100;

function external(connectionString: string): DatabaseServer {
  return { address: { connectionString }, stop: async () => {} };
}
