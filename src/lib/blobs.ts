import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type AsideBlob, openAside } from './blobs/aside.ts';
import { BlobLost, refuseIfAway, reportingFailure, sizeOf } from './blobs/failures.ts';
import { type FilesPage, listFiles } from './blobs/list-files.ts';

/** Files addressed by the SHA-256 of their bytes, in lower-case hexadecimal. */
export type BlobStore = {
  /** A file being written; it enters the store when it is committed, never before. */
  readonly stage: () => Promise<StagedBlob>;
  /** A path in the staging folder where another program may write a file for `adopt`. Nothing is created. */
  readonly scratchPath: () => string;
  /** Moves a finished file from `scratchPath` into the store, once `reserve` of its hash has resolved. */
  readonly adopt: (path: string, reserve: (hash: string) => Promise<void>) => Promise<StoredBlob>;
  readonly put: (bytes: Uint8Array) => Promise<string>;
  readonly has: (hash: string) => Promise<boolean>;
  /** A path on this machine to read the blob from; throws `BlobLost` when the store lacks it. */
  readonly path: (hash: string) => Promise<string>;
  /**
   * Opens a blob, whole or in part; undefined when the store lacks it.
   * `bytes` is the size of the whole blob, and the stream holds the range only.
   */
  readonly open: (hash: string, range?: ByteRange) => Promise<{ stream: Readable; bytes: number } | undefined>;
  /**
   * Takes a blob out of the store, to be deleted once that is certain.
   * It can be read until then. Undefined when the store lacks it.
   */
  readonly setAside: (hash: string) => Promise<AsideBlob | undefined>;
  /** Blobs that were set aside and not deleted since; the first ones. */
  readonly listAside: () => Promise<AsideBlob[]>;
  /** Lists the files in the store, some folders at a time. */
  readonly listFiles: (after: string) => Promise<FilesPage>;
  /** Deletes what dead processes left in staging. */
  readonly sweepStaging: () => void;
  /** Deletes a blob at once. Idempotent. */
  readonly remove: (hash: string) => Promise<void>;
};

export type StagedBlob = {
  /** Where the bytes written so far can be read. */
  readonly path: string;
  /**
   * Resolves once the file has the bytes: await it before the next write.
   * Throws `BlobStoreFull` and `BlobStoreAway`.
   */
  readonly write: (chunk: Uint8Array) => Promise<void>;
  /** Hash and length of what has been written so far. */
  readonly digest: () => StoredBlob;
  /** Makes the file durable under its hash; throws as `write`, and then nothing is stored. */
  readonly commit: () => Promise<StoredBlob>;
  /** Idempotent, also after `commit`. */
  readonly discard: () => Promise<void>;
};

export type StoredBlob = { readonly hash: string; readonly bytes: number };

/** First and last byte, both included, as in an HTTP range. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * A staged file this old belongs to a process that died.
 * A live one lasts for one fetch and one decode.
 */
const STAGED_AGE_MAX_MS = 3_600_000;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** How much of a file is read at a time to hash it. */
const HASH_BYTES = 256 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/**
 * Opens the store that BLOB_STORE names.
 * That is `file:` (the folder `blobs` of the data directory) or `file:/a/folder`. Creates its folders
 * and deletes what dead processes left in staging. Throws an Error that names BLOB_STORE for anything
 * else.
 */
