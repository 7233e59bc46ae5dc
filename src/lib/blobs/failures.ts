import { readdir, rm, stat } from 'node:fs/promises';

/**
 * The disk or its quota is full, or the process may not write a file this large.
 * The service is unavailable for this request; the caller did nothing wrong.
 */
export class BlobStoreFull extends Error {
  override name = 'BlobStoreFull';
}

/**
 * The store cannot be reached or read: its disk is not there, or fails.
 * Nothing is known of what it holds.
 */
export class BlobStoreAway extends Error {
  override name = 'BlobStoreAway';
}

/** The store answers, and lacks a blob. */
export class BlobLost extends Error {
  override name = 'BlobLost';
}

const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What a disk answers that is not there, or fails, or was taken away. */
const AWAY: ReadonlySet<unknown> = new Set(
  'ENOENT ENOTDIR EIO EACCES EPERM EROFS ESTALE ENOTCONN ENODEV ENXIO ETIMEDOUT EHOSTDOWN EHOSTUNREACH EMFILE ENFILE'.split(
    ' ',
  ),
);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * Runs a step that writes.
 * On failure removes the staged file, and reports a full disk as `BlobStoreFull` and a store that cannot be reached as
 * `BlobStoreAway`.
 */
export async function reportingFailure<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw asStoreFailure(error);
  }
}

/** An error of the file system as one of the store, where it is. */
export function asStoreFailure(error: unknown): unknown {
  if (NO_ROOM.has(codeOf(error))) return new BlobStoreFull('The blob store is full.', { cause: error });
  if (AWAY.has(codeOf(error))) return new BlobStoreAway('The blob store cannot be reached.', { cause: error });
  return error;
}

/** The size of a file; undefined when there is none. Throws `BlobStoreAway`. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw asStoreFailure(error);
  }
}

/**
 * Throws `BlobStoreAway` when the folder of the files is not there, or is empty.
 * It is empty where a disk is not mounted.
 * For one who misses a file that was stored: then the store has never been empty.
 */
export async function refuseIfAway(files: string): Promise<void> {
  if ((await namesIn(files)).length > 0) return;
  throw new BlobStoreAway('The blob store is empty, and was not: is its disk mounted?');
}

/** The names in a folder of the store. Throws `BlobStoreAway`. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw asStoreFailure(error);
  }
}
