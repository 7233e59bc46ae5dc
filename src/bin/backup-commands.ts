import { join, resolve } from 'node:path';
import { clusterDirectory, MAJOR_VERSION, startEmbeddedPostgres } from '@platen/embedded-postgres';
import { type AppContext, openContext } from '../app/context.ts';
import { borrowDatabaseServer } from '../app/database-server.ts';
import { readSecretKeys, type SecretKeys } from '../app/secrets/key-files.ts';
import { neededKeys } from '../app/secrets/status.ts';
import { markRestored } from '../artwork/store/marker.ts';
import { chooseBackup } from '../backup/choose-backup.ts';
import { copyLedger } from '../backup/copy-ledger.ts';
import type { Backup } from '../backup/layout.ts';
import { WrongFolder } from '../backup/open-folder.ts';
import { restoreFiles } from '../backup/restore-files.ts';
import { openTarget } from '../backup/restore-target.ts';
import { secretKeyCheck } from '../backup/secret-key.ts';
import { readRestored, setBackupTaken } from '../backup/sql.ts';
import { takeBackup } from '../backup/take-backup.ts';
import { PLATEN_VERSION } from '../http/platen-version.ts';
import { blobFolder } from '../lib/blobs.ts';
import { type Config, readConfig } from '../lib/config.ts';
import type { DatabaseAddress } from '../lib/db.ts';
import { isMigrated, migrate } from '../lib/migrations/migrate.ts';
import { secretKeyId } from '../lib/secrets.ts';
import { LEDGER_FOLDER, ledgerFolder } from '../privacy/ledger/ledger-file.ts';
import { replayLedger } from '../privacy/ledger/replay.ts';
import { verify } from '../verify/verify.ts';
import { commandLog, type Output } from './commands.ts';
import { progressLine } from './progress-line.ts';
import { printResult, UsageError } from './report.ts';

export type BackupOptions = Output & { readonly keepDays: number };
export type RestoreOptions = Output & { readonly at?: string; readonly to?: string };

/** `platen backup` */
export async function backup(dir: string, options: BackupOptions): Promise<void> {
  const beganMs = performance.now();
  const config = embeddedOnly(readConfig(), 'backup');
  const log = commandLog(config);
  const server = await borrowDatabaseServer(config, log);
  try {
    const keys = await readSecretKeys(config);
    const { secretKey } = keys;
    const source = {
      address: server.address,
      dataDir: resolve(config.dataDir),
      blobFiles: join(blobFolder(config.blobStore, resolve(config.dataDir)), 'files'),
      ledger: ledgerFolder({ ...config, dataDir: resolve(config.dataDir) }),
      secretKey,
      isKeySet: config.secretKey !== undefined,
      keyIds: () => readNeededKeys(config, server.address, keys),
      platenVersion: PLATEN_VERSION,
    };
    const { folder, facts, copied, removed, doubted, datedLater } = await asUsage(
      takeBackup(source, { dir: resolve(dir), keepDays: options.keepDays, progress: progressLine() }),
    );
    await noteBackup(config, server.address, keys, new Date(facts.taken_at));
    const known = [keys.secretKey, ...keys.formerKeys].map(secretKeyId);
    const missingKeys = (facts.secret_key_ids ?? []).filter((id) => !known.includes(id));
    const result = {
      backup: facts.name,
      folder,
      taken_at: facts.taken_at,
      took_seconds: secondsSince(beganMs),
      database_bytes: facts.database_bytes,
      blobs: facts.blobs,
      blob_bytes: facts.blob_bytes,
      new_blobs: copied.blobs,
      new_blob_bytes: copied.bytes,
      damaged_blobs: facts.damaged_blobs,
      secret_key: facts.secret_key,
      missing_keys: missingKeys,
      removed_backups: removed.backups,
      removed_blobs: removed.blobs,
      doubted_backups: doubted,
      dated_later: datedLater,
    };
    printResult(options, result, [
      `Backed up to ${folder} in ${result.took_seconds} s, as it was at ${facts.taken_at}.`,
      `Database ${megabytes(facts.database_bytes)}; ${facts.blobs} stored files ${megabytes(facts.blob_bytes)}, of which ${copied.blobs} are new.`,
      facts.secret_key === 'in the backup'
        ? 'It holds secret.key, and customers’ data: keep it as safe as the service.'
        : 'It holds customers’ data, and not SECRET_KEY, which the settings hold: keep that beside it, or nothing sealed can be read.',
      ...missingLines(missingKeys),
      ...(removed.backups.length === 0 ? [] : [`Removed as too old: ${removed.backups.join(', ')}.`]),
      ...(doubted.length === 0
        ? []
        : [
            `Kept although too old by the clock: ${doubted.join(', ')}. After such a pause the clock may be wrong; if it is right, they go in time, or remove their folders.`,
          ]),
      ...(datedLater.length === 0
        ? []
        : [
            `Dated later than this one, so the clock was wrong once: ${datedLater.join(', ')}. Set the clock, and restore with --at while they are there: without it the last of them is taken.`,
          ]),
    ]);
    if (facts.damaged_blobs.length > 0) {
      throw new Error(
        `the backup is whole but for ${facts.damaged_blobs.length} stored files whose bytes have changed in the store of the service: ${facts.damaged_blobs.join(', ')}`,
      );
    }
  } finally {
    await server.stop();
  }
}

