import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { reportingFailure, sizeOf } from './failures.ts';

/**
 * Files that can be made again, none of which is kept for longer than `PASSING_MS`.
 * They lie in the folder of the store, so that every node finds them, have no row, and are in no backup.
 */
export type PassingFiles = {
  /** Moves a finished file from `scratchPath` here, in place of one of the same name. */
  readonly keep: (path: string, name: string) => Promise<void>;
  /** Has a file stay for `PASSING_MS` from now. False when there is none. */
  readonly renew: (name: string) => Promise<boolean>;
  /** Opens a file; undefined when there is none. */
  readonly open: (name: string) => Promise<{ stream: Readable; bytes: number } | undefined>;
  /** Deletes the files whose names begin with a hash. */
  readonly removeOf: (hash: string) => Promise<void>;
  /** Deletes what is older than `PASSING_MS`, and the oldest of too many; returns how many. */
  readonly sweep: () => Promise<number>;
};

/** Longer than a signed link works, so that one that was just made finds its file until it ends. */
export const PASSING_MS = 3_900_000;
/** Some 60 KB each: a gigabyte. */
const PASSING_FILES_MAX = 20_000;

const NAME = /^[0-9a-f]{64}(\.[0-9a-z]{1,20}){0,4}$/;
const FOLDER_MODE = 0o700;

/** Opens the files that pass, in a folder of the store. */
export function openPassing(folder: string, limits = { filesMax: PASSING_FILES_MAX }): PassingFiles {
  const folderOf = (name: string): string => {
    if (!NAME.test(name)) throw new Error('A passing file is named by a hash and short words.');
    return join(folder, name.slice(0, 2));
  };
  const pathOf = (name: string): string => join(folderOf(name), name);
  return {
    keep: (path, name) =>
      reportingFailure(path, async () => {
        await mkdir(folderOf(name), { recursive: true, mode: FOLDER_MODE });
        // Not synced: after a power cut it is made again.
        await rename(path, pathOf(name));
      }),
    renew: async (name) => {
      const now = new Date();
      return utimes(pathOf(name), now, now).then(() => true, isMissing);
    },
    open: async (name) => {
      const path = pathOf(name);
      const bytes = await sizeOf(path);
      return bytes === undefined ? undefined : { stream: createReadStream(path), bytes };
    },
    removeOf: async (hash) => {
      for (const name of await namesIn(folderOf(hash))) {
        if (name.startsWith(hash)) await rm(pathOf(name), { force: true });
      }
    },
    sweep: () => sweep(folder, limits.filesMax),
  };
}

async function sweep(folder: string, filesMax: number): Promise<number> {
  const oldest = Date.now() - PASSING_MS;
  const kept: { readonly path: string; readonly at: number }[] = [];
  let gone = 0;
  for (const part of await namesIn(folder)) {
    for (const name of await namesIn(join(folder, part))) {
      const path = join(folder, part, name);
      const at = await stat(path).then(({ mtimeMs }) => mtimeMs, goneAlready);
      if (at === undefined) continue;
      if (at >= oldest) {
        kept.push({ path, at });
        continue;
      }
      await rm(path, { force: true });
      gone += 1;
    }
  }
  const spare = kept.toSorted((one, other) => one.at - other.at).slice(0, Math.max(0, kept.length - filesMax));
  for (const { path } of spare) await rm(path, { force: true });
  return gone + spare.length;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    goneAlready(error);
    return [];
  });
}

/** Another node may sweep at the same time. */
function goneAlready(error: unknown): undefined {
  if (!isMissingError(error)) throw error;
  return undefined;
}

function isMissing(error: unknown): false {
  goneAlready(error);
  return false;
}

function isMissingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
