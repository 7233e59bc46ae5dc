import { startService } from '../../src/app/service.ts';
import { type DemoReport, seedDemo } from '../../src/bin/seed-demo.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { readConfig } from '../../src/lib/config.ts';
import type { DatabaseAddress } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { SECRET_KEY } from './database.ts';

/** Puts the demo data into an empty database and its files into a data directory, and leaves nothing running. */
export async function seedDemoData(address: DatabaseAddress, dataDir: string): Promise<DemoReport> {
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, SECRET_KEY });
  let report: DemoReport | undefined;
  const service = await startService({
    config,
    address,
    secretKey: SECRET_KEY,
    log: silentLog,
    role: 'api',
    prepare: async (ctx) => {
      report = await seedDemo(ctx);
    },
    outside: { clock: databaseClock() },
  });
  await service.stop();
  if (report === undefined) throw new Error('the demo data was not seeded');
  return report;
}
