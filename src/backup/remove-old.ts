import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { walkBlobs } from './blob-files.ts';
import { inStore } from './copy-blobs.ts';
import { readDigest, syncFolder } from './copy-file.ts';
import { type Backup, BLOBS_FOLDER, BLOBS_LIST, FILES_LIST, listBackups, UNFINISHED_PREFIX } from './layout.ts';
import { readList } from './lists.ts';

/**
 * Removes what interrupted commands left; returns whether there was anything.
 * The caller holds the claim on the folder.
 */
export async function removeUnfinished(dir: string): Promise<boolean> {
  const left = (await readdir(dir)).filter((name) => name.startsWith(UNFINISHED_PREFIX));
  for (const name of left) await rm(join(dir, name), { recursive: true, force: true });
  return left.length > 0;
}

/** Removes backups that were taken before a time, but never the newest; returns their names. */
export async function removeBackups(dir: string, takenBefore: Date): Promise<string[]> {
  const old = (await listBackups(dir)).slice(0, -1).filter(({ facts }) => new Date(facts.taken_at) < takenBefore);
  for (const { folder } of old) {
    // Half of a backup is never taken for a whole one.
    const leaving = join(dirname(folder), `${UNFINISHED_PREFIX}${basename(folder)}`);
    await rename(folder, leaving);
    await syncFolder(dir);
    await rm(leaving, { recursive: true, force: true });
  }
  return old.map(({ facts }) => facts.name);
}

/**
 * Removes the blobs that belong to no backup; returns how many.
 * Lists and blobs are both in the order of hashes, so that memory does not grow with them. Throws when a list is
 * damaged.
 */
export async function removeUnusedBlobs(dir: string): Promise<number> {
  const backups = await listBackups(dir);
  for (const { folder } of backups) await checkBlobsList(folder);
  const kept = backups.map((backup) => openCursor(backup));
  let removed = 0;
  try {
    for await (const hashes of walkBlobs(join(dir, BLOBS_FOLDER))) {
      for (const hash of hashes) {
        // Each list is moved on, also behind one that has the hash.
        const uses = await Promise.all(kept.map((cursor) => cursor.has(hash)));
        if (uses.includes(true)) continue;
        await rm(inStore(dir, hash), { force: true });
        removed += 1;
      }
    }
  } finally {
    for (const cursor of kept) await cursor.close();
  }
  return removed;
}

/** A damaged list would let blobs of its backup go. */
async function checkBlobsList(folder: string): Promise<void> {
  const path = join(folder, BLOBS_LIST);
  for await (const { sha256, path: listed } of readList(join(folder, FILES_LIST))) {
    if (listed === BLOBS_LIST && (await readDigest(path))?.sha256 === sha256) return;
  }
  throw new Error(`${path} is damaged, so no stored file can be removed; move its folder away to go on without it`);
}

type Cursor = { readonly has: (hash: string) => Promise<boolean>; readonly close: () => Promise<unknown> };

/** Reads the list of a backup; asked for hashes in ascending order only. */
function openCursor({ folder }: Backup): Cursor {
  const list = readList(join(folder, BLOBS_LIST));
  let next: Promise<IteratorResult<{ readonly sha256: string }>> = list.next();
  return {
    has: async (hash) => {
      let at = await next;
      while (at.done !== true && at.value.sha256 < hash) {
        next = list.next();
        at = await next;
      }
      return at.done !== true && at.value.sha256 === hash;
    },
    close: () => list.return(undefined),
  };
}
