import { rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mapBounded } from '../lib/map-bounded.ts';
import { blobPath, walkBlobs } from './blob-files.ts';
import { type Copied, codeOfError, copyFile, makeFolder, syncFolder } from './copy-file.ts';
import { BLOBS_FOLDER, BLOBS_LIST } from './layout.ts';
import { type ListedFile, readList, writeList } from './lists.ts';

/** Where blobs come from, where they go, and the unfinished backup that they belong to. */
export type BlobCopy = { readonly from: string; readonly dir: string; readonly unfinished: string };

export type BlobReport = {
  readonly list: Copied;
  readonly blobs: number;
  readonly bytes: number;
  /** Those whose bytes are not those of their names; not copied. */
  readonly damaged: readonly string[];
};

const FILES_AT_ONCE = 4;
const FIRST_LIST = 'blobs-before';
const DAMAGED_LISTED_MAX = 100;

/**
 * Copies the blobs that are there before the database is copied, those that earlier backups lack.
 * A blob that the database uses at the end of its copy, and that nothing uses a moment later, may be gone by then.
 */
export async function copyBlobsBefore(copy: BlobCopy, onBlob: (bytes: number) => void): Promise<void> {
  const list = await writeList(join(copy.unfinished, FIRST_LIST));
  try {
    for await (const hashes of walkBlobs(copy.from)) {
      const found = await mapBounded(hashes, FILES_AT_ONCE, (hash) => keepBlob(copy, hash, onBlob));
      for (const [at, kept] of found.entries()) {
        if (typeof kept === 'number') await list.add(listed(hashes[at] ?? ''));
      }
    }
  } finally {
    await list.end();
  }
}

/**
 * Copies the blobs that came since, and lists all that belong to the backup.
 * The collection deletes only what was stored or used more than a day ago, so nothing that came since is gone already.
 */
export async function copyBlobsAfter(copy: BlobCopy, onBlob: (bytes: number) => void): Promise<BlobReport> {
  const before = join(copy.unfinished, FIRST_LIST);
  const earlier = hashesOf(before);
  const list = await writeList(join(copy.unfinished, BLOBS_LIST));
  const report = { blobs: 0, bytes: 0, damaged: [] as string[] };
  const add = async (hash: string, bytes: number): Promise<void> => {
    report.blobs += 1;
    report.bytes += bytes;
    await list.add(listed(hash));
  };
  let ended: Copied;
  try {
    let next = await earlier.next();
    const addEarlier = async (below: string): Promise<void> => {
      for (; next.done !== true && next.value < below; next = await earlier.next()) {
        await add(next.value, (await sizeOf(inStore(copy.dir, next.value))) ?? 0);
      }
    };
    for await (const hashes of walkBlobs(copy.from)) {
      const found = await mapBounded(hashes, FILES_AT_ONCE, (hash) => keepBlob(copy, hash, onBlob));
      for (const [at, kept] of found.entries()) {
        const hash = hashes[at] ?? '';
        await addEarlier(hash);
        if (next.done !== true && next.value === hash) next = await earlier.next();
        if (kept === 'damaged' && report.damaged.length < DAMAGED_LISTED_MAX) report.damaged.push(hash);
        if (typeof kept === 'number') await add(hash, kept);
      }
    }
    await addEarlier(AFTER_ALL);
  } finally {
    ended = await list.end();
  }
  await rm(before);
  return { ...report, list: ended };
}

/** Behind every hash. */
const AFTER_ALL = 'g';

function listed(hash: string): ListedFile {
  return { sha256: hash, path: `../${BLOBS_FOLDER}/${blobPath(hash)}` };
}

/** The place of a blob in a folder of backups. */
export function inStore(dir: string, hash: string): string {
  return join(dir, BLOBS_FOLDER, blobPath(hash));
}

async function* hashesOf(list: string): AsyncGenerator<string> {
  for await (const { sha256 } of readList(list)) yield sha256;
}

/**
 * Copies a blob into the folder of backups unless it is there with the same size.
 * Returns its size; undefined when it was deleted meanwhile.
 */
async function keepBlob(
  { from, dir, unfinished }: BlobCopy,
  hash: string,
  onBlob: (bytes: number) => void,
): Promise<number | 'damaged' | undefined> {
  const source = join(from, blobPath(hash));
  const target = inStore(dir, hash);
  const bytes = await sizeOf(source);
  if (bytes === undefined) return undefined;
  if ((await sizeOf(target)) === bytes) return bytes;
  const draft = join(unfinished, `blob-${hash}`);
  const copied = await copyFile(source, draft);
  if (copied === undefined) return undefined;
  if (copied.sha256 !== hash) {
    await rm(draft);
    return 'damaged';
  }
  await makeFolder(dirname(target));
  await rename(draft, target);
  // Also the folders above, which may be new.
  for (const folder of [dirname(target), dirname(dirname(target)), join(dir, BLOBS_FOLDER)]) await syncFolder(folder);
  onBlob(copied.bytes);
  return copied.bytes;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOfError(error) === 'ENOENT') return undefined;
    throw error;
  }
}
