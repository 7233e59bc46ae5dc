import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reasonOf } from './reason.ts';

export type Claim = { readonly release: () => Promise<void> };

/**
 * Another process holds the data directory.
 * `pid` is the holder's, if it has written it; the message is one line.
 */
export class DataDirInUse extends Error {
  override name = 'DataDirInUse';
  readonly dataDir: string;
  readonly pid: number | undefined;

  constructor(dataDir: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(
      `The data directory ${dataDir} is in use by ${holder}; stop it first, or set DATA_DIR to a directory of its own`,
    );
    this.dataDir = dataDir;
    this.pid = pid;
  }
}

/**
 * Makes the data directory (mode 0700, parents too) and claims it for this process until `release`.
 * The claim ends with the process at the latest, however it ends. Throws `DataDirInUse` when another service has it,
 * and a one-line `Error` when it cannot be used.
 */
export async function claimDataDir(dataDir: string): Promise<Claim> {
  return claimPart(dataDir, 'service');
}

/**
 * Claims one part of a data directory, or a folder of backups, for this process.
 * Writes `<part>.lock` and, for a process that is refused, the process id in `<part>.lock.pid`. Throws as
 * `claimDataDir`. The lock is the kernel's own record lock on `<part>.lock`, which SQLite takes and which ends with its
 * holder. So there is no stale lock to judge, no process id that may be a later process's, and no race between two
 * starts, and it holds between containers that share a volume. Nothing else in this process may open `<part>.lock`:
 * closing any other descriptor of a file releases the record locks on it.
 */
export async function claimPart(dataDir: string, part: 'service' | 'postgres' | 'backup' | 'secrets'): Promise<Claim> {
  const directory = resolve(dataDir);
  await usable(directory, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  const lockFile = join(directory, `${part}.lock`);
  const pidFile = join(directory, `${part}.lock.pid`);
  const lock = await usable(directory, () => lockedFile(lockFile));
  if (lock === undefined) throw new DataDirInUse(directory, await pidIn(pidFile));
  // The lock ends with its object, so the object must not be garbage-collected.
  held.add(lock);
  const release = async (): Promise<void> => {
    if (!held.delete(lock)) return;
    await rm(pidFile, { force: true });
    lock.close();
  };
  try {
    await usable(directory, async () => {
      await chmod(lockFile, 0o600);
      if (process.getuid?.() === 0) await leaveToOwner(directory, lockFile);
      await rm(pidFile, { force: true });
      await writeFile(pidFile, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
    });
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

const held = new Set<DatabaseSync>();

/** SQLite's result code for a lock that another process holds. */
const SQLITE_BUSY = 5;

function lockedFile(path: string): DatabaseSync | undefined {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is ever written, and there is no journal beside the file.
    file.exec('pragma journal_mode = memory; begin exclusive');
    return file;
  } catch (error) {
    file.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

async function usable<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    throw new Error(
      `The data directory ${directory} cannot be used (${reason}); run as the user it belongs to, or set DATA_DIR to another`,
      { cause: error },
    );
  }
}

/**
 * Gives the lock file to the owner of the directory.
 * After one run by root, the owner can still claim it.
 */
async function leaveToOwner(directory: string, file: string): Promise<void> {
  const { uid, gid } = await stat(directory);
  await chown(file, uid, gid);
}

async function pidIn(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}
