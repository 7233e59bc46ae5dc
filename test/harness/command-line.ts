import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from './database.ts';
import type { CommandResult, Environment } from './environment.ts';
import { openCommandShell } from './open-shell.ts';
import { openSecondConnection, type SecondConnection } from './second-connection.ts';

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
