import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Claim, claimPart, DataDirInUse } from '@platen/embedded-postgres/data-dir';
import { messageOf } from '../lib/error-message.ts';
import { codeOfError, makeFolder, syncFolder, writeDurably } from './copy-file.ts';
import { MARK_FILE } from './layout.ts';

/** A folder cannot be used for what a command was asked to do: a wrong argument. */
export class WrongFolder extends Error {
  override name = 'WrongFolder';
}

const MARK_TEXT = 'Backups by platen backup. They hold customers’ data and secrets.\n';

/**
 * Opens a folder for a new backup, made if it is missing, and claims it until `release`.
 * Throws `WrongFolder` for one with anything in it that no backup made, and one within the data that it is a backup of;
 * an Error while another backup into it runs.
 */
export async function openBackupFolder(dir: string, sources: readonly string[]): Promise<Claim> {
  const folder = resolve(dir);
  try {
    await makeFolder(folder);
    const names = await readdir(folder);
    if (names.length > 0 && !names.includes(MARK_FILE)) {
      throw new WrongFolder(`${folder} holds files that no backup made: name an empty folder`);
    }
    const real = await realpath(folder);
    for (const source of sources) {
      if (isWithin(await realpath(source).catch(() => resolve(source)), real)) {
        throw new WrongFolder(
          `${folder} lies in ${source}, with which it would be lost: name a folder on another disk`,
        );
      }
    }
    if (names.length === 0) {
      await writeDurably(join(folder, MARK_FILE), MARK_TEXT);
      await syncFolder(folder);
    }
  } catch (error) {
    if (error instanceof WrongFolder) throw error;
    throw new WrongFolder(`${folder} cannot be used for backups: ${messageOf(error)}`);
  }
  try {
    return await claimPart(folder, 'backup');
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    const holder = error.pid === undefined ? 'another process' : `process ${error.pid}`;
    throw new Error(`a backup into ${folder} runs already (${holder}): wait for its end`, { cause: error });
  }
}

/** Checks that a folder holds backups; throws `WrongFolder` when it does not. */
export async function checkBackupFolder(dir: string): Promise<string> {
  const folder = resolve(dir);
  try {
    await readFile(join(folder, MARK_FILE));
    return folder;
  } catch (error) {
    const reason = codeOfError(error) === 'ENOENT' ? `it has no file ${MARK_FILE}` : messageOf(error);
    throw new WrongFolder(`${folder} is no folder of backups: ${reason}`);
  }
}

/** Whether a folder is another, or lies in it; both are real paths. */
export function isWithin(parent: string, folder: string): boolean {
  const path = relative(parent, folder);
  return path === '' || !(path === '..' || path.startsWith('../'));
}
