import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterDirectory } from '@platen/embedded-postgres';
import type { DatabaseAddress } from '../lib/db.ts';
import { LEDGER_FOLDER } from '../privacy/ledger/ledger-file.ts';
import { type BackupEnd, type BackupSession, startBackupSession } from './backup-session.ts';
import { type BlobCopy, type BlobReport, copyBlobsAfter, copyBlobsBefore } from './copy-blobs.ts';
import { type CopiedFile, completeCluster, copyClusterFiles } from './copy-cluster.ts';
import { copyFile, makeFolder, syncFolder, writeDurably } from './copy-file.ts';
import { copyLedger } from './copy-ledger.ts';
import {
  type BackupFacts,
  BLOBS_FOLDER,
  BLOBS_LIST,
  backupName,
  DATA_FOLDER,
  DATABASE_FOLDER,
  FACTS_FILE,
  FILES_LIST,
  UNFINISHED_PREFIX,
} from './layout.ts';
import { type ListedFile, writeList } from './lists.ts';
import { openBackupFolder } from './open-folder.ts';
import type { Progress } from './progress.ts';
import { type RemovedBackups, removeBackups, removeUnfinished, removeUnusedBlobs } from './remove-old.ts';
import { secretKeyCheck } from './secret-key.ts';

/** What to copy: the embedded database and the folder of the stored files. */
export type BackupSource = {
  readonly address: DatabaseAddress;
  readonly dataDir: string;
  /** `files` of the blob store. */
  readonly blobFiles: string;
  /** The folder of the ledger of erasures. */
  readonly ledger: string;
  readonly secretKey: string;
  readonly isKeySet: boolean;
  /** Tells the ids of all keys that the data needs; undefined where the database does not note them. */
  readonly keyIds: () => Promise<readonly string[] | undefined>;
  readonly platenVersion: string;
};

export type BackupReport = {
  readonly folder: string;
  readonly facts: BackupFacts;
  readonly copied: { readonly blobs: number; readonly bytes: number };
  readonly removed: { readonly backups: readonly string[]; readonly blobs: number };
} & Pick<RemovedBackups, 'doubted' | 'datedLater'>;

/**
 * From the first look at the stored files to the last.
 * What came in between must be younger than what the collection deletes (a day unused).
 */
const BLOBS_WITHIN_MS = 20 * 3_600_000;

/**
 * Takes a backup of a running database and its stored files into a folder of backups (ADR 0027).
 * All that was committed when the server left backup mode is in it. It has its name only once every file is on the
 * disk, so an interrupted one is never taken for whole; the next call removes it and keeps the stored files that it
 * copied. Then removes the backups taken more than `keepDays` ago, as far as the clock can be believed, and their
 * stored files; never the newest.
 * Throws one-line Errors, `WrongFolder` for a folder that is not for backups.
 */
export async function takeBackup(
  source: BackupSource,
  options: { readonly dir: string; readonly keepDays: number; readonly progress: Progress },
): Promise<BackupReport> {
  const { dir, keepDays, progress } = options;
  const claim = await openBackupFolder(dir, [source.dataDir, source.blobFiles]);
  try {
    const wasInterrupted = await removeUnfinished(dir);
    const unfinished = join(dir, `${UNFINISHED_PREFIX}${randomUUID()}`);
    let taken: Taken;
    try {
      taken = await copyAll(source, { from: source.blobFiles, dir, unfinished }, progress);
    } catch (error) {
      // A full disk gets its room back.
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    }
    const folder = join(dir, taken.facts.name);
    await rename(unfinished, folder);
    await syncFolder(dir);
    // Last: an older backup is erased by it, too, when it is restored.
    await copyLedger(source.ledger, join(dir, LEDGER_FOLDER));
    progress.begin('Removing what is too old');
    const old = await removeBackups(dir, { now: new Date(taken.facts.taken_at), keepDays });
    const blobs = old.removed.length > 0 || wasInterrupted ? await removeUnusedBlobs(dir) : 0;
    const { doubted, datedLater } = old;
    const removed = { backups: old.removed, blobs };
    return { folder, facts: taken.facts, copied: taken.copied, removed, doubted, datedLater };
  } finally {
    progress.end();
    await claim.release();
  }
}

type Taken = Pick<BackupReport, 'facts' | 'copied'>;

