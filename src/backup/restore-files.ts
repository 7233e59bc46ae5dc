import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { mapBounded } from '../lib/map-bounded.ts';
import { blobPath } from './blob-files.ts';
import { inStore } from './copy-blobs.ts';
import { copyFile, type FileOwner, makeFolder, readDigest, syncFolder } from './copy-file.ts';
import { type Backup, BLOBS_LIST, DATA_FOLDER, DATABASE_FOLDER, FILES_LIST } from './layout.ts';
import { type ListedFile, readList } from './lists.ts';
import type { Progress } from './progress.ts';

/** Where a backup is put back. */
export type RestoreTarget = {
  readonly dataDir: string;
  /** The folder of the database below it. */
  readonly cluster: string;
  /** The folder for the stored files; undefined: they are read where they are, and not copied. */
  readonly blobFiles: string | undefined;
  readonly owner: FileOwner;
};

/** How many files were read, and compared with their checksums. */
export type ReadReport = { readonly files: number; readonly blobs: number; readonly bytes: number };

/**
 * A backup lacks files, or has others than it says.
 * The message names the first few.
 */
export class BackupDamaged extends Error {
  override name = 'BackupDamaged';
}

const PROBLEMS_MAX = 10;
const FILES_AT_ONCE = 4;

/**
 * Copies the files of a backup into an empty data directory, and makes them durable.
 * Every file is compared with its checksum as it is read, also those that are not copied. Throws `BackupDamaged` when
 * one has changed, is missing or is unknown; then the copy must not be used.
 */
export async function restoreFiles(
  { folder, facts }: Backup,
  target: RestoreTarget,
  progress: Progress,
): Promise<ReadReport> {
  const problems = createProblems(folder);
  const listed: ListedFile[] = [];
  for await (const file of readList(join(folder, FILES_LIST))) listed.push(file);
  await compareNames(folder, listed, problems);
  problems.check();

  progress.begin('Copying the database');
  for (const path of facts.database_folders) await makeFolder(join(target.cluster, path), target.owner);
  const read = { files: 0, blobs: 0, bytes: 0 };
  await mapBounded(listed, FILES_AT_ONCE, async ({ path, sha256 }) => {
    const from = join(folder, path);
    const to = placeOf(path, target);
    if (to !== undefined) await makeFolder(dirname(to), target.owner);
    const found = to === undefined ? await readDigest(from) : await copyFile(from, to, target.owner);
    if (found?.sha256 !== sha256) problems.add(path, found === undefined);
    read.files += 1;
    read.bytes += found?.bytes ?? 0;
    progress.add(found?.bytes ?? 0, facts.database_bytes);
  });
  problems.check();

  progress.begin('Copying the stored files');
  if (target.blobFiles !== undefined) {
    // Both, so that a verification by root leaves none of its own.
    for (const path of [target.blobFiles, join(dirname(target.blobFiles), 'staging')]) {
      await makeFolder(path, target.owner);
    }
  }
  for await (const batch of batchesOf(readList(join(folder, BLOBS_LIST)))) {
    await mapBounded(batch, FILES_AT_ONCE, async ({ sha256 }) => {
      const { bytes, isSound } = await restoreBlob(dirname(folder), sha256, target);
      if (!isSound) problems.add(`../blobs/${blobPath(sha256)}`, bytes === undefined);
      read.blobs += 1;
      read.bytes += bytes ?? 0;
      progress.add(bytes ?? 0, facts.blob_bytes);
    });
    problems.check(PROBLEMS_MAX);
  }
  problems.check();
  for (const made of await foldersBelow(target.cluster)) await syncFolder(made);
  await syncFolder(target.dataDir);
  return read;
}

/** The place of a file of the backup; undefined for those that are about the backup itself. */
function placeOf(path: string, target: RestoreTarget): string | undefined {
  const [first = '', ...rest] = path.split('/');
  if (rest.includes('..')) throw new BackupDamaged(`the list of the backup names ${path}`);
  if (first === DATABASE_FOLDER) return join(target.cluster, ...rest);
  return first === DATA_FOLDER ? join(target.dataDir, ...rest) : undefined;
}

/** Each listed file must be there, and no other: then no change of the list itself goes unnoticed. */
async function compareNames(folder: string, listed: readonly ListedFile[], problems: Problems): Promise<void> {
  const names = new Set(listed.map(({ path }) => path));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = new Set(
    entries
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .filter((path) => path !== FILES_LIST),
  );
  for (const name of names) if (!found.has(name)) problems.add(name, true);
  for (const path of found) if (!names.has(path)) problems.add(`${path} (not in ${FILES_LIST})`, false);
  if (names.size !== listed.length) problems.add(FILES_LIST, false);
}

/** Compares a blob with its name, and copies it unless the target has it already. */
async function restoreBlob(
  dir: string,
  hash: string,
  { blobFiles, owner }: RestoreTarget,
): Promise<{ readonly bytes: number | undefined; readonly isSound: boolean }> {
  const from = inStore(dir, hash);
  if (blobFiles === undefined) {
    const found = await readDigest(from);
    return { bytes: found?.bytes, isSound: found?.sha256 === hash };
  }
  const to = join(blobFiles, blobPath(hash));
  // From a restore that was interrupted, or in a store outside of the data directory.
  const there = await readDigest(to);
  if (there?.sha256 === hash) return { bytes: there.bytes, isSound: true };
  await makeFolder(dirname(to), owner);
  const draft = `${to}.restoring`;
  await rm(draft, { force: true });
  const copied = await copyFile(from, draft, owner);
  const isSound = copied?.sha256 === hash;
  if (isSound) {
    await rename(draft, to);
    for (const made of [dirname(to), dirname(dirname(to)), blobFiles]) await syncFolder(made);
  } else await rm(draft, { force: true });
  return { bytes: copied?.bytes, isSound };
}

const BATCH = 256;

async function* batchesOf<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type Problems = {
  readonly add: (path: string, isMissing: boolean) => void;
  /** Throws when there are so many. */
  readonly check: (count?: number) => void;
};

function createProblems(folder: string): Problems {
  const found: string[] = [];
  return {
    add: (path, isMissing) => {
      found.push(`${path} ${isMissing ? 'is missing' : 'has changed'}`);
    },
    check: (count = 1) => {
      if (found.length < count) return;
      const more = found.length > PROBLEMS_MAX ? `, and ${found.length - PROBLEMS_MAX} more` : '';
      throw new BackupDamaged(
        `the backup ${folder} is damaged: ${found.slice(0, PROBLEMS_MAX).join(', ')}${more}; choose another with --at`,
      );
    },
  };
}

async function foldersBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
}
