import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type AsideBlob, openAside } from './blobs/aside.ts';
import { BlobLost, refuseIfAway, reportingFailure, sizeOf } from './blobs/failures.ts';
import { type FilesPage, listFiles } from './blobs/list-files.ts';
import { readMarker, writeMarker } from './blobs/marker.ts';
import { openPassing, type PassingFiles } from './blobs/passing.ts';
import type { Asker } from './turns/owner.ts';
import { createTurns, type Release, type Turns, type TurnsCounts } from './turns/turns.ts';

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
  /** The id that the store is marked with; undefined when it is not. Throws `BlobStoreAway`. */
  readonly marker: () => Promise<string | undefined>;
  /** Marks the store, unless it is marked. Returns the id that it has then. */
  readonly mark: (id: string) => Promise<string>;
  /** Files that can be made again and are kept for an hour. */
  readonly passing: PassingFiles;
  /** Deletes what dead processes left in staging. */
  readonly sweepStaging: () => void;
  /** Deletes a blob at once. Idempotent. */
  readonly remove: (hash: string) => Promise<void>;
  /** Bytes of staged files that are reserved, and that wait to be. */
  readonly staged: () => TurnsCounts;
};

export type StagedBlob = {
  /** Where what was written can be read. */
  readonly path: string;
  /**
   * Waits for room for so many bytes, in turn by owner.
   * Throws `TurnRefused` when there is none in time. For what customers have the service fetch: call it once, before
   * the first byte. The room is free again once the file has left staging.
   */
  readonly reserve: (bytes: number, asker: Asker) => Promise<void>;
  /** Gives back the room beyond what has been written: no more will be. */
  readonly shrink: () => void;
  /**
   * Has another write the whole file, in place of `write`, and say its hash and length.
   * Returns and throws what that does, but errors of the file system as `BlobStoreFull` and `BlobStoreAway`.
   */
  readonly fill: <T extends (StoredBlob & { kind: 'ok' }) | { kind: 'failed' }>(
    by: (path: string) => Promise<T>,
  ) => Promise<T>;
  /**
   * Resolves once the file has the bytes: await it before the next write.
   * Throws `BlobStoreFull` and `BlobStoreAway`.
   */
  readonly write: (chunk: Uint8Array) => Promise<void>;
  /** Makes the file durable under its hash; throws as `write`, and then nothing is stored. */
  readonly commit: () => Promise<StoredBlob>;
  /** Idempotent, also after `commit`. */
  readonly discard: () => Promise<void>;
};

export type StoredBlob = { readonly hash: string; readonly bytes: number };

/** First and last byte, both included, as in an HTTP range. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * A staged file this old belongs to a process that died, of this machine or of another.
 * A live one lasts for one fetch and one decode.
 */
const STAGED_AGE_MAX_MS = 3_600_000;
/**
 * Room for staged files in this process, and for those of one account.
 * One request alone never waits for itself: it may keep 1 GiB, and has eight downloads of 50 MiB under way.
 */
