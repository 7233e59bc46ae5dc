import { existsSync } from 'node:fs';
import { readdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { claimDataDir, DataDirInUse } from '@platen/embedded-postgres/data-dir';
import { codeOfError, type FileOwner, syncFolder, writeDurably } from './copy-file.ts';
import { isWithin } from './open-folder.ts';

/** Lies in a data directory from the first file that a restore writes until the last check of it. */
const UNFINISHED_RESTORE = 'restore-unfinished';
const MARK_TEXT = 'A restore into this folder has not finished. Run platen restore again: it begins anew.\n';

/** What an empty data directory may hold: locks of an earlier process, and what file systems make. */
const COUNTS_AS_EMPTY = /^((service|postgres)\.lock(\.pid|-journal)?|lost\+found)$/;

export type OpenTarget = {
  /** Whose the files are to be; root leaves them to the owner of the folder. */
  readonly owner: FileOwner;
  /** The restore is whole: a service may start here. */
  readonly finish: () => Promise<void>;
  readonly release: () => Promise<void>;
};

/**
 * Claims an empty data directory for a restore, made if it is missing.
 * What an interrupted restore left there is removed, but for the stored files, which are compared. Throws a one-line
 * Error when a service runs there, when there is anything else, and when the folder lies among the backups or within
 * another data directory.
 */
export async function openTarget(dataDir: string, backups: string): Promise<OpenTarget> {
  const directory = resolve(dataDir);
  await refuseInside(directory, backups);
  const names = await namesIn(directory);
  const others = names.filter((name) => !COUNTS_AS_EMPTY.test(name));
  const isOurs = others.length === 0 || others.includes(UNFINISHED_RESTORE);
  // Not to leave a lock in a folder of something else.
  if (!isOurs && !names.includes('service.lock')) throw new Error(notEmpty(directory));
  const claim = await claimDataDir(directory).catch((error: unknown) => {
    if (!(error instanceof DataDirInUse)) throw error;
    const holder = error.pid === undefined ? 'another process' : `process ${error.pid}`;
    throw new Error(`a service or a restore runs on ${directory} (${holder}): stop it, and ${ELSEWHERE}`, {
      cause: error,
    });
  });
  try {
    if (!isOurs) throw new Error(notEmpty(directory));
    const mark = join(directory, UNFINISHED_RESTORE);
    const { uid, gid } = await stat(directory);
    const owner = process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined;
    if (!existsSync(mark)) await writeDurably(mark, MARK_TEXT, owner);
    await syncFolder(directory);
    for (const name of others) {
      if (name !== UNFINISHED_RESTORE && name !== 'blobs') {
        await rm(join(directory, name), { recursive: true, force: true });
      }
    }
    return {
      owner,
      finish: async () => {
        await rm(mark);
        await syncFolder(directory);
      },
      release: claim.release,
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** What lies in a data directory goes into its next backup, what lies among backups ends with one. */
async function refuseInside(directory: string, backups: string): Promise<void> {
  let above = dirname(directory);
  while (!existsSync(above)) above = dirname(above);
  const real = await realpath(above);
  if (isWithin(await realpath(resolve(backups)), real)) {
    throw new Error(`${directory} lies in the folder of backups ${resolve(backups)}: ${ELSEWHERE} outside of it`);
  }
  for (let folder = real; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'service.lock'))) {
      throw new Error(`${directory} lies in the data directory ${folder}: ${ELSEWHERE} outside of it`);
    }
    if (folder === dirname(folder)) return;
  }
}

/** Throws a one-line Error when a restore into a data directory was interrupted. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, UNFINISHED_RESTORE))) return;
  throw new Error(`a restore into ${resolve(dataDir)} has not finished: run platen restore again, which begins anew`);
}

const ELSEWHERE = 'restore into an empty folder (--to)';

function notEmpty(directory: string): string {
  return `${directory} is not empty, and a restore replaces nothing: move it away, or ${ELSEWHERE}`;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (codeOfError(error) === 'ENOENT') return [];
    throw error;
  }
}
