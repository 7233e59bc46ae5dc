import { constants, createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  BYTES_OF_EACH_MAX,
  DROP_ENDINGS,
  DROPPED_MS,
  dropPath,
  FILES_OF_EACH_MAX,
  type Permit,
} from '../../artwork/drop/permit.ts';
import type { ImageMime } from '../../artwork/sniff/header.ts';
import { sniffImage } from '../../artwork/sniff/sniff.ts';
import { messageOf } from '../../lib/error-message.ts';

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
  /**
   * Removes the files whose time is over, and what dead uploads left.
   * Throws at the end for what it could not.
   */
  readonly sweep: () => Promise<void>;
};

/** What has to stay free on the disk for everything else. */
const FREE_BYTES_MIN = 268_435_456;
const INCOMING = 'incoming';

/** Opens the folder of the drop. A file's age is that of its last change. */
export async function openDropFolder(root: string, nowMs: () => number): Promise<DropFolder> {
  await mkdir(join(root, INCOMING), { recursive: true, mode: 0o700 });
  /** Bytes under way, by folder: uploads of one moment count, too. */
  const underWay = new Map<string, number[]>();

  /** One at a time, so that each sees what those before it have taken. */
  let lastAdmitted: Promise<unknown> = Promise.resolve();

  const admit = async ({ folder, size }: Permit, target: string): Promise<void> => {
    const own = underWay.get(folder) ?? [];
    // Before the look at the disk: what ends meanwhile is counted twice, never left out.
    const promised = [...underWay.values()].flat().reduce((sum, each) => sum + each, size);
    await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(root);
    if (bavail * bsize - promised < FREE_BYTES_MIN) throw noRoom();
    await refuseTooMuch(join(root, folder), [...own, size]);
    if ((await sizeAt(target)) !== undefined) throw used();
    underWay.set(folder, [...(underWay.get(folder) ?? []), size]);
  };

  const take = async (permit: Permit, bytes: Readable): Promise<void> => {
    const { folder, name, size } = permit;
    const target = join(root, dropPath(permit));
    const admitted = lastAdmitted.then(() => admit(permit, target));
    lastAdmitted = admitted.catch(() => undefined);
    await admitted;
    try {
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

  const sweepFile = async (path: string): Promise<void> => {
    const seen = await stat(path).catch(() => undefined);
    if (seen !== undefined && nowMs() - seen.mtimeMs >= DROPPED_MS) await rm(path, { force: true });
  };

  const sweep = async (): Promise<void> => {
    const failures: string[] = [];
    const note = (error: unknown): void => void failures.push(messageOf(error));
    for (const folder of await readdir(root)) {
      const names = await readdir(join(root, folder)).catch(note);
      for (const name of names ?? []) await sweepFile(join(root, folder, name)).catch(note);
    }
    if (failures.length > 0) {
      throw new Error(
        `${failures.length} do not belong there or cannot be removed: ${failures.slice(0, 5).join('; ')}`,
      );
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

/** Writes beside its place and links it there once it is a whole picture of the permitted type. */
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
    // Unlike a move, it replaces nothing: of two by one permit the second is refused.
    await link(incoming, target).catch((error: unknown) => {
      throw codeOf(error) === 'EEXIST' ? used() : error;
    });
  } catch (error) {
    throw ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) ? noRoom() : error;
  } finally {
    await rm(incoming, { force: true });
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
