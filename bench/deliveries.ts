import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@platen/embedded-postgres';
import { databaseClock } from '../src/lib/clock.ts';
import { type Database, openDatabase } from '../src/lib/db.ts';
import { newId } from '../src/lib/ids.ts';
import { silentLog } from '../src/lib/log.ts';
import { claimDue, claimFromLanes, FIRST_TURN_ID } from '../src/webhooks/claim-sql.ts';
import { ANSWERING, countUnsent, HANGING, writeBacklog } from './deliveries/backlog.ts';
import type { Arrived, ReceiverReady } from './deliveries/receiver.ts';
import { type Goal, median, type Row, rowOf } from './figures.ts';
import { type ProcessorTime, processorTime, processorTimeOfAll, usedSince } from './processor-time.ts';
import { ask, endPart, startPart } from './service-process.ts';
import { textTable } from './table.ts';

export type DeliveryOptions = {
  /** About how long a round of each side takes. */
  readonly seconds: number;
  /** The larger backlog of the claims. */
  readonly pending: number;
};

const ROUNDS = 3;
/** Deliveries a second that a first round is sized by; the others by what it reached. */
const FIRST_PER_SECOND = 500;
const FEW_PENDING = 1_000;
const CLAIMS = 40;
/** Orders a second of accounts without a subscription: about what one process can place. */
const WAKES_PER_SECOND = 500;

type World = {
  readonly database: Database;
  readonly postgres: EmbeddedPostgres;
  readonly service: Part;
  readonly receiver: Part;
  readonly sender: Part;
};
type Part = Awaited<ReturnType<typeof startPart>>['child'];

/** Measures what deliveries cost, against a bare signed sender; needs Linux. */
export async function measureDeliveries({ seconds, pending }: DeliveryOptions): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  const receiver = await startPart<ReceiverReady>('deliveries/receiver.ts');
  const env = { BENCH_DATABASE: JSON.stringify(postgres.connection), BENCH_RECEIVER: JSON.stringify(receiver.ready) };
  const service = await startPart('deliveries/service.ts', { env });
  const sender = await startPart('deliveries/sender.ts', { env });
  const options = { address: postgres.connection, clock: databaseClock(), log: silentLog, connectionsMax: 2 };
  const database = await openDatabase(options);
  const world = { database, postgres, service: service.child, receiver: receiver.child, sender: sender.child };
  try {
    const rows = await measureRounds(world, seconds);
    rows.push(await measureWakes(world, seconds));
    const perSecond = rows.find(({ unit }) => unit === '/s')?.ours ?? Number.NaN;
    rows.push(await measureLags(world, seconds, perSecond / 2));
    await endPart(service.child);
    rows.push(await measureClaims(database, pending));
    return rows;
  } finally {
    for (const part of [service, sender, receiver]) await endPart(part.child);
    await database.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Sent = { readonly perSecond: number; readonly sender: ProcessorTime; readonly postgresAll: number };

async function measureRounds(world: World, seconds: number): Promise<Row[]> {
  const first = await deliver(world, FIRST_PER_SECOND * seconds);
  const count = Math.ceil(first.perSecond * seconds);
  const ours: Sent[] = [];
  const theirs: Sent[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const [own, bare] = [await deliver(world, count), await sendBare(world, count * 2)];
    ours.push(own);
    theirs.push(bare);
    process.stderr.write(`  round ${round}: deliveries ${shown(own)}; bare sender ${shown(bare)}\n`);
  }
  const against = 'bare signed sender';
  const row = (what: string, unit: string, of: (sent: Sent) => number, goal?: Goal): Row =>
    rowOf(
      ours.map((own, round) => ({ ours: of(own), theirs: of(theirs[round] ?? own) })),
      { what, unit, against, ...(goal === undefined ? {} : { goal }) },
    );
  const goal: Goal = { of: 'ours', is: 'at most', value: 0.4 };
  return [
    row('deliveries', '/s', ({ perSecond }) => perSecond),
    row('processor time of a delivery, PostgreSQL and all threads of the service', 'ms', totalOf, goal),
    row('of it PostgreSQL', 'ms', ({ postgresAll }) => postgresAll),
    row("of it the service's main thread", 'ms', ({ sender }) => sender.main),
  ];
}

function totalOf({ sender, postgresAll }: Sent): number {
  return sender.all + postgresAll;
}

function shown(sent: Sent): string {
  const { perSecond, sender, postgresAll } = sent;
  const parts = `PostgreSQL ${postgresAll.toFixed(3)}, service ${sender.all.toFixed(3)}, main thread ${sender.main.toFixed(3)}`;
  return `${Math.round(perSecond)}/s, ${totalOf(sent).toFixed(3)} ms each (${parts})`;
}

/** Deliveries through the service, from the moment they are due until all are recorded as succeeded. */
async function deliver({ database, postgres, service, receiver }: World, count: number): Promise<Sent> {
  const dueAt = new Date(Date.now() + 2_000 + count / 5);
  await writeBacklog(database, ANSWERING, count, dueAt);
  await database.script('vacuum (analyze) webhook_delivery');
  await database.script('analyze event');
  await ask<Arrived>(receiver, {});
  const waitMs = dueAt.getTime() - Date.now();
  if (waitMs < 0) throw new Error('the backlog was not written in time');
  await delay(waitMs);
  const before = readTimes(postgres, service);
  const startedAt = performance.now();
  // A look at the database is no part of the measurement, so there are few.
  let arrived = 0;
  while (arrived < count) {
    await delay(50);
    arrived += (await ask<Arrived>(receiver, {})).count;
  }
  while ((await countUnsent(database)) > 0) await delay(20);
  const elapsedMs = performance.now() - startedAt;
  const after = readTimes(postgres, service);
  if (arrived > count) process.stderr.write(`  ${arrived - count} deliveries came twice\n`);
  return perDelivery(before, after, count, (count * 1_000) / elapsedMs);
}

async function sendBare({ postgres, sender, receiver }: World, count: number): Promise<Sent> {
  const before = readTimes(postgres, sender);
  const { perSecond } = await ask<{ perSecond: number }>(sender, { count });
  const after = readTimes(postgres, sender);
  await ask<Arrived>(receiver, {});
  const sent = perDelivery(before, after, count, perSecond);
  return { ...sent, postgresAll: 0 };
}

type Times = { readonly postgres: ProcessorTime; readonly sender: ProcessorTime };

function readTimes(postgres: EmbeddedPostgres, sender: Part): Times {
  return { postgres: processorTimeOfAll(postgres.pid() ?? 0), sender: processorTime(sender.pid ?? 0) };
}

function perDelivery(before: Times, after: Times, count: number, perSecond: number): Sent {
  const sender = usedSince(before.sender, after.sender);
  const each = (value: number): number => (value * 1_000) / count;
  return {
    perSecond,
    sender: { main: each(sender.main), all: each(sender.all) },
    postgresAll: each(usedSince(before.postgres, after.postgres).all),
  };
}

/** What the hint of each placed order costs while nothing is to be delivered, beyond an idle service. */
async function measureWakes({ postgres, service }: World, seconds: number): Promise<Row> {
  const idle: number[] = [];
  const woken: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const beforeIdle = readTimes(postgres, service);
    await delay(seconds * 1_000);
    const before = readTimes(postgres, service);
    const { woken: wakes } = await ask<{ woken: number }>(service, { seconds, perSecond: WAKES_PER_SECOND });
    const after = readTimes(postgres, service);
    const rest = usedSince(beforeIdle.postgres, before.postgres).all;
    woken.push(((usedSince(before.postgres, after.postgres).all - rest) * 1_000) / wakes);
    idle.push((rest * 1_000) / wakes);
  }
  return {
    what: `processor time of PostgreSQL for each of ${WAKES_PER_SECOND} hints a second, with nothing to deliver`,
    ours: median(woken),
    against: 'idle, in the same time',
    theirs: median(idle),
    unit: 'ms',
  };
}

