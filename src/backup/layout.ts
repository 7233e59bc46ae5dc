import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

// A folder of backups:
//
//   platen-backups            marks the folder as ours
//   blobs/ab/cd/abcd…         the stored files of all backups, each once
//   erasures/                 the newest copy of the ledger of erasures and its key, for all backups
//   2026-11-22T18-00-00.000Z/ a backup, whole
//     backup.json             what it is of
//     database/               the cluster, with the write-ahead log that makes it whole
//     data/                   what else the data directory holds: secret.key, postgres-password
//     BLOBS.sha256            the stored files that belong to it, in the order of their hashes
//     FILES.sha256            every other file; written last
//   unfinished-…/             one that was interrupted, or is being removed

/** The file that marks a folder of backups. */
export const MARK_FILE = 'platen-backups';
export const FACTS_FILE = 'backup.json';
export const FILES_LIST = 'FILES.sha256';
export const BLOBS_LIST = 'BLOBS.sha256';
export const DATABASE_FOLDER = 'database';
export const DATA_FOLDER = 'data';
export const BLOBS_FOLDER = 'blobs';
/** The name begins so from the first file to the last, and again before the first is removed. */
export const UNFINISHED_PREFIX = 'unfinished-';

/** What a backup is of; `backup.json`. Times are the database's. */
export type BackupFacts = {
  readonly format: 1;
  readonly name: string;
  readonly began_at: string;
  /** The moment whose state a restore brings back: all that was committed before is in it. */
  readonly taken_at: string;
  readonly platen: string;
  readonly postgres: string;
  readonly system_identifier: string;
  readonly start_lsn: string;
  readonly stop_lsn: string;
  readonly database_bytes: number;
  /** The folders of the cluster: several are empty, and get lost where only files are kept. */
  readonly database_folders: readonly string[];
  readonly blobs: number;
  readonly blob_bytes: number;
  /** Stored files of the service whose bytes were not those of their name; they are not in the backup. */
  readonly damaged_blobs: readonly string[];
  /** Whether `data/secret.key` is the key of the service, or SECRET_KEY was set and is not in the backup. */
  readonly secret_key: 'in the backup' | 'in SECRET_KEY';
  /** Tells whether a key is the one of the backup; see `secretKeyCheck`. */
  readonly secret_key_check: string;
  /** The ids of all keys that its data needs; absent in a backup by an earlier version. */
  readonly secret_key_ids?: readonly string[];
};

/** A backup that is whole. */
export type Backup = { readonly folder: string; readonly facts: BackupFacts };

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/** The name of a backup that began at a time. */
export function backupName(beganAt: Date): string {
  return beganAt.toISOString().replaceAll(':', '-');
}

/** The names of the whole backups of a folder, oldest first. */
export async function listBackupNames(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => NAME.test(name)).toSorted();
}

/** Reads what all whole backups of a folder are of, oldest first; throws as `readBackup`. */
export async function listBackups(dir: string): Promise<Backup[]> {
  return Promise.all((await listBackupNames(dir)).map((name) => readBackup(join(dir, name))));
}

/** Reads what a backup is of; throws an Error that names the file when it cannot be read. */
export async function readBackup(folder: string): Promise<Backup> {
  const path = join(folder, FACTS_FILE);
  try {
    const facts = JSON.parse(await readFile(path, 'utf8')) as Partial<BackupFacts>;
    if (!isFacts(facts)) throw new Error('it is not of a version that this one knows');
    return { folder, facts };
  } catch (error) {
    throw new Error(`${path} is damaged or missing; move its folder away to go on without that backup`, {
      cause: error,
    });
  }
}

function isFacts(facts: Partial<BackupFacts>): facts is BackupFacts {
  const texts = [facts.name, facts.postgres, facts.system_identifier, facts.stop_lsn, facts.secret_key_check];
  return (
    facts.format === 1 &&
    texts.every((text) => typeof text === 'string') &&
    !Number.isNaN(Date.parse(facts.taken_at ?? '')) &&
    typeof facts.database_bytes === 'number' &&
    typeof facts.blobs === 'number' &&
    Array.isArray(facts.database_folders) &&
    (facts.secret_key_ids === undefined || Array.isArray(facts.secret_key_ids)) &&
    (facts.secret_key === 'in the backup' || facts.secret_key === 'in SECRET_KEY')
  );
}
