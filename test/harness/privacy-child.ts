import { openContext } from '../../src/app/context.ts';
import { resealBatch, SEALED_STORES } from '../../src/app/secrets/reseal.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { readConfig } from '../../src/lib/config.ts';
import type { Database, DatabaseAddress, Db } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { requestErasure } from '../../src/privacy/erase/request-erasure.ts';
import { beginLedgerAnew } from '../../src/privacy/ledger/begin-anew.ts';
import type { RecipientName } from '../../src/privacy/ledger/entry.ts';
import { replayLedger } from '../../src/privacy/ledger/replay.ts';
import { runBatch } from '../../src/privacy/retention/sweep.ts';
import { WALKS } from '../../src/privacy/retention/walks.ts';

// A process of its own that erases, deletes or seals anew, and kills itself before the statement, or the commit, that
// `killAt` counts. At its end it prints how many there were, and the most memory that it took.

export type PrivacyTask = {
  readonly work: 'erase' | 'sweep' | 'replay' | 'begin' | 'reseal';
  readonly address: DatabaseAddress;
  readonly dataDir: string;
  readonly secretKey: string;
  readonly formerKeys: readonly string[];
  readonly shiftMs: number;
  readonly killAt: number;
  readonly accountId?: Uuid;
  readonly recipient?: RecipientName;
};

const task = JSON.parse(process.argv[2] ?? '') as PrivacyTask;
const real = databaseClock();
const clock = { ...real, now: () => new Date(real.now().getTime() + task.shiftMs) };
const { ctx, close } = await openContext({
  config: readConfig({ DATA_DIR: task.dataDir, SECRET_KEY: task.secretKey, LOG_LEVEL: 'silent' }),
  address: task.address,
  secretKey: task.secretKey,
  formerKeys: task.formerKeys,
  log: silentLog,
  outside: { clock },
});
await ctx.database.readClock();

let taken = 0;
function count(): void {
  taken += 1;
  if (taken === task.killAt) process.kill(process.pid, 'SIGKILL');
}

const counting = (db: Db): Db => ({
  ...db,
  all: (what, values) => {
    count();
    return db.all(what, values);
  },
  one: (what, values) => {
    count();
    return db.one(what, values);
  },
});
const database: Database = {
  ...ctx.database,
  ...counting(ctx.database),
  transaction: (work) =>
    ctx.database.transaction(async (tx) => {
      const result = await work(counting(tx));
      // Before its commit.
      count();
      return result;
    }),
};
const own = { ...ctx, database };
const actor = { kind: 'command line', osUser: 'test' } as const;

const WORK: Readonly<Record<PrivacyTask['work'], () => Promise<unknown>>> = {
  erase: () => {
    const { accountId, recipient } = task;
    if (accountId === undefined || recipient === undefined) throw new Error('whose data?');
    const subject = { scope: 'recipient', accountId, recipient } as const;
    return requestErasure(own, actor, { subject, reason: undefined, waitMs: 60_000 });
  },
  sweep: async () => {
    for (const walk of WALKS) {
      for (let isOver = false; !isOver; ) {
        const outcome = await runBatch(own, { ...walk, batch: 3 }, true);
        isOver = outcome.kind !== 'done' || outcome.isEnd;
      }
    }
  },
  replay: () => replayLedger(own),
  begin: () => beginLedgerAnew(own, actor, undefined, () => {}),
  reseal: async () => {
    for (const store of SEALED_STORES) {
      while ((await resealBatch(own, store)) > 0) {
        // The next batch.
      }
    }
  },
};
await WORK[task.work]();
process.stdout.write(JSON.stringify({ taken, maxRssKb: process.resourceUsage().maxRSS }));
await close();
