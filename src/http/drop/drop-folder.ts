import { constants, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DROP_ENDINGS, DROPPED_MS, dropPath, type Permit } from '../../artwork/drop/permit.ts';
import type { ImageMime } from '../../artwork/sniff/header.ts';
import { sniffImage } from '../../artwork/sniff/sniff.ts';

/** The drop does not take or have a file; the message says what to do. */
export class DropRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'DropRefused';
    this.status = status;
  }
}

export type DroppedFile = {
  readonly type: string;
  readonly size: number;
  readonly send: (response: ServerResponse) => Promise<void>;
};

export type DropFolder = {
  /** Keeps a picture under the name of its permit, once, whole or not at all. */
  readonly take: (permit: Permit, bytes: Readable) => Promise<void>;
  /** The file at a path, while its time lasts. */
  readonly find: (path: string) => Promise<DroppedFile | undefined>;
  /** Removes the files whose time is over, and what dead uploads left. */
  readonly sweep: () => Promise<void>;
};

/** At once, of one account. */
const FILES_OF_EACH_MAX = 100;
const BYTES_OF_EACH_MAX = 1_073_741_824;
/** What has to stay free on the disk for everything else. */
const FREE_BYTES_MIN = 268_435_456;
const INCOMING = 'incoming';

/** Opens the folder of the drop. A file's age is that of its last change. */
export async function openDropFolder(root: string, nowMs: () => number): Promise<DropFolder> {
  await mkdir(join(root, INCOMING), { recursive: true, mode: 0o700 });
  /** Bytes under way, by folder: uploads of one moment count, too. */
  const underWay = new Map<string, number[]>();

  const take = async (permit: Permit, bytes: Readable): Promise<void> => {
    const { folder, name, size } = permit;
    const target = join(root, dropPath(permit));
    const own = underWay.get(folder) ?? [];
    underWay.set(folder, [...own, size]);
    try {
      await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
      await refuseTooMuch(join(root, folder), underWay.get(folder) ?? []);
      const { bavail, bsize } = await statfs(root);
      if (bavail * bsize - size < FREE_BYTES_MIN) throw noRoom();
      if ((await sizeAt(target)) !== undefined) throw used();
      await receive(join(root, INCOMING, `${folder}-${name}`), target, permit, bytes);
    } finally {
      const left = [...(underWay.get(folder) ?? [])];
      left.splice(left.indexOf(size), 1);
      if (left.length === 0) underWay.delete(folder);
      else underWay.set(folder, left);
    }
  };

  const find = async (path: string): Promise<DroppedFile | undefined> => {
    const ending = /^\/[0-9a-f]{16}\/[0-9a-f]{32}\.(png|jpg|webp)$/.exec(path)?.[1];
    const type = (Object.keys(DROP_ENDINGS) as ImageMime[]).find((each) => DROP_ENDINGS[each] === ending);
    if (type === undefined) return undefined;
    const seen = await stat(join(root, path)).catch(() => undefined);
    if (seen === undefined || nowMs() - seen.mtimeMs >= DROPPED_MS) return undefined;
    return { type, size: seen.size, send: (response) => sendFile(join(root, path), response) };
  };

  const sweep = async (): Promise<void> => {
    for (const folder of await readdir(root)) {
      for (const name of await readdir(join(root, folder))) {
        const seen = await stat(join(root, folder, name)).catch(() => undefined);
        if (seen !== undefined && nowMs() - seen.mtimeMs >= DROPPED_MS)
          await rm(join(root, folder, name), { force: true });
      }
    }
  };

  return { take, find, sweep };
}

async function refuseTooMuch(folder: string, underWay: readonly number[]): Promise<void> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await sizeAt(join(folder, name))) ?? 0));
  const bytes = [...sizes, ...underWay].reduce((sum, size) => sum + size, 0);
  if (names.length + underWay.length > FILES_OF_EACH_MAX || bytes > BYTES_OF_EACH_MAX) {
    throw new DropRefused(429, 'Your account has too many files here. Each goes 24 hours after it came.');
  }
}

/** Writes beside its place and moves it there once it is a whole picture of the permitted type. */
async function receive(incoming: string, target: string, permit: Permit, bytes: Readable): Promise<void> {
  const file = await open(incoming, 'wx', 0o600).catch((error: unknown) => {
    throw codeOf(error) === 'EEXIST' ? used() : error;
  });
  try {
    await pipeline(bytes, createWriteStream('', { fd: file, autoClose: true, flush: true }));
    const seen = await sniffImage(incoming);
    if (seen.kind === 'refused') throw new DropRefused(422, seen.message);
    if (seen.mime !== permit.type || (await sizeAt(incoming)) !== permit.size) {
      throw new DropRefused(422, `The file is not the ${permit.type} that its permit is for.`);
    }
    await rename(incoming, target);
  } catch (error) {
    await rm(incoming, { force: true });
    throw ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) ? noRoom() : error;
  }
}

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  await pipeline(file.createReadStream({ autoClose: false }), response);
}

async function sizeAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

function used(): DropRefused {
  return new DropRefused(409, 'This permit was used already. Choose the file again.');
}

function noRoom(): DropRefused {
  return new DropRefused(
    507,
    'There is no room for files right now. Put the picture at an https address and give that.',
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
