import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, clusterDirectory, nameFromInside, serverEnvironment, settingArguments } from './cluster.ts';
import type { Log } from './log.ts';
import { markedProcesses, signalIfAlive } from './processes.ts';
import { reasonOf } from './reason.ts';

/** The socket is local, so the number only names its file. */
export const PORT = 5432;

/** A server that accepts connections. `exited` resolves with how it ended. */
export type Server = { readonly pid: number; readonly process: ChildProcess; readonly exited: Promise<string> };

/** A long recovery after a crash is normal: it is waited for. */
const READY_TIMEOUT_MS = 300_000;
const READY_POLL_MS = 10;

/**
 * Starts the server and waits until it accepts connections.
 * The server has a session of its own, so that Ctrl-C in the service's terminal does not reach it before the service
 * has drained. `onSpawn` gets its process id at once. Throws a one-line `Error` when it ends instead, is not ready in
 * time, or `signal` aborts the wait; then none is left running.
 */
export async function startServer(options: {
  cluster: Cluster;
  socketDirectory: string;
  log: Log;
  signal: AbortSignal;
  onSpawn: (pid: number) => void;
}): Promise<Server> {
  const { cluster, log, signal } = options;
  await removeForeignLocks(cluster);
  const child = spawn(join(cluster.programs, 'bin/postgres'), serverArguments(cluster, options.socketDirectory), {
    ...cluster.runAs,
    cwd: clusterDirectory(cluster.dataDir),
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(reasonOf(error)));
    child.once('exit', (code, exitSignal) => resolve(exitSignal ?? `exit ${code}`));
  });
  if (child.pid === undefined) throw new Error(`PostgreSQL did not start: ${await exited}`);
  options.onSpawn(child.pid);
  const lastFatal = forwardLog(child, log);
  // The child does not keep a failed service alive: the service ends, and the watchdog ends the server.
  child.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();

  const server = { pid: child.pid, process: child, exited };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const running = await readPostmasterPid(cluster.dataDir);
    if (running?.pid === server.pid && running.isReady) return server;
    if (signal.aborted || Date.now() > deadline) {
      await stopServer(server);
      throw new Error(signal.aborted ? 'PostgreSQL was stopped while it started' : 'PostgreSQL was not ready in time');
    }
    const how = await Promise.race([exited, sleep(READY_POLL_MS, undefined)]);
    if (how !== undefined) throw new Error(`PostgreSQL did not start: ${lastFatal() ?? how}`);
  }
}

/**
 * Fast shutdown, then immediate, then SIGKILL, each with its time.
 * After an immediate one the next start recovers from the log.
 */
const STOP_STEPS = [
  { signal: 'SIGINT', waitMs: 20_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/** Stops a server and returns when its process is gone; at once if it is gone already. */
export async function stopServer(server: Server): Promise<void> {
  for (const { signal, waitMs } of STOP_STEPS) {
    server.process.kill(signal);
    const waiting = new AbortController();
    const isGone = await Promise.race([
      server.exited.then(() => true),
      sleep(waitMs, false, { signal: waiting.signal }).catch(() => false),
    ]);
    waiting.abort();
    if (isGone) return;
  }
  throw new Error(`PostgreSQL (process ${server.pid}) does not end`);
}

export type PostmasterPid = { readonly pid: number; readonly socketDirectory: string; readonly isReady: boolean };

/**
 * Reads what a running server writes about itself in `postmaster.pid`.
 * Line 1 is the process id, line 5 the socket's directory, line 8 the status. Undefined when there is no file, or when
 * it is incomplete.
 */
export async function readPostmasterPid(dataDir: string): Promise<PostmasterPid | undefined> {
  const directory = clusterDirectory(dataDir);
  const lines = (await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  const socket = lines[4] ?? '';
  return { pid, socketDirectory: socket === '.' ? directory : socket, isReady: lines[7]?.trim() === 'ready' };
}

/**
 * Removes lock files whose process id is not a server of ours.
 * PostgreSQL takes a lock file for valid while any process has that id: after a crash that may be a zombie that is
 * never reaped or, in a restarted container, another program. The caller holds the claim, so when none of our processes
 * runs, the file is stale. An id that no process has is left to PostgreSQL's own checks.
 */
async function removeForeignLocks(cluster: Cluster): Promise<void> {
  const found = await readPostmasterPid(cluster.dataDir);
  if (found === undefined || !signalIfAlive(found.pid, 0)) return;
  if ((await markedProcesses(cluster.mark)).length > 0) return;
  await rm(join(clusterDirectory(cluster.dataDir), 'postmaster.pid'), { force: true });
  await rm(join(found.socketDirectory, `.s.PGSQL.${PORT}.lock`), { force: true });
}

function serverArguments(cluster: Cluster, socketDirectory: string): string[] {
  const directory = clusterDirectory(cluster.dataDir);
  const settings = {
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: socketDirectory === directory ? '.' : socketDirectory,
    unix_socket_permissions: '0700',
    cluster_name: cluster.mark,
    max_connections: 100,
    shared_buffers: '128MB',
    // What was acknowledged is on disk. These are the defaults, set here in case postgresql.conf was changed.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    timezone: 'UTC',
    // To the service's log, without customers' data: no statement, no parameter, no DETAIL (which quotes values).
    log_destination: 'stderr',
    logging_collector: 'off',
    log_timezone: 'UTC',
    log_line_prefix: '%b|%e|',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_parameter_max_length: 0,
    log_statement: 'none',
    log_checkpoints: 'off',
  };
  return ['-D', nameFromInside(directory), ...settingArguments(settings)];
}

const LOG_LINE_LENGTH_MAX = 500;
const TROUBLE = new Set(['WARNING', 'ERROR', 'FATAL', 'PANIC']);

/**
 * Forwards the server's log: problems as warnings, the rest for debugging.
 * Errors in a client's own statement are left out: the client gets them and logs what it needs, and the text may quote
 * a customer's data. Returns a function that returns the last fatal message.
 */
function forwardLog(child: ChildProcess, log: Log): () => string | undefined {
  let lastFatal: string | undefined;
  if (child.stderr === null) return () => undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, backend, sqlState, level, message] = /^([^|]*)\|(\w{5})\|([A-Z]+):\s+(.*)$/.exec(line) ?? [];
    if (level === undefined || message === undefined) {
      // Before the settings are read, lines have the server's default form.
      lastFatal = /\bFATAL:\s+(.*)$/.exec(line)?.[1] ?? lastFatal;
      return;
    }
    if (backend === 'client backend' && level !== 'PANIC') return;
    const text = message.slice(0, LOG_LINE_LENGTH_MAX);
    if (level === 'FATAL') lastFatal = text;
    const fields = { backend, sql_state: sqlState, level: level.toLowerCase() };
    if (TROUBLE.has(level)) log.warn(fields, `postgres: ${text}`);
    else log.debug(fields, `postgres: ${text}`);
  });
  return () => lastFatal;
}
