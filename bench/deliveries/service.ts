import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/create-account.ts';
import { startService } from '../../src/app/service.ts';
import { seedDemo } from '../../src/bin/seed-demo.ts';
import { readConfig } from '../../src/lib/config.ts';
import type { DatabaseAddress } from '../../src/lib/db.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLog } from '../../src/lib/log.ts';
import { migrate } from '../../src/lib/migrations/migrate.ts';
import { newSigningSecret } from '../../src/webhooks/sign.ts';
import { insertSubscription } from '../../src/webhooks/subscription-sql.ts';
import { answer } from '../service-process.ts';
import { ANSWERING, HANGING, REPLAYED } from './backlog.ts';
import type { ReceiverReady } from './receiver.ts';

/**
 * The service under measurement: the whole of it, in a process of its own. Events are due at once.
 * The demo account has no subscription, as most accounts.
 */
const address = JSON.parse(process.env.BENCH_DATABASE ?? '{}') as DatabaseAddress;
const receiver = JSON.parse(process.env.BENCH_RECEIVER ?? '{}') as ReceiverReady;
const dataDir = await mkdtemp(join(tmpdir(), 'platen-bench-'));
const config = readConfig({
  PORT: '0',
  DATA_DIR: dataDir,
  SECRET_KEY: 'a secret key of the benchmark, long enough',
  WEBHOOK_FLUSH_SECONDS: '0',
  TRUSTED_PRIVATE_HOSTS: receiver.hostPort,
});
const service = await startService({
  config,
  address,
  secretKey: config.secretKey ?? '',
  log: createLog('error'),
  role: 'all',
  outside: { outbound: { extraAuthority: receiver.authorityPem } },
  prepare: async (ctx) => {
    await migrate(ctx.database);
    await seedDemo(ctx);
    const paths = [
      ...Array.from({ length: ANSWERING.subscriptions }, () => 'answers'),
      ...Array.from({ length: HANGING.subscriptions }, () => 'hangs'),
      ...Array.from({ length: REPLAYED.subscriptions }, () => 'replayed'),
    ];
    for (const [index, path] of paths.entries()) {
      const accountId = await createAccount(ctx, { name: `Bench ${index}` });
      await insertSubscription(ctx.database, {
        id: newId(),
        accountId,
        url: `https://${receiver.hostPort}/${path}`,
        events: [],
        description: '',
        secretSealed: ctx.secrets.seal(newSigningSecret()),
        now: ctx.clock.now(),
      });
    }
  },
});
process.send?.({});

/** Wakes the worker so many times a second for a while, as placed orders without a subscription do. */
answer(async ({ seconds, perSecond }: { seconds: number; perSecond: number }) => {
  const startedAt = performance.now();
  let woken = 0;
  while (performance.now() - startedAt < seconds * 1_000) {
    service.ctx.wakeDeliveries();
    woken += 1;
    const dueInMs = startedAt + (woken * 1_000) / perSecond - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueInMs)));
  }
  return { woken };
});
process.on('SIGTERM', () => void end());

async function end(): Promise<void> {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
  process.exit(0);
}
