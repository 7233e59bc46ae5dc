import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from './failures.ts';

export type StoredFile = { readonly hash: string; readonly ageMs: number };

/** `next` is where to go on; undefined at the end. */
export type FilesPage = { readonly files: readonly StoredFile[]; readonly next: string | undefined };

/** Folders of the second level that one page reads, of 65,536. With ten million blobs each has 150. */
const FOLDERS_MAX = 64;
const FOLDER = /^[0-9a-f]{2}$/;
const FILE = /^[0-9a-f]{64}$/;

/** Lists the files of the store (ab/cd/abcd…) after a position, in the order of their folders. */
export async function listFiles(files: string, after: string): Promise<FilesPage> {
  const found: StoredFile[] = [];
  let position = after;
  let folders = 0;
  for (const first of await foldersIn(files)) {
    if (first < after.slice(0, 2)) continue;
    for (const second of await foldersIn(join(files, first))) {
      if (first + second <= after) continue;
      if (folders === FOLDERS_MAX) return { files: found, next: position };
      folders += 1;
      position = first + second;
      found.push(...(await filesIn(join(files, first, second))));
    }
  }
  return { files: found, next: undefined };
}

async function foldersIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => FOLDER.test(name)).toSorted();
}

async function filesIn(folder: string): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (const hash of (await namesIn(folder)).filter((name) => FILE.test(name))) {
    // One that has gone meanwhile is of no interest.
    const stats = await stat(join(folder, hash)).catch(() => undefined);
    if (stats !== undefined) found.push({ hash, ageMs: Date.now() - stats.mtimeMs });
  }
  return found;
}
