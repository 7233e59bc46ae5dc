import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { walkBlobs } from './blob-files.ts';
import { inStore } from './copy-blobs.ts';
import { readDigest, syncFolder } from './copy-file.ts';
import { type Backup, BLOBS_FOLDER, BLOBS_LIST, FILES_LIST, listBackups, UNFINISHED_PREFIX } from './layout.ts';
import { readList } from './lists.ts';

/**
 * Removes what interrupted commands left; returns whether there was anything.
 * The caller holds the claim on the folder.
 */
export async function removeUnfinished(dir: string): Promise<boolean> {
  const left = (await readdir(dir)).filter((name) => name.startsWith(UNFINISHED_PREFIX));
  for (const name of left) await rm(join(dir, name), { recursive: true, force: true });
  return left.length > 0;
}

/** Names of backups. */
export type RemovedBackups = {
  readonly removed: readonly string[];
  /** Too old by the clock alone: kept, since the clock may be wrong. */
  readonly doubted: readonly string[];
  /** Dated after the one that was just taken: the clock was wrong for one of them. */
  readonly datedLater: readonly string[];
};

const DAY_MS = 86_400_000;
/** A longer part of the days without a backup is doubted. Of 35 days it is a week. */
const PAUSE_SHARE = 1 / 5;

/**
 * Removes the backups that are older than `keepDays` when one is taken.
 * That one, taken `now`, and later ones stay. A clock that is wrong must not remove what the right one would keep, and
 * looks like days in which no backup was taken. So the longest pause in the series, if it is a long one, does not
 * count: after a real pause the backups from before it stay that much longer.
 */
export async function removeBackups(
  dir: string,
  { now, keepDays }: { readonly now: Date; readonly keepDays: number },
): Promise<RemovedBackups> {
  const backups = await listBackups(dir);
  const isLater = (backup: Backup): boolean => takenMs(backup) > now.getTime();
  const series = backups.filter((backup) => !isLater(backup)).toSorted((a, b) => takenMs(a) - takenMs(b));
  const keepMs = keepDays * DAY_MS;
  const pause = longestPause(series);
  const doubtedMs = pause.ms > keepMs * PAUSE_SHARE ? pause.ms : 0;
  const old = series.flatMap((backup, index) => {
    const ageMs = now.getTime() - takenMs(backup);
    const isSure = ageMs - (index <= pause.after ? doubtedMs : 0) > keepMs;
    return ageMs > keepMs ? [{ ...backup, isSure }] : [];
  });
  const sure = old.filter(({ isSure }) => isSure);
  for (const { folder } of sure) {
    // Half of a backup is never taken for a whole one.
    const leaving = join(dirname(folder), `${UNFINISHED_PREFIX}${basename(folder)}`);
    await rename(folder, leaving);
    await syncFolder(dir);
    await rm(leaving, { recursive: true, force: true });
  }
  return {
    removed: namesOf(sure),
    doubted: namesOf(old.filter(({ isSure }) => !isSure)),
    datedLater: namesOf(backups.filter(isLater)),
  };
}

function takenMs({ facts }: Backup): number {
  return Date.parse(facts.taken_at);
}

/** The longest time between two backups, and the index of the one it follows. */
function longestPause(series: readonly Backup[]): { readonly ms: number; readonly after: number } {
  return series.slice(1).reduce(
    (longest, backup, after) => {
      const ms = takenMs(backup) - takenMs(series[after] ?? backup);
      return ms > longest.ms ? { ms, after } : longest;
    },
    { ms: 0, after: -1 },
  );
}

function namesOf(backups: readonly Backup[]): string[] {
  return backups.map(({ facts }) => facts.name);
}

/**
 * Removes the blobs that belong to no backup; returns how many.
 * Lists and blobs are both in the order of hashes, so that memory does not grow with them. Throws when a list is
 * damaged.
 */
export async function removeUnusedBlobs(dir: string): Promise<number> {
  const backups = await listBackups(dir);
  for (const { folder } of backups) await checkBlobsList(folder);
  const kept = backups.map((backup) => openCursor(backup));
  let removed = 0;
  try {
    for await (const hashes of walkBlobs(join(dir, BLOBS_FOLDER))) {
      for (const hash of hashes) {
        // Each list is moved on, also behind one that has the hash.
        const uses = await Promise.all(kept.map((cursor) => cursor.has(hash)));
        if (uses.includes(true)) continue;
        await rm(inStore(dir, hash), { force: true });
        removed += 1;
      }
    }
  } finally {
    for (const cursor of kept) await cursor.close();
  }
  return removed;
}

/** A damaged list would let blobs of its backup go. */
async function checkBlobsList(folder: string): Promise<void> {
  const path = join(folder, BLOBS_LIST);
  for await (const { sha256, path: listed } of readList(join(folder, FILES_LIST))) {
    if (listed === BLOBS_LIST && (await readDigest(path))?.sha256 === sha256) return;
  }
  throw new Error(`${path} is damaged, so no stored file can be removed; move its folder away to go on without it`);
}

type Cursor = { readonly has: (hash: string) => Promise<boolean>; readonly close: () => Promise<unknown> };

/** Reads the list of a backup; asked for hashes in ascending order only. */
function openCursor({ folder }: Backup): Cursor {
  const list = readList(join(folder, BLOBS_LIST));
  let next: Promise<IteratorResult<{ readonly sha256: string }>> = list.next();
  return {
    has: async (hash) => {
      let at = await next;
      while (at.done !== true && at.value.sha256 < hash) {
        next = list.next();
        at = await next;
      }
      return at.done !== true && at.value.sha256 === hash;
    },
    close: () => list.return(undefined),
  };
}
