import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterDirectory } from '@platen/embedded-postgres';
import { syncFolder, writeDurably } from '../copy-file.ts';

/** The data directory in which the new cluster is made; below that of the service. */
export const UPGRADE_FOLDER = 'postgres-upgrade';
/** Lies in a data directory from before the first rename until after the last. */
const UNFINISHED = 'postgres-upgrade-unfinished';
const KEPT_PREFIX = 'postgres-before-';

/** Throws a one-line Error when an exchange of the cluster was interrupted. */
export function refuseUnfinishedUpgrade(dataDir: string): void {
  if (!existsSync(join(dataDir, UNFINISHED))) return;
  throw new Error(
    `platen upgrade-database was interrupted while it exchanged the database in ${dataDir}: run it again, it finishes`,
  );
}

/**
 * Puts the new cluster in the place of the earlier one, which is kept beside it.
 * A kill leaves a state from which `finishSwap` goes on; until then no service starts. Both servers are stopped.
 */
export async function swapClusters(dataDir: string, major: string): Promise<void> {
  refuseKept(dataDir, major);
  const kept = `${KEPT_PREFIX}${major}`;
  await writeDurably(join(dataDir, UNFINISHED), kept);
  await syncFolder(dataDir);
  await rename(clusterDirectory(dataDir), join(dataDir, kept));
  await syncFolder(dataDir);
  await finishSwap(dataDir);
}

/** Finishes an exchange that was interrupted; false when there is none. */
export async function finishSwap(dataDir: string): Promise<boolean> {
  if (!existsSync(join(dataDir, UNFINISHED))) return false;
  const work = join(dataDir, UPGRADE_FOLDER);
  const place = clusterDirectory(dataDir);
  const made = clusterDirectory(work);
  const kept = (await readFile(join(dataDir, UNFINISHED), 'utf8')).trim();
  const isMoved = kept !== '' && existsSync(join(dataDir, kept));
  // Killed before the first rename: nothing was exchanged, and the copy is as whole as it was proved to be.
  if (!isMoved) {
    await rm(join(dataDir, UNFINISHED));
    await syncFolder(dataDir);
    return false;
  }
  if (!existsSync(place)) {
    await rename(made, place);
    await syncFolder(dataDir);
  }
  await rm(work, { recursive: true, force: true });
  await rm(join(dataDir, UNFINISHED));
  await syncFolder(dataDir);
  return true;
}

/** Throws a one-line Error when a cluster of a major version is kept already. */
export function refuseKept(dataDir: string, major: string): void {
  const kept = join(dataDir, `${KEPT_PREFIX}${major}`);
  if (!existsSync(kept)) return;
  throw new Error(`${kept} is there from an earlier step: move it away, and run it again`);
}

/** The names of the earlier clusters that are kept. */
export async function keptClusters(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => name.startsWith(KEPT_PREFIX)).toSorted();
}

/** Removes the earlier clusters that are kept; returns their names. */
export async function removeKeptClusters(dataDir: string): Promise<string[]> {
  refuseUnfinishedUpgrade(dataDir);
  const kept = await keptClusters(dataDir);
  for (const name of kept) await rm(join(dataDir, name), { recursive: true, force: true });
  await syncFolder(dataDir);
  return kept;
}
