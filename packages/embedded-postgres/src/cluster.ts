import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RunAs } from './install.ts';
import { reasonOf } from './reason.ts';

/** The only superuser, and the service's database. */
export const USER = 'platen';
export const DATABASE = 'platen';

/** The version of PostgreSQL whose clusters the programs can run. */
export const MAJOR_VERSION = '18';

/** What is needed to run a program on a cluster. */
export type Cluster = {
  readonly dataDir: string;
  /** The directory with `bin/postgres`. */
  readonly programs: string;
  readonly runAs: RunAs;
  readonly mark: string;
  /** The major version that the programs run. */
  readonly major: string;
};

/** Returns where the files of a data directory's cluster are. */
export function clusterDirectory(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/**
 * Returns how a cluster's programs, which are started in its directory, address that directory.
 * On Linux by the link to a process's working directory: the server's user then needs no access to the directories
 * above (root's 0700 home).
 */
export function nameFromInside(directory: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : directory;
}

/**
 * Makes the cluster, the superuser and the database where they are missing, and returns the password.
 * The superuser's password is kept in `postgres-password` (0600); a lost file is replaced. Removes what an interrupted
 * start left. A finished cluster is never removed: it is made under another name and renamed when it is complete.
 * Throws a one-line `Error` for a cluster of another major version, for files that are no cluster, and when
 * PostgreSQL's programs fail. The caller holds the claim and has ended every process of the cluster.
 */
export async function prepareCluster(cluster: Cluster, onProgress: (line: string) => void): Promise<string> {
  await removeUnfinished(cluster.dataDir);
  const known = await readPassword(cluster.dataDir);
  const password = known ?? randomBytes(24).toString('base64url');
  if (await hasCluster(cluster)) {
    await adopt(cluster);
    if (known === undefined) await runSql(cluster, clusterDirectory(cluster.dataDir), setPassword(password));
  } else {
    onProgress('Making the database for the first start');
    await makeCluster(cluster, password);
  }
  if (known === undefined) await writePassword(cluster.dataDir, password);
  return password;
}

/** Reads the password of an existing cluster; undefined when there is none. */
export async function readPassword(dataDir: string): Promise<string | undefined> {
  const password = (await readIfThere(join(dataDir, PASSWORD_FILE)))?.trim();
  return password === '' ? undefined : password;
}

const PASSWORD_FILE = 'postgres-password';
const UNFINISHED_PREFIX = 'postgres-new-';

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(UNFINISHED_PREFIX)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

/** The major version of a data directory's cluster; undefined when there is none. */
export async function readClusterVersion(dataDir: string): Promise<string | undefined> {
  return (await readIfThere(join(clusterDirectory(dataDir), 'PG_VERSION')))?.trim();
}

async function hasCluster({ dataDir, major }: Cluster): Promise<boolean> {
  const directory = clusterDirectory(dataDir);
  const version = await readClusterVersion(dataDir);
  if (version === major) return true;
  if (version !== undefined) {
    throw new Error(
      `${directory} holds data of PostgreSQL ${version} and this version runs ${major}; bring it over with platen upgrade-database, or set DATA_DIR to another directory`,
    );
  }
  const files = await readdir(directory).catch(() => []);
  if (files.length === 0) return false;
  throw new Error(
    `${directory} is not a PostgreSQL data directory and is not empty; move it away, or set DATA_DIR to another`,
  );
}

/** Gives files that root owns to the server's user, such as a backup that root restored. */
async function adopt(cluster: Cluster): Promise<void> {
  const directory = clusterDirectory(cluster.dataDir);
  if (cluster.runAs === undefined || (await stat(directory)).uid === cluster.runAs.uid) return;
  for (const entry of await readdir(directory, { recursive: true })) {
    await lchown(join(directory, entry), cluster.runAs.uid, cluster.runAs.gid);
  }
  // Last, so that an interrupted run is repeated.
  await chown(directory, cluster.runAs.uid, cluster.runAs.gid);
}

async function makeCluster(cluster: Cluster, password: string): Promise<void> {
  if (cluster.runAs === undefined) assertHasName();
  const directory = join(cluster.dataDir, `${UNFINISHED_PREFIX}${randomBytes(6).toString('hex')}`);
  await mkdir(directory, { mode: 0o700 });
  if (cluster.runAs !== undefined) await chown(directory, cluster.runAs.uid, cluster.runAs.gid);
  await run(cluster, 'initdb', directory, [
    `--pgdata=${nameFromInside(directory)}`,
    `--username=${USER}`,
    // Order by code point, and case rules for every script, the same on every machine.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    // No connection is accepted until the password is set below, so it never is in a file that the server's user reads.
    '--auth=reject',
    '--no-instructions',
    '--set',
    `cluster_name=${cluster.mark}`,
  ]);
  await runSql(cluster, directory, `${setPassword(password)}create database ${DATABASE};\n`);
  await writeFile(join(directory, 'pg_hba.conf'), 'local all all scram-sha-256\n', { flush: true });
  await syncDirectory(directory);
  await rename(directory, clusterDirectory(cluster.dataDir));
  await syncDirectory(cluster.dataDir);
}

/**
 * Refuses a user without a name, which initdb looks up and cannot do without.
 * In a container, `--user` may be a bare number.
 */
function assertHasName(): void {
  try {
    userInfo();
  } catch (error) {
    throw new Error(
      `PostgreSQL needs a user with a name, and user ${process.getuid?.()} has no line in /etc/passwd; run as a user that has one (root is fine), or set DATABASE_URL`,
      { cause: error },
    );
  }
}

/** The password is base64url, which has no character with a meaning in SQL. */
function setPassword(password: string): string {
  return `alter role ${USER} password '${password}';\n`;
}

/**
 * Runs statements, one a line, without a server.
 * No other client can be connected, and no password is needed.
 */
async function runSql(cluster: Cluster, directory: string, statements: string): Promise<void> {
  await run(
    cluster,
    'postgres',
    directory,
    [
      '--single',
      '-D',
      nameFromInside(directory),
      ...settingArguments({
        cluster_name: cluster.mark,
        exit_on_error: 'on',
        // A statement here contains the password.
        log_statement: 'none',
        log_min_error_statement: 'panic',
      }),
      'postgres',
    ],
    statements,
  );
}

/** Turns settings into command-line arguments, which override the cluster's files. */
export function settingArguments(settings: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const RUN_TIMEOUT_MS = 120_000;

async function run(
  cluster: Cluster,
  program: 'initdb' | 'postgres',
  directory: string,
  options: readonly string[],
  input = '',
): Promise<void> {
  const child = spawn(join(cluster.programs, 'bin', program), options, {
    ...cluster.runAs,
    cwd: directory,
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGINT',
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(reasonOf(error)));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit ${code}`)));
  });
  // A program that ends early closes its input; its exit status says more than the broken pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [failure, output] = await Promise.all([ended, text(child.stderr)]);
  if (failure === undefined) return;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const reason = lines.find((line) => /\b(error|ERROR|FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'it said nothing';
  throw new Error(`The database could not be prepared: ${program} failed (${failure}): ${reason}`);
}

/**
 * The environment of the server's programs: none of the service's secrets, no `PG…` of the operator's.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writePassword(dataDir: string, password: string): Promise<void> {
  const path = join(dataDir, PASSWORD_FILE);
  await rm(`${path}.new`, { force: true });
  await writeFile(`${path}.new`, `${password}\n`, { mode: 0o600, flush: true, flag: 'wx' });
  await rename(`${path}.new`, path);
  await syncDirectory(dataDir);
}

/** Flushes a directory, so that new and renamed entries survive a power cut. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
