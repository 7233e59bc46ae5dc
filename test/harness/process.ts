import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type CommandResult, type Environment, environment } from './environment.ts';
import { howItEnded } from './how-it-ended.ts';
import { closeIdleConnections } from './idle-connections.ts';
import { type CommandShell, openCommandShell } from './open-shell.ts';

const PROGRAM = fileURLToPath(new URL('../../src/bin/platen.js', import.meta.url));

/** A started service says that it is ready within this time, on a busy machine and with a cluster to be made. */
const START_TIMEOUT_MS = 120_000;
/** Longer than the service's own grace when it drains. */
const STOP_TIMEOUT_MS = 40_000;
/** A command hangs that takes longer, however busy the machine is. */
const COMMAND_TIMEOUT_MS = 240_000;

/**
 * Runs a `platen` command in a process of its own, with these settings and none of the test's, to its end. `stderr` of
 * one that failed is never empty: tests show it as their reason.
 */
export async function runPlaten(
  args: readonly string[],
  env: Environment,
  input = '',
  timeoutMs = COMMAND_TIMEOUT_MS,
): Promise<CommandResult> {
  const beganMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  child.stdin.on('error', () => {}); // It may end before it has read its input; its status says more.
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
  const { exitCode: status, signalCode: signal } = child;
  const isSilent = status === null || (status !== 0 && stderr.trim() === '');
  if (!isSilent) return { status, stdout, stderr };
  const ending = howItEnded({ status, signal, stderr, ms: performance.now() - beganMs, timeoutMs });
  return { status, stdout, stderr: `platen ${args.join(' ')} ${ending}\n` };
}

/**
 * Runs a `platen` command as `runPlaten`, in the one process that runs those of this test. For what a test does by a
 * command, or asks by one; a test of a command itself has `runPlaten`.
 */
export function runCommand(args: readonly string[], env: Environment): Promise<CommandResult> {
  shell ??= openCommandShell();
  return shell.run(args, env);
}

let shell: CommandShell | undefined;

/** The one JSON object that a command printed, as `runCommand` runs it; throws what it said when it failed. */
export async function platenJson<Result>(args: readonly string[], env: Environment): Promise<Result> {
  const { status, stdout, stderr } = await runCommand([...args, '--json'], env);
  if (status !== 0) throw new Error(`platen ${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

export type ServiceProcess = {
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  /** What it has logged so far. */
  readonly logged: () => string;
  readonly isRunning: () => boolean;
  /** Asks it to end and returns its exit status once it has. */
  readonly stop: () => Promise<number | null>;
  /** Ends it the hard way and returns once it is gone. */
  readonly kill: () => Promise<void>;
};

/** What a service's process has to live with. */
export type Hardship = {
  /** A line of the shell before it starts, such as `ulimit -n 256`. */
  readonly before?: string;
  /** What the shell is started by, such as `unshare -rm`. */
  readonly under?: readonly string[];
  /** An open file that the log goes to, in place of a pipe that is read. */
  readonly logFd?: number;
};

/**
 * Starts `platen serve` in a process of its own and returns once it is ready. Throws what it said when it ends
 * before.
 */
export async function startServiceProcess(
  env: Environment,
  args: readonly string[] = [],
  { before = ':', under = [], logFd }: Hardship = {},
): Promise<ServiceProcess> {
  const command = [process.execPath, PROGRAM, 'serve', '--json', ...args];
  // Each gives its place to the next, so that the process id is the service's own.
  const [program = '', ...rest] = [...under, '/bin/sh', '-c', `${before} && exec "$@"`, 'sh', ...command];
  const beganMs = performance.now();
  const child = spawn(program, rest, { env: environment(env), stdio: ['ignore', 'pipe', logFd ?? 'pipe'] });
  const { stdout } = child;
  if (stdout === null) throw new Error('the service has no standard output');
  let logged = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    logged += chunk;
  });
  const gone = ended(child);
  const started = new AbortController();
  const line = await Promise.race([
    once(createInterface({ input: stdout }), 'line').then(([first]) => String(first)),
    gone.then(() => undefined),
    rejectAfter(START_TIMEOUT_MS, child, { what: 'start', said: () => logged, over: started.signal }),
  ]);
  // From here on it may run for as long as its test does.
  started.abort();
  if (line === undefined) {
    const { exitCode: status, signalCode: signal } = child;
    const ending = { status, signal, stderr: logged, ms: performance.now() - beganMs, timeoutMs: START_TIMEOUT_MS };
    throw new Error(`platen serve ended with ${status ?? signal}: ${howItEnded(ending)}`);
  }
  const { port } = JSON.parse(line) as { port: number };
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    port,
    logged: () => logged,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      closeIdleConnections();
      child.kill('SIGTERM');
      await Promise.race([gone, rejectAfter(STOP_TIMEOUT_MS, child, { what: 'stop', said: () => logged })]);
      return child.exitCode;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** A port that was free a moment ago, for a service that must come back on the same one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  return address.port;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Ends the process and fails after a time; the timer keeps nothing alive. */
function rejectAfter(
  timeoutMs: number,
  child: ChildProcess,
  { what, said, over }: { what: 'start' | 'stop'; said: () => string; over?: AbortSignal },
): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      const words = said().trim();
      const log = words === '' ? 'it logged nothing' : `it logged: ${words}`;
      reject(new Error(`platen serve did not ${what} within ${timeoutMs / 1_000} s; ${log}`));
    }, timeoutMs);
    timer.unref();
    child.once('exit', () => clearTimeout(timer));
    over?.addEventListener('abort', () => clearTimeout(timer));
  });
}
