import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AskedCommand } from './command-shell.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { howItEnded } from './how-it-ended.ts';
import { type CommandResult, type Environment, environment } from './process.ts';
import { openSecondConnection, type SecondConnection } from './second-connection.ts';

const SHELL = fileURLToPath(new URL('command-shell.ts', import.meta.url));
const COMMAND_TIMEOUT_MS = 60_000;

/**
 * One process that runs `platen` commands one after another: a process of its own for each takes half a second of a
 * processor. Each has the settings that it is given and none of the test's.
 */
export type CommandShell = {
  readonly run: (args: readonly string[], env: Environment, input?: string) => Promise<CommandResult>;
  readonly close: () => Promise<void>;
};

/** Starts with the first command; what a command leaves open shows as a `close` that does not return. */
export function openCommandShell(): CommandShell {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const run = async (asked: AskedCommand): Promise<CommandResult> => {
    child ??= fork(SHELL, { env: environment({}), stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    const shell = child;
    const beganMs = performance.now();
    const watchdog = setTimeout(() => shell.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
    const gone = new AbortController();
    try {
      shell.send(asked);
      const [result] = await Promise.race([
        once(shell, 'message', gone) as Promise<[CommandResult]>,
        once(shell, 'exit', gone).then(async () => {
          const { exitCode: status, signalCode: signal } = shell;
          const stderr = shell.stderr === null ? '' : await text(shell.stderr);
          const ending = { status, signal, stderr, ms: performance.now() - beganMs, timeoutMs: COMMAND_TIMEOUT_MS };
          throw new Error(`platen ${asked.args.join(' ')} ${howItEnded(ending)}`);
        }),
      ]);
      return result;
    } finally {
      clearTimeout(watchdog);
      gone.abort();
    }
  };
  return {
    run: (args, env, input = '') => {
      const result = last.then(() => run({ args, env, input }));
      last = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      await last;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const shell = child;
      const ended = once(shell, 'exit');
      shell.disconnect();
      await ended;
    },
  };
}

/** Runs commands that end before they need a database, such as those with a wrong argument. */
export async function runManyCommands(
  commands: readonly (readonly string[])[],
  env: Environment,
): Promise<readonly CommandResult[]> {
  const shell = openCommandShell();
  try {
    return await Promise.all(commands.map((args) => shell.run(args, env)));
  } finally {
    await shell.close();
  }
}

/** A migrated database without data, and a shell of which each command works on it. */
export type CommandLine = {
  readonly env: Environment;
  readonly database: TestDatabase;
  readonly second: SecondConnection;
  /** With other settings where they are given. */
  readonly run: (args: readonly string[], input?: string, env?: Environment) => Promise<CommandResult>;
  /** The one JSON object that a command printed; throws what it said when it failed. */
  readonly json: <Result>(args: readonly string[], input?: string) => Promise<Result>;
  readonly close: () => Promise<void>;
};

export async function openCommandLine(): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-commands-'));
  const database = await createTestDatabase();
  const second = await openSecondConnection(database);
  const shell = openCommandShell();
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'one key for all commands of this test',
    DATA_DIR: join(folder, 'data'),
  };
  return {
    env,
    database,
    second,
    run: (args, input, others) => shell.run(args, others ?? env, input),
    json: async <Result>(args: readonly string[], input?: string) => {
      const { status, stdout, stderr } = await shell.run([...args, '--json'], env, input);
      if (status !== 0) throw new Error(`platen ${args.join(' ')} ended with ${status}: ${stderr}`);
      return JSON.parse(stdout) as Result;
    },
    close: async () => {
      await shell.close();
      await second.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ended with this status, one line on standard error that holds these words, and nothing on standard output. */
export function assertOneLine(result: CommandResult, status: number, ...words: string[]): void {
  assert.equal(result.status, status, result.stderr);
  assert.match(result.stderr, /^platen: [^\n]+\n$/);
  for (const word of words) assert.ok(result.stderr.includes(word), `${word} in: ${result.stderr}`);
  assert.equal(result.stdout, '');
}