async function copyAll(source: BackupSource, copy: BlobCopy, progress: Progress): Promise<Taken> {
  const { unfinished } = copy;
  await makeFolder(unfinished);
  await makeFolder(join(copy.dir, BLOBS_FOLDER));
  const copied = { blobs: 0, bytes: 0 };
  const onBlob = (bytes: number): void => {
    copied.blobs += 1;
    copied.bytes += bytes;
    progress.add(bytes);
  };
  const beganMs = performance.now();
  progress.begin('Copying the stored files');
  await copyBlobsBefore(copy, onBlob);
  const database = await copyDatabase(source, unfinished, progress);
  progress.begin('Copying the stored files that came since');
  const blobs = await copyBlobsAfter(copy, onBlob);
  if (performance.now() - beganMs > BLOBS_WITHIN_MS) throw new Error(TOO_SLOW);
  const data = await copyDataFiles(source.dataDir, join(unfinished, DATA_FOLDER));
  if (!source.isKeySet && !data.some(({ path }) => path === 'secret.key')) {
    throw new Error(`${source.dataDir} has no secret.key, and SECRET_KEY is not set: nothing could be unsealed again`);
  }
  // After the copy of the database, which is of an earlier moment: what it needs is among these.
  const facts = describe(source, database, blobs, await source.keyIds());
  const listed = [
    ...database.files.map(({ path, sha256 }) => ({ sha256, path: `${DATABASE_FOLDER}/${path}` })),
    ...data.map(({ path, sha256 }) => ({ sha256, path: `${DATA_FOLDER}/${path}` })),
    { sha256: blobs.list.sha256, path: BLOBS_LIST },
    await writeFacts(unfinished, facts),
  ];
  // What the last file names is on the disk before it, folders and all.
  for (const folder of await foldersIn(unfinished)) await syncFolder(folder);
  const list = await writeList(join(unfinished, FILES_LIST));
  try {
    for (const file of listed) await list.add(file);
  } finally {
    await list.end();
  }
  await syncFolder(unfinished);
  return { facts, copied };
}

const TOO_SLOW =
  'the stored files took longer than 20 hours, in which some may have been deleted; run it again: most are copied by now';

type CopiedDatabase = {
  readonly files: readonly CopiedFile[];
  readonly folders: readonly string[];
  readonly session: Pick<BackupSession, 'server' | 'beganAt' | 'startLsn'>;
  readonly end: BackupEnd;
};

async function copyDatabase(source: BackupSource, unfinished: string, progress: Progress): Promise<CopiedDatabase> {
  const cluster = clusterDirectory(source.dataDir);
  const to = join(unfinished, DATABASE_FOLDER);
  await makeFolder(to);
  progress.begin('Waiting for a checkpoint');
  const session = await startBackupSession(source.address, 'platen backup');
  try {
    progress.begin('Copying the database');
    const { files, folders } = await copyClusterFiles(cluster, to, progress.add);
    const end = await session.stop();
    const log = await completeCluster(session, end, cluster, to);
    return { files: [...files, ...log], folders, session, end };
  } finally {
    await session.close();
  }
}

// Of a process, of others, or made anew; `postgres`, the stored files and the ledger of erasures are copied by their
// own rules.
const NOT_COPIED =
  /^(postgres|postgres-new-.*|postgres-before-.*|postgres-upgrade.*|blobs|erasures|sandbox|artwork-dev|drop|lost\+found|.*\.lock(\.pid)?|.*\.lock-journal)$/;

/** Copies what else the data directory holds: the keys, and files of parts that this one does not know. */
async function copyDataFiles(dataDir: string, to: string): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = [];
  const copyFolder = async (folder: string): Promise<void> => {
    await makeFolder(join(to, folder));
    const entries = await readdir(join(dataDir, folder), { withFileTypes: true });
    // `secret.key` before `secret.key.old`, which an exchange writes before it: so each key is in one of the copies.
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (NOT_COPIED.test(path)) continue;
      if (entry.isDirectory()) await copyFolder(path);
      else if ((await stat(join(dataDir, path))).isFile()) {
        const copy = await copyFile(join(dataDir, path), join(to, path));
        if (copy !== undefined) copied.push({ path, ...copy });
      }
    }
  };
  await copyFolder('');
  return copied;
}

function describe(
  source: BackupSource,
  { files, folders, session, end }: CopiedDatabase,
  blobs: BlobReport,
  keyIds: readonly string[] | undefined,
): BackupFacts {
  const name = backupName(session.beganAt);
  return {
    format: 1,
    name,
    began_at: session.beganAt.toISOString(),
    taken_at: end.takenAt.toISOString(),
    platen: source.platenVersion,
    postgres: session.server.version,
    system_identifier: session.server.systemIdentifier,
    start_lsn: session.startLsn,
    stop_lsn: end.stopLsn,
    database_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    database_folders: folders,
    blobs: blobs.blobs,
    blob_bytes: blobs.bytes,
    damaged_blobs: blobs.damaged,
    secret_key: source.isKeySet ? 'in SECRET_KEY' : 'in the backup',
    secret_key_check: secretKeyCheck(name, source.secretKey),
    ...(keyIds === undefined ? {} : { secret_key_ids: keyIds }),
  };
}

async function writeFacts(unfinished: string, facts: BackupFacts): Promise<ListedFile> {
  const { sha256 } = await writeDurably(join(unfinished, FACTS_FILE), `${JSON.stringify(facts, undefined, 2)}\n`);
  return { sha256, path: FACTS_FILE };
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
}
