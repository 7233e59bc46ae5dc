import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whose a copy is, where that is not the user of this process; only root can give files away. */
export type FileOwner = { readonly uid: number; readonly gid: number } | undefined;

export type Copied = { readonly bytes: number; readonly sha256: string };

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const READ_BYTES = 1024 * 1024;

/**
 * Copies a file and makes the copy durable; returns what was copied.
 * A file that grows meanwhile is copied up to the size that it had. Undefined when there is no such file. Throws
 * `BackupDiskFull` when there is no room.
 */
export async function copyFile(from: string, to: string, owner?: FileOwner): Promise<Copied | undefined> {
  await using source = await openIfThere(from);
  if (source === undefined) return undefined;
  const { size } = await source.stat();
  return await reportingFullDisk(to, async () => {
    await using target = await open(to, 'wx', FILE_MODE);
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const chunk of chunksOf(source, size)) {
      digest.update(chunk);
      await writeAll(target, to, chunk);
      bytes += chunk.length;
    }
    if (owner !== undefined) await target.chown(owner.uid, owner.gid);
    await target.sync();
    return { bytes, sha256: digest.digest('hex') };
  });
}

/** Writes a small file and makes it durable; throws `BackupDiskFull` when there is no room. */
export async function writeDurably(path: string, content: string | Uint8Array, owner?: FileOwner): Promise<Copied> {
  const bytes = Buffer.from(content);
  return reportingFullDisk(path, async () => {
    await using file = await open(path, 'wx', FILE_MODE);
    await writeAll(file, path, bytes);
    if (owner !== undefined) await file.chown(owner.uid, owner.gid);
    await file.sync();
    return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}

/** Reads a file for its hash; undefined when there is none. */
export async function readDigest(path: string): Promise<Copied | undefined> {
  await using file = await openIfThere(path);
  if (file === undefined) return undefined;
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunksOf(file, Number.POSITIVE_INFINITY)) {
    digest.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: digest.digest('hex') };
}

/** Makes a folder and those above it (0700), each for `owner`. */
export async function makeFolder(path: string, owner?: FileOwner): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined || owner === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) {
    await using handle = await open(folder, 'r');
    await handle.chown(owner.uid, owner.gid);
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

/** Writes all of a chunk to an open file, whose path a full disk is reported with. */
export async function writeAll(file: FileHandle, path: string, chunk: Uint8Array): Promise<void> {
  await reportingFullDisk(path, async () => {
    for (let offset = 0; offset < chunk.length; ) {
      offset += (await file.write(chunk, offset)).bytesWritten;
    }
  });
}

/** There is no room for the copy; the message names the file. */
export class BackupDiskFull extends Error {
  override name = 'BackupDiskFull';
}

const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

async function reportingFullDisk<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!NO_ROOM.has(codeOfError(error))) throw error;
    throw new BackupDiskFull(`there is no room for ${path}; make room and run the command again`, { cause: error });
  }
}

/** The code of a failed call to the system, such as ENOENT. */
export function codeOfError(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOfError(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The bytes of a file, each chunk valid until the next is asked for. */
async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, Math.max(size, 1)));
  for (let left = size; left > 0; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, left), null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    left -= bytesRead;
  }
}
