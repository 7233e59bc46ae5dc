import { resolve } from 'node:path';
import { MAJOR_VERSION, readClusterVersion } from '@platen/embedded-postgres';
import { claimDataDir } from '@platen/embedded-postgres/data-dir';
import { openContext } from '../../app/context.ts';
import { readSecretKeys } from '../../app/secrets/key-files.ts';
import { keptClusters, removeKeptClusters } from '../../backup/upgrade/swap-clusters.ts';
import { type UpgradeOptions, upgradeCluster } from '../../backup/upgrade/upgrade-cluster.ts';
import { type Config, readConfig } from '../../lib/config.ts';
import { migrate } from '../../lib/migrations/migrate.ts';
import { violationsOf } from '../backup-commands.ts';
import { commandLog, type Output } from '../commands.ts';
import { progressLine } from '../progress-line.ts';
import { printResult, UsageError } from '../report.ts';

export type UpgradeDatabaseOptions = Output & { readonly fromBinaries?: string; readonly removeOld?: boolean };

/** `platen upgrade-database`: brings the embedded database to the PostgreSQL that this version runs. */
export async function upgradeDatabase(options: UpgradeDatabaseOptions): Promise<void> {
  const config = readConfig();
  if (config.databaseUrl !== undefined) {
    throw new UsageError('platen upgrade-database is for the embedded database, and DATABASE_URL is set');
  }
  const dataDir = resolve(config.dataDir);
  if (options.removeOld === true) return removeOld(dataDir, options);
  const major = await readClusterVersion(dataDir);
  const isExchanging = major === undefined && (await keptClusters(dataDir).catch(() => [])).length > 0;
  if (!isExchanging && major === undefined) throw new UsageError(`${dataDir} holds no database`);
  const claim = await claimDataDir(dataDir);
  const progress = progressLine();
  try {
    if (major === MAJOR_VERSION && options.fromBinaries === undefined) {
      throw new UsageError(`the database is of PostgreSQL ${MAJOR_VERSION} already, which this version runs`);
    }
    if (!isExchanging && options.fromBinaries === undefined) {
      throw new UsageError(
        `give --from-binaries: a folder with the programs of PostgreSQL ${major} (docs/runbook.md, "The next PostgreSQL")`,
      );
    }
    const programs = resolve(options.fromBinaries ?? '.');
    const report = await upgradeCluster({ dataDir, programs, progress, ...upgradeParts(config) });
    progress.end();
    if (report.kind === 'finished') {
      const result = { upgraded: true, finished: true, kept: await keptClusters(dataDir) };
      printResult(options, result, ['The exchange that was interrupted is finished.', ...KEPT_LINES]);
      return;
    }
    const { kind: _, ...figures } = report;
    printResult(options, { upgraded: true, finished: false, ...figures, kept: [report.kept] }, [
      `The database is of PostgreSQL ${report.to} now: ${report.rows} rows of ${report.tables} tables were copied, compared and verified.`,
      ...KEPT_LINES,
    ]);
  } finally {
    progress.end();
    await claim.release();
  }
}

const KEPT_LINES = [
  'The earlier one is kept beside it. Start the service, take a backup, and then remove it: platen upgrade-database --remove-old.',
];

async function removeOld(dataDir: string, options: Output): Promise<void> {
  if ((await readClusterVersion(dataDir)) !== MAJOR_VERSION) {
    throw new UsageError(`the database in ${dataDir} is not of PostgreSQL ${MAJOR_VERSION}: nothing is removed`);
  }
  const removed = await removeKeptClusters(dataDir);
  printResult(options, { removed }, [removed.length === 0 ? 'None is kept.' : `Removed ${removed.join(', ')}.`]);
}

/** What the copy needs of the parts to the right of it. */
export function upgradeParts(config: Config): Pick<UpgradeOptions, 'log' | 'migrate' | 'violations'> {
  const log = commandLog(config);
  const withDatabase: <T>(
    address: Parameters<UpgradeOptions['migrate']>[0],
    work: (ctx: Awaited<ReturnType<typeof openContext>>['ctx']) => Promise<T>,
  ) => Promise<T> = async (address, work) => {
    const { ctx, close } = await openContext({ config, address, ...(await readSecretKeys(config)), log });
    try {
      return await work(ctx);
    } finally {
      await close();
    }
  };
  return {
    log,
    migrate: (address) =>
      withDatabase(address, async (ctx) => {
        await migrate(ctx.database, { log });
      }),
    violations: (address) => withDatabase(address, async (ctx) => (await violationsOf(ctx)).violations),
  };
}