/** `platen restore` */
export async function restore(dir: string, options: RestoreOptions): Promise<void> {
  const beganMs = performance.now();
  const settings = options.to === undefined ? embeddedOnly(readConfig(), 'restore') : readConfig();
  const config =
    options.to === undefined
      ? settings
      : { ...settings, dataDir: options.to, blobStore: 'file:', erasureLedger: undefined };
  const dataDir = resolve(config.dataDir);
  const chosen = await asUsage(chooseBackup(dir, options.at));
  refuseOtherVersion(chosen);
  const secretKey = keyFor(chosen, config);
  const target = await openTarget(dataDir, dir);
  const progress = progressLine();
  try {
    const blobFiles = join(blobFolder(config.blobStore, dataDir), 'files');
    const { owner } = target;
    const read = await restoreFiles(
      chosen,
      { dataDir, cluster: clusterDirectory(dataDir), blobFiles, owner },
      progress,
    );
    const restored = { ...config, dataDir, databaseUrl: undefined };
    await copyLedger(join(resolve(dir), LEDGER_FOLDER), ledgerFolder(restored), owner);
    progress.begin('Recovering the database, and verifying it');
    const { erased, ...report } = await withRestored(chosen, restored, async (ctx) => {
      await markRestored(ctx);
      return {
        erased: await replayLedger(ctx),
        ...(await violationsOf(ctx)),
        missingKeys: await missingKeysOf(chosen, ctx),
      };
    });
    progress.end();
    await target.finish();
    const { facts } = chosen;
    const result = {
      backup: facts.name,
      data_dir: dataDir,
      taken_at: facts.taken_at,
      age_seconds: ageSeconds(chosen),
      took_seconds: secondsSince(beganMs),
      database_bytes: facts.database_bytes,
      blobs: read.blobs,
      blob_bytes: facts.blob_bytes,
      secret_key: secretKey,
      erased_orders: erased.orders,
      erased_accounts: erased.accounts,
      missing_keys: report.missingKeys,
      ok: report.violations.length === 0,
      checks: report.checks,
      violations: report.violations,
    };
    printResult(options, result, [
      `Restored ${facts.name} into ${dataDir} in ${result.took_seconds} s.`,
      `It is as the shop was at ${facts.taken_at}, ${age(result.age_seconds)} ago; what came later is not in it.`,
      `${read.files + read.blobs} files agree with their checksums. Checks: ${report.checks}, broken: ${report.violations.length}.`,
      KEY_LINES[secretKey],
      `Erased again by the ledger of erasures: orders ${erased.orders}, accounts ${erased.accounts}.`,
      ...missingLines(report.missingKeys),
      ...report.violations.map((line) => `        ${line}`),
    ]);
    if (report.violations.length > 0) {
      throw new Error(`the backup is restored as it was taken, with ${report.violations.length} broken invariants`);
    }
  } finally {
    progress.end();
    await target.release();
  }
}

const KEY_LINES = {
  restored: 'secret.key is restored with it.',
  set: 'The key that the backup was taken with is set.',
  differs:
    'The key that the backup was taken with is not set: webhook secrets cannot be unsealed. Add it to SECRET_KEY_OLD.',
} as const;

