import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asStoreFailure, namesIn, refuseIfAway, sizeOf } from './failures.ts';

/** A blob that was taken out of the store: this very file, and no later one of the same hash. */
export type AsideBlob = {
  readonly hash: string;
  /** How long ago it was set aside, by the clocks of the machines. */
  readonly ageMs: number;
  /** Idempotent. */
  readonly discard: () => Promise<void>;
  /** Puts it into the store again. Idempotent. */
  readonly putBack: () => Promise<void>;
};

type Aside = {
  readonly setAside: (hash: string) => Promise<AsideBlob | undefined>;
  readonly list: () => Promise<AsideBlob[]>;
  /** The paths of a blob among the files set aside. */
  readonly find: (hash: string) => Promise<string[]>;
};

const NAME = /^([0-9a-f]{64})\.(\d+)\.[0-9a-f-]{36}$/;
/** Files that one list names. */
const LIST_MAX = 1_000;

/**
 * Opens the folder of blobs that are on their way out of the store.
 * A deletion that was paused before this step may carry it out late, when the same bytes have come in
 * anew. So a file is renamed to a name that is used once, never deleted by its hash: the late deletion
 * finds that it is too late, and puts back what it took (docs/decisions/0030).
 */
export function openAside(store: { leaving: string; files: string; pathOf: (hash: string) => string }): Aside {
  const { leaving, files, pathOf } = store;
  const handle = (hash: string, names: readonly string[]): AsideBlob => ({
    hash,
    ageMs: Date.now() - Math.max(...names.map((name) => Number(NAME.exec(name)?.[2] ?? 0))),
    discard: async () => {
      for (const name of names) await rm(join(leaving, name), { force: true });
    },
    putBack: async () => {
      await mkdir(dirname(pathOf(hash)), { recursive: true, mode: 0o700 });
      for (const name of names) await moveIfThere(join(leaving, name), pathOf(hash));
    },
  });
  const namesOf = async (hash: string): Promise<string[]> =>
    (await namesIn(leaving)).filter((name) => NAME.exec(name)?.[1] === hash);

  return {
    setAside: async (hash) => {
      const path = pathOf(hash);
      const before = await namesOf(hash);
      const name = `${hash}.${Date.now()}.${randomUUID()}`;
      const moved = await moveIfThere(path, join(leaving, name));
      if (moved) return handle(hash, [...before, name]);
      await refuseIfAway(files);
      return before.length === 0 ? undefined : handle(hash, before);
    },
    list: async () =>
      (await namesIn(leaving))
        .flatMap((name) => {
          const hash = NAME.exec(name)?.[1];
          return hash === undefined ? [] : [handle(hash, [name])];
        })
        .slice(0, LIST_MAX),
    find: async (hash) => {
      const names = await namesOf(hash);
      const sizes = await Promise.all(names.map((name) => sizeOf(join(leaving, name))));
      return names.filter((_, at) => sizes[at] !== undefined).map((name) => join(leaving, name));
    },
  };
}

async function moveIfThere(from: string, to: string): Promise<boolean> {
  if ((await sizeOf(from)) === undefined) return false;
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    // Another process was faster.
    if ((await sizeOf(from)) === undefined) return false;
    throw asStoreFailure(error);
  }
}
