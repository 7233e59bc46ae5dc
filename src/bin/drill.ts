import { lstat, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { clusterDirectory } from '@platen/embedded-postgres';
import { claimDataDir } from '@platen/embedded-postgres/data-dir';
import { chooseBackup } from '../backup/choose-backup.ts';
import { BLOBS_FOLDER } from '../backup/layout.ts';
import { restoreFiles } from '../backup/restore-files.ts';
import { countRows } from '../backup/sql.ts';
import { readConfig } from '../lib/config.ts';
import {
  age,
  ageSeconds,
  asUsage,
  type Checked,
  missingKeysOf,
  missingLines,
  refuseOtherVersion,
  secondsSince,
  violationsOf,
  withRestored,
} from './backup-commands.ts';
import type { Output } from './commands.ts';
import { progressLine } from './progress-line.ts';
import { printResult, UsageError } from './report.ts';

export type DrillOptions = Output & { readonly at?: string; readonly scratch?: string };

const SCRATCH_PREFIX = 'platen-drill-';
/** A younger scratch folder may be of a drill that has not claimed it yet. */
const SCRATCH_AGE_MS = 60_000;

/**
 * `platen drill`: proves that a backup can be restored.
 * The database is restored into a scratch folder and recovered there; stored files are read where they are. What a
 * killed drill left is removed by the next.
 */
export async function drill(dir: string, options: DrillOptions): Promise<void> {
  const beganMs = performance.now();
  const config = readConfig();
  const chosen = await asUsage(chooseBackup(dir, options.at));
  refuseOtherVersion(chosen);
  const parent = resolve(options.scratch ?? tmpdir());
  await removeLeft(parent);
  const dataDir = await makeScratch(parent);
  const progress = progressLine();
  try {
    const claim = await claimDataDir(dataDir);
    try {
      const target = { dataDir, cluster: clusterDirectory(dataDir), blobFiles: undefined, owner: undefined };
      const read = await restoreFiles(chosen, target, progress);
      await mkdir(join(dataDir, BLOBS_FOLDER), { mode: 0o700 });
      await symlink(join(resolve(dir), BLOBS_FOLDER), join(dataDir, BLOBS_FOLDER, 'files'));
      progress.begin('Recovering the database, and verifying it');
      const scratchConfig = { ...config, dataDir, blobStore: 'file:', databaseUrl: undefined };
      const found = await withRestored(chosen, scratchConfig, async (ctx) => ({
        ...(await countRows(ctx.database)),
        ...(await violationsOf(ctx)),
        missing_keys: await missingKeysOf(chosen, ctx),
      }));
      progress.end();
      const result = {
        backup: chosen.facts.name,
        ok: found.violations.length === 0,
        taken_at: chosen.facts.taken_at,
        age_seconds: ageSeconds(chosen),
        took_seconds: secondsSince(beganMs),
        files: read.files,
        blobs: read.blobs,
        bytes: read.bytes,
        ...found,
      };
      printResult(options, result, [
        `The backup ${result.backup} can be restored: proved in ${result.took_seconds} s. It is ${age(result.age_seconds)} old.`,
        `${read.files} files and ${read.blobs} stored files agree with their checksums.`,
        `${found.accounts} accounts, ${found.orders} orders, ${found.postings} postings, ${found.events} events.`,
        ...found.checked.map(({ name, violations }) => `${violations === 0 ? 'ok    ' : 'BROKEN'}  ${name}`),
        `Checks: ${found.checks}, passed: ${passedOf(found)}, broken: ${found.checks - passedOf(found)}.`,
        ...missingLines(found.missing_keys),
        ...found.violations.map((line) => `        ${line}`),
      ]);
      if (found.violations.length > 0)
        throw new Error(`${found.violations.length} invariants of the backup are broken`);
    } finally {
      await claim.release();
    }
  } finally {
    progress.end();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function passedOf({ checked }: Checked): number {
  return checked.filter(({ violations }) => violations === 0).length;
}

async function makeScratch(parent: string): Promise<string> {
  try {
    return await mkdtemp(join(parent, SCRATCH_PREFIX));
  } catch (error) {
    throw new UsageError(`no scratch folder can be made in ${parent}: name another with --scratch`, { cause: error });
  }
}

/** Removes what drills left that were killed: a claim can be had only where none runs. */
async function removeLeft(parent: string): Promise<void> {
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.startsWith(SCRATCH_PREFIX));
  for (const name of names) {
    const path = join(parent, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    if (Date.now() - found.mtimeMs < SCRATCH_AGE_MS) continue;
    const claim = await claimDataDir(path).catch(() => undefined);
    if (claim === undefined) continue;
    await claim.release();
    await rm(path, { recursive: true, force: true });
  }
}
