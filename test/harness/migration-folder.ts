import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { scratchParent } from './scratch.ts';

const OURS = fileURLToPath(new URL('../../migrations', import.meta.url));
const PROGRAM = fileURLToPath(new URL('migrate-here.ts', import.meta.url));

/** A folder with the migrations of this checkout, or its first ones, and others behind them. */
export type MigrationFolder = {
  readonly path: string;
  readonly url: URL;
  /** The names of those that were put behind ours, in their order. */
  readonly names: readonly string[];
  readonly remove: () => Promise<void>;
};

/** Makes a folder of migrations; the texts behind ours take the next numbers. */
export async function makeMigrationFolder(
  texts: readonly string[],
  through = Number.POSITIVE_INFINITY,
): Promise<MigrationFolder> {
  const path = await mkdtemp(join(scratchParent(), 'platen-migrations-'));
  const ours = (await readdir(OURS))
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .slice(0, through);
  for (const name of ours) await cp(join(OURS, name), join(path, name));
  const names = texts.map((_, index) => `${String(ours.length + index + 1).padStart(4, '0')}-of-a-test.sql`);
  for (const [index, name] of names.entries()) await writeFile(join(path, name), texts[index] ?? '');
  return {
    path,
    url: pathToFileURL(`${path}/`),
    names,
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** A process that applies a folder of migrations. */
export type Migrator = {
  readonly child: ChildProcess;
  /** Its exit status and what it printed, once it has ended. */
  readonly ended: Promise<{ status: number | null; stdout: string; stderr: string }>;
  /** Ends it the hard way. */
  readonly kill: () => Promise<void>;
};

/** Starts a process that applies a folder of migrations to a database. */
export function startMigrator(databaseUrl: string, folder: MigrationFolder): Migrator {
  const child = spawn(process.execPath, [PROGRAM, databaseUrl, folder.path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const ended = Promise.all([text(child.stdout), text(child.stderr), exit]).then(([stdout, stderr]) => ({
    status: child.exitCode,
    stdout,
    stderr,
  }));
  return {
    child,
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