const BATCH_MS = 20;

/** How late first attempts are under a steady load, while a hundred other receivers never answer. */
async function measureLags({ database, receiver }: World, seconds: number, perSecond: number): Promise<Row> {
  await writeBacklog(database, HANGING, HANGING.subscriptions * 10, new Date());
  await delay(1_000);
  await ask<Arrived>(receiver, {});
  const startedAt = performance.now();
  let written = 0;
  let lags: number[] = [];
  while (performance.now() - startedAt < seconds * 2_000) {
    const wanted = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000) - written;
    if (wanted > 0) await writeBacklog(database, ANSWERING, wanted, new Date());
    written += Math.max(0, wanted);
    await delay(BATCH_MS);
  }
  const endsAt = performance.now() + 10_000;
  while (lags.length < written && performance.now() < endsAt) {
    lags = [...lags, ...(await ask<Arrived>(receiver, {})).lagsMs];
    await delay(50);
  }
  if (lags.length < written) process.stderr.write(`  ${written - lags.length} deliveries did not arrive in time\n`);
  lags.sort((a, b) => a - b);
  const at = (share: number): number => lags[Math.floor((lags.length - 1) * share)] ?? Number.NaN;
  return {
    what: `due to first attempt at ${Math.round(perSecond)}/s while ${HANGING.subscriptions} receivers hang, p99`,
    ours: at(0.99),
    against: 'p50',
    theirs: at(0.5),
    unit: 'ms',
    goal: { of: 'ours', is: 'at most', value: 250 },
  };
}

/** A pass of claims with few and with many deliveries due, in turn for a process that has all places free. */
async function measureClaims(database: Database, pending: number): Promise<Row> {
  const clear = 'truncate webhook_delivery, event cascade';
  const medianOf = async (count: number): Promise<number> => {
    await database.script(clear);
    await writeBacklog(database, ANSWERING, count, new Date(Date.now() - 1_000));
    await database.script('analyze webhook_delivery, event');
    const times: number[] = [];
    let from = FIRST_TURN_ID;
    let lane = FIRST_TURN_ID;
    for (let claim = 0; claim < CLAIMS && claim * 16 < count; claim += 1) {
      const now = new Date();
      const terms = {
        now,
        leaseUntil: new Date(now.getTime() + 30_000),
        leaseToken: newId(),
        limit: 16,
        inFlight: new Map(),
        inFlightMax: 4,
        accountInFlight: new Map(),
        accountInFlightMax: 32,
        pacedFrom: 3,
      };
      const startedAt = performance.now();
      lane = (await claimFromLanes(database, terms, lane)).next;
      from = (await claimDue(database, terms, from)).next;
      times.push(performance.now() - startedAt);
    }
    return median(times);
  };
  const few = await medianOf(FEW_PENDING);
  const many = await medianOf(pending);
  return {
    what: `a claim with ${pending} deliveries due`,
    ours: many,
    against: `with ${FEW_PENDING}`,
    theirs: few,
    unit: 'ms',
    goal: { of: 'ratio', is: 'at most', value: 1.2 },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '8' }, pending: { type: 'string', default: '1000000' } },
  });
  const rows = await measureDeliveries({ seconds: Number(values.seconds), pending: Number(values.pending) });
  process.stdout.write(`${textTable(rows)}\n`);
}