export function openBlobStore(setting: string, dataDir: string): BlobStore {
  const root = blobFolder(setting, dataDir);
  const staging = join(root, 'staging');
  const files = join(root, 'files');
  const leaving = join(root, 'leaving');
  for (const folder of [staging, files, leaving]) mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  sweepStaging(staging);

  const pathOf = (hash: string): string => {
    if (!HASH.test(hash)) throw new Error('A blob is addressed by 64 lower-case hexadecimal digits.');
    return join(files, hash.slice(0, 2), hash.slice(2, 4), hash);
  };
  const aside = openAside({ leaving, files, pathOf });
  // A file that was set aside by mistake is read there until it is put back (docs/decisions/0030).
  const findPath = async (hash: string): Promise<string | undefined> =>
    (await sizeOf(pathOf(hash))) === undefined ? (await aside.find(hash))[0] : pathOf(hash);
  const scratchPath = (): string => join(staging, randomUUID());
  const store = (path: string, hash: string, bytes: number): Promise<StoredBlob> =>
    reportingFailure(path, async () => {
      await moveInto(path, pathOf(hash), bytes, files);
      return { hash, bytes };
    });

  return {
    scratchPath,
    stage: () => stageFile(scratchPath(), store),
    adopt: async (path, reserve) => {
      const { hash, bytes } = await hashFile(path);
      await reserve(hash);
      return store(path, hash, bytes);
    },
    put: async (bytes) => {
      const staged = await stageFile(scratchPath(), store);
      try {
        await staged.write(bytes);
        return (await staged.commit()).hash;
      } finally {
        // A file that is unlinked but still open would keep its space on a full disk.
        await staged.discard();
      }
    },
    has: async (hash) => (await findPath(hash)) !== undefined,
    path: async (hash) => {
      const path = await findPath(hash);
      if (path !== undefined) return path;
      await refuseIfAway(files);
      throw new BlobLost(`The blob store lacks ${hash}.`);
    },
    open: async (hash, range) => {
      const path = await findPath(hash);
      if (path !== undefined) return openFile(path, range);
      await refuseIfAway(files);
      return undefined;
    },
    setAside: aside.setAside,
    listAside: aside.list,
    listFiles: (after) => listFiles(files, after),
    sweepStaging: () => sweepStaging(staging),
    remove: async (hash) => (await aside.setAside(hash))?.discard(),
  };
}

/**
 * The folder of the store that BLOB_STORE names, in which `files` holds the blobs (ab/cd/abcd…).
 * Throws as `openBlobStore`.
 */
export function blobFolder(setting: string, dataDir: string): string {
  if (setting === 'file:') return join(dataDir, 'blobs');
  if (setting.startsWith('s3:')) {
    throw new Error(
      'BLOB_STORE names an object store, which is not available in this version; use file: or file:/a/folder',
    );
  }
  const folder = setting.slice('file:'.length);
  if (!setting.startsWith('file:') || !isAbsolute(folder)) {
    throw new Error(`BLOB_STORE must be file: or file: with an absolute folder, and is "${setting}"`);
  }
  return folder;
}

function sweepStaging(staging: string): void {
  const oldest = Date.now() - STAGED_AGE_MAX_MS;
  for (const name of readdirSync(staging)) {
    const path = join(staging, name);
    // Another process may be moving its files out at the same time.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs < oldest) rmSync(path, { force: true });
  }
}

async function stageFile(
  path: string,
  store: (path: string, hash: string, bytes: number) => Promise<StoredBlob>,
): Promise<StagedBlob> {
  const file = await reportingFailure(path, () => open(path, 'wx', FILE_MODE));
  const digest: Hash = createHash('sha256');
  let bytes = 0;
  return {
    path,
    write: (chunk) =>
      reportingFailure(path, async () => {
        // Not together with the digest: a chunk counts only once the file has it.
        await writeAll(file, chunk);
        digest.update(chunk);
        bytes += chunk.byteLength;
      }),
    digest: () => ({ hash: digest.copy().digest('hex'), bytes }),
    commit: async () => {
      await reportingFailure(path, async () => {
        await file.sync();
        await file.close();
      });
      return store(path, digest.digest('hex'), bytes);
    },
    discard: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    offset += (await file.write(chunk, offset)).bytesWritten;
  }
}

/**
 * Renames a durable file to its address.
 * The folders are made durable too: a power cut could otherwise keep the database row that names a
 * blob and lose the blob. A file of the right size that is already there is kept, since names are
 * content.
 */
async function moveInto(from: string, to: string, bytes: number, files: string): Promise<void> {
  if ((await sizeOf(to)) === bytes) {
    await rm(from, { force: true });
    return;
  }
  const folder = dirname(to);
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  await rename(from, to);
  for (const step of [folder, dirname(folder), files]) await syncFolder(step);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function hashFile(path: string): Promise<StoredBlob> {
  const file = await open(path, 'r+');
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    const buffer = Buffer.alloc(HASH_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, HASH_BYTES, bytes);
      if (bytesRead === 0) break;
      digest.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    await file.chmod(FILE_MODE);
    await file.sync();
    return { hash: digest.digest('hex'), bytes };
  } finally {
    await file.close();
  }
}

async function openFile(path: string, range?: ByteRange): Promise<{ stream: Readable; bytes: number } | undefined> {
  const bytes = await sizeOf(path);
  if (bytes === undefined) return undefined;
  return { stream: createReadStream(path, range ?? {}), bytes };
}
