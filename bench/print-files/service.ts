import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccount } from '../../src/accounts/create-account.ts';
import { startService } from '../../src/app/service.ts';
import { printFileOf } from '../../src/artwork/recipe.ts';
import { NORMALISE_JOB } from '../../src/artwork/sql.ts';
import { readConfig } from '../../src/lib/config.ts';
import { type DatabaseAddress, statement } from '../../src/lib/db.ts';
import { createLog } from '../../src/lib/log.ts';
import { migrate } from '../../src/lib/migrations/migrate.ts';
import { enqueue } from '../../src/lib/queue.ts';
import { answer } from '../service-process.ts';
import { drawPictures, positionOf, type Round, TEMPLATE } from './work.ts';

/** The service under measurement: it makes print files of stored artwork, as after an order. */
const address = JSON.parse(process.env.BENCH_DATABASE ?? '{}') as DatabaseAddress;
const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'));
const config = readConfig({ PORT: '0', DATA_DIR: dataDir, SECRET_KEY: 'a secret key of the benchmark, long enough' });
const { ctx, stop } = await startService({
  config,
  address,
  secretKey: config.secretKey ?? '',
  log: createLog('error'),
  role: 'worker',
  prepare: (starting) => migrate(starting.database).then(() => undefined),
});
const accountId = await createAccount(ctx, { name: 'Bench' });
const hashes = await Promise.all((await drawPictures()).map((picture) => ctx.blobs.put(picture)));
process.send?.({});

const ASK = statement<never>(
  'bench_ask_print_file',
  `insert into print_file (key, account_id, recipe, state, created_at) values (decode($1, 'hex'), $2, $3, 'pending', $4)`,
);
const UNMADE = statement<{ unmade: number; failed: number }>(
  'bench_unmade',
  `select count(*) filter (where state = 'pending') as unmade, count(*) filter (where state = 'failed') as failed
   from print_file`,
);

answer(async ({ round, files }: Round) => {
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    for (let file = 0; file < files; file += 1) {
      const { key, recipe } = printFileOf(
        accountId,
        hashes[file % hashes.length] ?? '',
        TEMPLATE,
        positionOf(round, file),
      );
      await tx.all(ASK, [key, accountId, JSON.stringify(recipe), now]);
      await enqueue(tx, { kind: NORMALISE_JOB, key, payload: {}, runAt: now, accountId });
    }
  });
  ctx.wake(NORMALISE_JOB);
  for (;;) {
    const found = await ctx.database.one(UNMADE, []);
    if (found === undefined || found.failed > 0) throw new Error('a print file could not be made');
    if (found.unmade === 0) return {};
    await delay(200);
  }
});
process.on('SIGTERM', () => void end());

async function end(): Promise<void> {
  await stop();
  await rm(dataDir, { recursive: true, force: true });
  process.exit(0);
}
