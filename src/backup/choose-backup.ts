import { join } from 'node:path';
import { type Backup, listBackupNames, readBackup } from './layout.ts';
import { checkBackupFolder, WrongFolder } from './open-folder.ts';

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?)?$/;

/**
 * Chooses a backup of a folder.
 * The newest, the one with a name, or the last that was taken up to a time. A time without a zone is in UTC. Throws
 * `WrongFolder` when there is none.
 */
export async function chooseBackup(dir: string, at: string | undefined): Promise<Backup> {
  const folder = await checkBackupFolder(dir);
  const names = await listBackupNames(folder);
  const newest = names.at(-1);
  if (newest === undefined) throw new WrongFolder(`${folder} holds no backup that is whole`);
  if (at === undefined || names.includes(at)) return readBackup(join(folder, at ?? newest));
  const time = TIME.test(at) ? Date.parse(at.length > 10 && !at.endsWith('Z') ? `${at}Z` : at) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new WrongFolder(`--at ${at} is neither a time nor one of the backups: ${names.join(', ')}`);
  }
  // From the newest back, so that a damaged one matters only where it might be the one.
  for (const name of names.toReversed()) {
    const backup = await readBackup(join(folder, name));
    if (Date.parse(backup.facts.taken_at) <= time) return backup;
  }
  throw new WrongFolder(`there is no backup of ${at} or before; there are ${names.join(', ')}`);
}
