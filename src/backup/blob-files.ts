import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOfError } from './copy-file.ts';

const PAIR = /^[0-9a-f]{2}$/;
const HASH = /^[0-9a-f]{64}$/;

/** The path of a blob below a folder of blobs: ab/cd/abcd…, as in the store of the service. */
export function blobPath(hash: string): string {
  return join(hash.slice(0, 2), hash.slice(2, 4), hash);
}

/**
 * Walks over a folder of blobs in the order of their hashes.
 * Yields the hashes of one inner folder at a time. Files with other names, and folders that vanish, are passed over.
 */
export async function* walkBlobs(files: string): AsyncGenerator<readonly string[]> {
  for (const first of await namesIn(files, PAIR)) {
    for (const second of await namesIn(join(files, first), PAIR)) {
      const hashes = await namesIn(join(files, first, second), HASH);
      const own = hashes.filter((hash) => hash.startsWith(first + second));
      if (own.length > 0) yield own;
    }
  }
}

async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => pattern.test(name)).toSorted();
  } catch (error) {
    if (codeOfError(error) === 'ENOENT') return [];
    throw error;
  }
}