/** Says where the key of the restored shop comes from; refuses a restore without one. */
function keyFor({ facts }: Backup, config: Config): keyof typeof KEY_LINES {
  if (config.secretKey !== undefined) {
    const keys = [config.secretKey, ...config.formerSecretKeys];
    return keys.some((key) => secretKeyCheck(facts.name, key) === facts.secret_key_check) ? 'set' : 'differs';
  }
  if (facts.secret_key === 'in the backup') return 'restored';
  throw new UsageError('the backup was taken with SECRET_KEY set, and does not hold it: set the same SECRET_KEY');
}

/** The ids of the keys that the data of a database needs; undefined before its migrations. */
async function readNeededKeys(config: Config, address: DatabaseAddress, keys: SecretKeys) {
  const { ctx, close } = await openContext({ config, address, ...keys, log: commandLog(config) });
  try {
    return (await isMigrated(ctx.database)) ? await neededKeys(ctx) : undefined;
  } finally {
    await close();
  }
}

/** Notes the time of a whole backup, for the metric of its age. */
async function noteBackup(config: Config, address: DatabaseAddress, keys: SecretKeys, takenAt: Date): Promise<void> {
  const { ctx, close } = await openContext({ config, address, ...keys, log: commandLog(config) });
  try {
    if (await isMigrated(ctx.database)) await setBackupTaken(ctx.database, takenAt);
  } finally {
    await close();
  }
}

/** The ids of the keys that the data of a restored backup needs and that are not set. */
export async function missingKeysOf({ facts }: Backup, ctx: AppContext): Promise<string[]> {
  const needed = new Set([...(facts.secret_key_ids ?? []), ...(await neededKeys(ctx))]);
  return [...needed].filter((id) => !ctx.secrets.keyIds.includes(id));
}

/** A line for each key that is missing. */
export function missingLines(ids: readonly string[]): string[] {
  return ids.map((id) => `Key ${id} is not set, and what it seals cannot be read: add it to SECRET_KEY_OLD.`);
}

/** Refuses the files of another major version before the first is copied. */
export function refuseOtherVersion({ facts }: Backup): void {
  if (facts.postgres.split('.')[0] === MAJOR_VERSION) return;
  throw new Error(
    `the backup is of PostgreSQL ${facts.postgres}, and this version of Platen runs ${MAJOR_VERSION}: restore it with the version that took it (${facts.platen})`,
  );
}

/**
 * Starts the server on restored files, lets it recover, and works on the database.
 * Throws when it is not the cluster of the backup, or does not reach the backup's end.
 */
export async function withRestored<T>(
  { facts }: Backup,
  config: Config,
  work: (ctx: AppContext) => Promise<T>,
): Promise<T> {
  const log = commandLog(config);
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  try {
    const keys = await readSecretKeys(config);
    const { ctx, close } = await openContext({ config, address: server.connection, ...keys, log });
    try {
      const found = await readRestored(ctx.database, facts.stop_lsn);
      if (found.systemIdentifier !== facts.system_identifier || !found.isWhole) {
        throw new Error('the restored database is not the one of the backup, or has not recovered to its end');
      }
      await migrate(ctx.database);
      return await work(ctx);
    } finally {
      await close();
    }
  } finally {
    await server.stop();
  }
}

export type Checked = {
  readonly checks: number;
  readonly checked: readonly { readonly name: string; readonly violations: number }[];
  readonly violations: readonly string[];
};

/** Runs `platen verify`. */
export async function violationsOf(ctx: AppContext): Promise<Checked> {
  const { checks } = await verify(ctx);
  const violations = checks.flatMap(({ name, violations: found }) => found.map((violation) => `${name}: ${violation}`));
  const checked = checks.map(({ name, violations: found }) => ({ name, violations: found.length }));
  return { checks: checks.length, checked, violations };
}

/** How long ago the moment is that a backup is of. */
export function ageSeconds({ facts }: Backup): number {
  return Math.round((Date.now() - Date.parse(facts.taken_at)) / 1_000);
}

/** An age for a person. */
export function age(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

/** Whole seconds since a moment of `performance.now()`, at least 1. */
export function secondsSince(beganMs: number): number {
  return Math.max(1, Math.round((performance.now() - beganMs) / 1_000));
}

/** Makes a folder that cannot be used a wrong argument. */
export async function asUsage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof WrongFolder ? new UsageError(error.message) : error;
  }
}

function embeddedOnly(config: Config, command: string): Config {
  if (config.databaseUrl === undefined) return config;
  throw new UsageError(
    `platen ${command} is for the embedded database, and DATABASE_URL is set: see "Back up" in docs/runbook.md`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}
