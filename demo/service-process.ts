import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { howItEnded } from '../test/harness/how-it-ended.ts';

/** A `platen serve` in a process of its own, and the commands on its data. */
export type ServiceProcess = {
  readonly url: string;
  readonly dataDir: string;
  /** Runs a `platen` command and returns the object that it prints. Throws an Error with the command's own line. */
  readonly command: <Result>(args: readonly string[]) => Promise<Result>;
  /**
   * Asks it to drain and waits until it is gone; safe to repeat. Throws unless it ended with status 0, or had been
   * lost before.
   */
  readonly stop: () => Promise<void>;
};

const PROGRAM = fileURLToPath(new URL('../src/bin/platen.js', import.meta.url));
/** Jobs under way end first; a print file is a matter of a second or two. */
const STOP_TIMEOUT_MS = 10_000;
const LAST_WORDS_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 20_000;
const COMMAND_BYTES_MAX = 1024 * 1024;

/**
 * What the service's process inherits. No setting of the operator is among it, and its working directory is the scratch
 * folder, where no `.env` lies: a demo must not place its order on a real database.
 */
const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'TZ',
  'LD_LIBRARY_PATH',
  'NODE_COMPILE_CACHE',
];

/**
 * Starts the service with its data in `folder` on a free port and returns once it takes requests. If it ends by itself,
 * `ended` is aborted with an Error that says so.
 */
export async function startServiceProcess(options: {
  ended: AbortController;
  folder: string;
  settings: Readonly<Record<string, string>>;
  onLogLine: (line: string) => void;
}): Promise<ServiceProcess> {
  const { ended, folder } = options;
  const dataDir = join(folder, 'data');
  const env = { ...inheritedEnvironment(), ...options.settings, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' };
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A Ctrl-C reaches every process of the terminal's group, and the service takes a second signal for impatience.
    detached: true,
  });
  const exited = exitOf(child);
  let life: 'running' | 'stopping' | 'lost' = 'running';
  const lose = (error: unknown): void => {
    if (life !== 'running') return;
    life = 'lost';
    ended.abort(error);
  };
  exited.then((status) => lose(new Error(`the service ended by itself with ${status}`)), lose);
  createInterface({ input: child.stderr }).on('line', options.onLogLine);
  const stop = async (): Promise<void> => {
    if (life === 'lost') return;
    life = 'stopping';
    await end(child, exited);
  };

  try {
    const port = await readPort(child, ended.signal);
    return {
      url: `http://127.0.0.1:${port}`,
      dataDir,
      command: (args) => runCommand(args, { cwd: folder, env, signal: ended.signal }),
      stop,
    };
  } catch (error) {
    // It cannot drain yet: how it ends says nothing that the error does not.
    await stop().catch(() => undefined);
    killGroup(child);
    throw error;
  }
}

function inheritedEnvironment(): Record<string, string> {
  const kept = INHERITED.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Record<string, string>;
}

/** How it ended, once its last words are read; a process of its own that outlives it may hold the pipe open. */
async function exitOf(child: ChildProcess & { stderr: Readable }): Promise<string> {
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  const inTime = AbortSignal.timeout(LAST_WORDS_TIMEOUT_MS);
  if (!child.stderr.readableEnded) await once(child.stderr, 'end', { signal: inTime }).catch(() => undefined);
  return status === null ? `signal ${signal}` : `status ${status}`;
}

/** The first line that `platen serve --json` prints comes when it takes requests. */
async function readPort(child: ChildProcess & { stdout: Readable }, signal: AbortSignal): Promise<number> {
  const [line] = (await once(createInterface({ input: child.stdout }), 'line', { signal })) as [string];
  return (JSON.parse(line) as { port: number }).port;
}

async function end(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const inTime = new AbortController();
  child.kill('SIGTERM');
  const status = await Promise.race([exited, sleep(STOP_TIMEOUT_MS, 'late', { signal: inTime.signal })]);
  inTime.abort();
  if (status === 'late') {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`the service did not stop within ${STOP_TIMEOUT_MS / 1_000} s and was killed`);
  }
  if (status !== 'status 0') throw new Error(`the service ended with ${status}`);
}

/** What it was in the middle of, such as making the database's files, is in its process group and ends with it. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}

async function runCommand<Result>(
  args: readonly string[],
  where: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<Result> {
  const limits = { timeout: COMMAND_TIMEOUT_MS, maxBuffer: COMMAND_BYTES_MAX };
  const beganMs = performance.now();
  const command = [PROGRAM, ...args, '--json'];
  const result = await promisify(execFile)(process.execPath, command, { ...where, ...limits }).catch(
    (error: unknown) => (where.signal.aborted ? asError(error) : failureOf(args, error, performance.now() - beganMs)),
  );
  if (result instanceof Error) throw result;
  return JSON.parse(result.stdout) as Result;
}

/** A process that ran has its exit status or signal in the error; any other error says by itself what it is. */
function failureOf(args: readonly string[], error: unknown, ms: number): Error {
  const { code, signal = null, stderr } = error as { code?: unknown; signal?: NodeJS.Signals | null; stderr?: string };
  const status = typeof code === 'number' ? code : null;
  if (stderr === undefined || (status === null && signal === null)) return asError(error);
  return new Error(
    `platen ${args.join(' ')}: ${howItEnded({ status, signal, stderr, ms, timeoutMs: COMMAND_TIMEOUT_MS })}`,
  );
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
