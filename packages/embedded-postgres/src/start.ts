import { chown, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cluster,
  clusterDirectory,
  DATABASE,
  MAJOR_VERSION,
  prepareCluster,
  readPassword,
  USER,
} from './cluster.ts';
import { claimPart } from './data-dir.ts';
import { chooseRunAs, findInstallation, makeScratch, scratchParents, sweepScratch } from './install.ts';
import type { Log } from './log.ts';
import { endMarkedProcesses, markedProcesses, serverMark } from './processes.ts';
import { reasonOf } from './reason.ts';
import { PORT, readPostmasterPid, type Server, startServer, stopServer } from './server.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export { clusterDirectory, MAJOR_VERSION, readClusterVersion } from './cluster.ts';
export { versionOf } from './install.ts';

export type EmbeddedPostgres = {
  /**
   * `host` is the directory of the Unix socket.
   * It stays the same when the server restarts after a crash.
   */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  /**
   * Ends the server and removes what it had outside the data directory.
   * Returns when its process is gone.
   */
  readonly stop: () => Promise<void>;
  /** The server's process id; undefined while it is down. */
  readonly pid: () => number | undefined;
};

/**
 * Starts the PostgreSQL of the npm package on `DATA_DIR/postgres` and keeps it running.
 * Makes the cluster at the first start. A killed server is started again at the same socket; when this process ends,
 * however it ends, the server shuts down. What an earlier run left behind is ended first. fsync is on. Writes
 * `postgres/`, `postgres-password`, `postgres.lock` and `postgres.lock.pid` in the data directory. Throws
 * `DataDirInUse` when another process runs it, and a one-line `Error` when it cannot start.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Log;
  onProgress?: (line: string) => void;
  /** Other programs than those of the package, for a cluster of their own major version. */
  programs?: { readonly directory: string; readonly major: string };
}): Promise<EmbeddedPostgres> {
  const { log, onProgress = () => {} } = options;
  const dataDir = resolve(options.dataDir);
  const major = options.programs?.major ?? MAJOR_VERSION;
  await using undo = new AsyncDisposableStack();
  const claim = await claimPart(dataDir, 'postgres');
  undo.defer(claim.release);

  const runAs = await chooseRunAs(clusterDirectory(dataDir));
  const mark = await serverMark(dataDir);
  await endMarkedProcesses(mark, log);
  await sweepScratch(mark, runAs);
  const installation = await findInstallation(mark, runAs, options.programs?.directory);
  undo.defer(installation.remove);
  const cluster: Cluster = { dataDir, programs: installation.directory, runAs, mark, major };
  const password = await prepareCluster(cluster, onProgress);
  const socket = await socketDirectory(cluster);
  undo.defer(socket.remove);
  const watchdog = startWatchdog(runAs, log);
  undo.defer(watchdog.end);
  const supervisor = await supervise({ cluster, socketDirectory: socket.directory, watchdog, log });
  undo.defer(supervisor.stop);

  const resources = undo.move();
  let stopped: Promise<void> | undefined;
  return {
    connection: { host: socket.directory, port: PORT, user: USER, password, database: DATABASE },
    stop: () => {
      stopped ??= resources.disposeAsync();
      return stopped;
    },
    pid: supervisor.pid,
  };
}

/**
 * Finds the server that a running service has on this data directory, and returns its connection.
 * Undefined when none runs or it does not accept connections yet. Reads only. The caller is root or the user that the
 * data directory belongs to.
 */
export async function findRunningPostgres(dataDir: string): Promise<EmbeddedPostgres['connection'] | undefined> {
  const directory = resolve(dataDir);
  const running = await readPostmasterPid(directory);
  const password = running?.isReady === true ? await readPassword(directory) : undefined;
  if (running === undefined || password === undefined) return undefined;
  const alive = await markedProcesses(await serverMark(directory));
  if (!alive.some(({ pid, kind }) => pid === running.pid && kind === 'server')) return undefined;
  return { host: running.socketDirectory, port: PORT, user: USER, password, database: DATABASE };
}

/** `sockaddr_un` holds 104 bytes on macOS and 108 on Linux, the last a zero. */
const SOCKET_PATH_BYTES_MAX = 103;

/**
 * Returns the directory for the socket.
 * The cluster's own, or a new one with a short name where a socket's path in it would be too long.
 */
async function socketDirectory(cluster: Cluster): Promise<{ directory: string; remove: () => Promise<void> }> {
  const own = clusterDirectory(cluster.dataDir);
  if (fitsSocket(own)) return { directory: own, remove: async () => {} };
  for (const parent of scratchParents()) {
    const directory = await makeScratch(parent, cluster.mark).catch(() => undefined);
    if (directory === undefined) continue;
    const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
    if (fitsSocket(directory)) {
      if (cluster.runAs !== undefined) await chown(directory, cluster.runAs.uid, cluster.runAs.gid);
      return { directory, remove };
    }
    await remove();
  }
  throw new Error(`No directory for PostgreSQL's socket: ${own} is too long and /var/tmp and /tmp cannot be written`);
}

function fitsSocket(directory: string): boolean {
  return Buffer.byteLength(`${directory}/.s.PGSQL.${PORT}`) <= SOCKET_PATH_BYTES_MAX;
}

/** The waits before the first attempts to start a killed server again; about 10 s in all. */
const RESTART_WAITS_MS = [0, 100, 200, 400, 800, 1_600, 3_200, 3_200];
/** Between further attempts: what is in the way, such as a full disk, may last hours. */
const RESTART_AGAIN_MS = 10_000;

/** Starts the server, and restarts it whenever it ends by itself, until `stop`. */
async function supervise(options: {
  cluster: Cluster;
  socketDirectory: string;
  watchdog: Watchdog;
  log: Log;
}): Promise<{ stop: () => Promise<void>; pid: () => number | undefined }> {
  const { cluster, watchdog, log } = options;
  const stopping = new AbortController();
  const start = (): Promise<Server> => startServer({ ...options, signal: stopping.signal, onSpawn: watchdog.guard });
  let server: Server | undefined = await start();

  const restarted = async (): Promise<Server | undefined> => {
    for (let attempt = 0; ; attempt += 1) {
      if (attempt === RESTART_WAITS_MS.length) {
        log.error({ attempts: attempt }, 'PostgreSQL cannot be started again; it is tried every ten seconds');
      }
      await sleep(RESTART_WAITS_MS[attempt] ?? RESTART_AGAIN_MS, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (stopping.signal.aborted) return undefined;
      try {
        await endMarkedProcesses(cluster.mark, log);
        return await start();
      } catch (error) {
        watchdog.unguard();
        log.warn({ reason: reasonOf(error) }, 'PostgreSQL could not be restarted');
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (server !== undefined) {
      const how = await server.exited;
      server = undefined;
      watchdog.unguard();
      if (stopping.signal.aborted) return;
      log.error({ how }, 'PostgreSQL ended by itself; starting it again');
      server = await restarted();
      if (server === undefined) return;
      log.info({ pid: server.pid }, 'PostgreSQL runs again');
      // A stop was requested at the moment it came up.
      if (stopping.signal.aborted) await stopServer(server);
    }
  };
  const watching = watch();
  return {
    pid: () => server?.pid,
    stop: async () => {
      stopping.abort();
      if (server !== undefined) await stopServer(server);
      await watching;
    },
  };
}