const STAGED_BYTES_MAX = 6 * 1_024 ** 3;
const STAGED_BYTES_MAX_OF_EACH = 1.5 * 1_024 ** 3;
/** Downloads that wait for room have a deadline of their own; this many bytes may wait. */
const ROOM_WAIT_MS = 10_000;
const ROOM_WAITING_BYTES_MAX = 64 * 1_024 ** 3;
const ROOM_WAITING_BYTES_MAX_OF_EACH = 8 * 1_024 ** 3;
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
  const scratchPath = (): string => join(staging, `${stagedBy(process.pid)}.${randomUUID()}`);
  const aside = openAside({ leaving, files, pathOf });
  // A file that was set aside by mistake is read there until it is put back (docs/decisions/0030).
  const findPath = async (hash: string): Promise<string | undefined> =>
    (await sizeOf(pathOf(hash))) === undefined ? (await aside.find(hash))[0] : pathOf(hash);
  const room = createTurns({
    resource: 'staging',
    capacity: STAGED_BYTES_MAX,
    capOfEach: STAGED_BYTES_MAX_OF_EACH,
    isCapFirm: true,
    waitingMax: ROOM_WAITING_BYTES_MAX,
    waitingMaxOfEach: ROOM_WAITING_BYTES_MAX_OF_EACH,
    waitMs: ROOM_WAIT_MS,
  });
  const store = (path: string, hash: string, bytes: number): Promise<StoredBlob> =>
    reportingFailure(path, async () => {
      await moveInto(path, pathOf(hash), bytes, files);
      return { hash, bytes };
    });

  return {
    scratchPath,
    stage: () => stageFile(scratchPath(), store, room),
    adopt: async (path, reserve) => {
      const { hash, bytes } = await hashFile(path);
      await reserve(hash);
      return store(path, hash, bytes);
    },
    put: async (bytes) => {
      const staged = await stageFile(scratchPath(), store, room);
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
    marker: () => readMarker(root),
    mark: (id) => writeMarker(root, id),
    passing: openPassing(join(root, 'passing')),
    sweepStaging: () => sweepStaging(staging),
    remove: async (hash) => (await aside.setAside(hash))?.discard(),
    staged: room.counts,
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
    if (stats !== undefined && (stats.mtimeMs < oldest || isOfDeadProcess(name))) rmSync(path, { force: true });
  }
}

/**
 * The beginning of the names of a process's files in staging.
 * It says where its number means anything, the number, and when it began, since numbers are used again.
 */
function stagedBy(pid: number): string {
  return `${NAMESPACE}.${pid}.${startOf(pid) ?? 0}`;
}

/** Whether a name is of a process of this namespace that has ended; false if that cannot be known. */
function isOfDeadProcess(name: string): boolean {
  const [namespace, pid = '', start] = name.split('.');
  if (namespace !== NAMESPACE || NAMESPACE === UNKNOWN || !/^\d{1,10}$/.test(pid)) return false;
  return String(startOf(Number(pid)) ?? 0) !== start;
}

/** Stands in place of a namespace that cannot be read; files are then swept by their age alone. */
const UNKNOWN = 'unknown';
/** Among which processes their numbers are unique: containers share a volume, not numbers. */
const NAMESPACE = readNamespace();

function readNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const text = `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
    return createHash('sha256').update(text).digest('hex').slice(0, 16);
  } catch {
    return UNKNOWN;
  }
}

const START_AFTER_NAME = 19;

/** When a process began, in clock ticks of the machine (proc_pid_stat(5)); undefined for none. */
function startOf(pid: number): number | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may hold anything, spaces and parentheses too.
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[START_AFTER_NAME]);
  } catch {
    return undefined;
  }
}

async function stageFile(
  path: string,
  store: (path: string, hash: string, bytes: number) => Promise<StoredBlob>,
  room: Turns,
): Promise<StagedBlob> {
  const file = await reportingFailure(path, () => open(path, 'wx', FILE_MODE));
  const digest: Hash = createHash('sha256');
  let bytes = 0;
  let filledHash: string | undefined;
  let reserved: Release | undefined;
  let isDiscarded = false;
  return {
    path,
    reserve: async (asked, asker) => {
      const release = await room.take({ ...asker, cost: Math.max(1, asked) });
      if (isDiscarded) release();
      else reserved = release;
    },
    shrink: () => reserved?.shrinkTo(Math.max(1, bytes)),
    write: (chunk) =>
      reportingFailure(path, async () => {
        // Not together with the digest: a chunk counts only once the file has it.
        await writeAll(file, chunk);
        digest.update(chunk);
        bytes += chunk.byteLength;
      }),
    fill: (by) =>
      reportingFailure(path, async () => {
        const filled = await by(path);
        if (filled.kind === 'ok') ({ hash: filledHash, bytes } = filled);
        return filled;
      }),
    commit: async () => {
      await reportingFailure(path, async () => {
        await file.sync();
        await file.close();
      });
      const stored = await store(path, filledHash ?? digest.digest('hex'), bytes);
      reserved?.();
      return stored;
    },
    discard: async () => {
      isDiscarded = true;
      await file.close();
      await rm(path, { force: true });
      reserved?.();
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
