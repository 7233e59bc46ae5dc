import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import type { Caller } from '../src/lib/caller.ts';
import { databaseClock } from '../src/lib/clock.ts';
import { readConfig } from '../src/lib/config.ts';
import { type Database, openDatabase } from '../src/lib/db.ts';
import { publicId } from '../src/lib/ids.ts';
import { silentLog } from '../src/lib/log.ts';
import { changeReplay, getReplay } from '../src/webhooks/recovery/replays.ts';
import { startReplay } from '../src/webhooks/recovery/start-replay.ts';
import { ANSWERING, REPLAYED, type Subscriptions, writeBacklog, writePast } from './deliveries/backlog.ts';
import type { Arrived, ReceiverReady } from './deliveries/receiver.ts';
import { type Goal, quantile, type Row, rowOf } from './figures.ts';
import { interleave } from './interleave.ts';
import { ask, endPart, startPart } from './service-process.ts';
import { textTable } from './table.ts';

const HELP = `npm run bench:replay [-- --events 100000] [--seconds 10] [--rounds 5] [--per-second 100]

Live deliveries come at a steady rate, to 32 accounts and to the subscription whose events are replayed. How late the
99th of a hundred is, while a replay of so many events goes on and while it is paused, in turn.
`;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    'per-second': { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
});
const [events, seconds, rounds, perSecond] = [
  Number(values.events),
  Number(values.seconds),
  Number(values.rounds),
  Number(values['per-second']),
];
if (values.help || !(events > 0) || !(seconds > 0) || !(rounds >= 1) || !(perSecond > 0)) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

/** Of the live deliveries, to the subscription that is replayed. */
const TO_REPLAYED = 0.1;
const BATCH_MS = 20;
const WITHIN_MS = 20_000;
const GOAL: Goal = { of: 'ratio', is: 'at most', value: 1.2 };

type Lags = { readonly others: readonly number[]; readonly replayed: readonly number[]; readonly old: number };

const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
const receiver = await startPart<ReceiverReady>('deliveries/receiver.ts');
const env = { BENCH_DATABASE: JSON.stringify(postgres.connection), BENCH_RECEIVER: JSON.stringify(receiver.ready) };
const service = await startPart('deliveries/service.ts', { env });
const clock = databaseClock();
const database = await openDatabase({ address: postgres.connection, clock, log: silentLog, connectionsMax: 2 });
try {
  process.stdout.write(`${textTable(await measure(database))}\n`);
} finally {
  for (const { child } of [service, receiver]) await endPart(child);
  await database.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Measures with the replay and without it, in turn; it must not have ended before the last round. */
async function measure(db: Database): Promise<Row[]> {
  const ctx = { config: readConfig({}), database: db, clock, wake: () => {} };
  const { id, account_id: accountId } = await writePast(db, events);
  await db.script('analyze event');
  const caller: Caller = { accountId, limitedAs: 'bench', scopes: new Set() };
  const subscription = publicId('whk', id);
  const since = new Date(Date.now() - 4 * 3_600_000).toISOString();
  const { replay } = await startReplay(ctx, caller, subscription, { since });
  if (replay === null) throw new Error('the replay was only counted');
  const path = { id: subscription, replay: replay.id };
  const during = async (status: 'running' | 'paused', forSeconds: number): Promise<Lags> => {
    await changeReplay(ctx, caller, path, { status });
    // The worker looks for replays every two seconds, and what is under way ends.
    await delay(2_500);
    await ask<Arrived>(receiver.child, {});
    const lags = await liveLags(db, forSeconds);
    if (lags.old > 0 !== (status === 'running')) throw new Error(`${lags.old} old events came while it was ${status}`);
    return lags;
  };
  const results = await interleave(
    { alone: (each) => during('paused', each), beside: (each) => during('running', each) },
    { rounds, seconds, onRound: (round, name, { others, replayed, old }) => show(round, name, others, replayed, old) },
  );
  const { status } = await getReplay(ctx, caller, path);
  if (status === 'completed') throw new Error('the replay ended too early: take more --events');
  const row = (what: string, of: (lags: Lags) => readonly number[]): Row =>
    rowOf(
      results.beside.map((lags, at) => ({
        ours: quantile(of(lags), 0.99),
        theirs: quantile(of(results.alone[at] ?? lags), 0.99),
      })),
      { what, unit: 'ms', against: 'while it is paused', goal: GOAL },
    );
  return [
    row(
      `live deliveries at ${perSecond}/s while ${events} events of another account are replayed, p99`,
      (lags) => lags.others,
    ),
    row('live deliveries of the subscription that is replayed, p99', (lags) => lags.replayed),
  ];
}

function show(round: number, name: string, others: readonly number[], replayed: readonly number[], old: number): void {
  const of = (lags: readonly number[]): string =>
    `${Math.round(quantile(lags, 0.5))} / ${Math.round(quantile(lags, 0.99))} ms`;
  process.stderr.write(
    `  round ${round}, ${name}: ${others.length} of others ${of(others)}, ${replayed.length} of its own ${of(replayed)}, ${old} replayed\n`,
  );
}

/** Writes live events at the rate, and says how late each arrived. */
async function liveLags(db: Database, forSeconds: number): Promise<Lags> {
  const written = { others: 0, replayed: 0 };
  const writeTo = async (
    to: Subscriptions,
    key: keyof typeof written,
    share: number,
    startedAt: number,
  ): Promise<void> => {
    const wanted = Math.floor(((performance.now() - startedAt) * perSecond * share) / 1_000) - written[key];
    if (wanted <= 0) return;
    await writeBacklog(db, to, wanted, new Date());
    written[key] += wanted;
  };
  const startedAt = performance.now();
  while (performance.now() - startedAt < forSeconds * 1_000) {
    await writeTo(ANSWERING, 'others', 1 - TO_REPLAYED, startedAt);
    await writeTo(REPLAYED, 'replayed', TO_REPLAYED, startedAt);
    await delay(BATCH_MS);
  }
  const lags = { others: [] as number[], replayed: [] as number[], old: 0 };
  const endsAt = performance.now() + WITHIN_MS;
  while (lags.others.length < written.others || lags.replayed.length < written.replayed) {
    if (performance.now() > endsAt) throw new Error('live deliveries did not arrive in time');
    const arrived = await ask<Arrived>(receiver.child, {});
    lags.others.push(...arrived.lagsMs);
    lags.replayed.push(...arrived.replayed.lagsMs);
    lags.old += arrived.replayed.old;
    await delay(50);
  }
  const sorted = (some: readonly number[]): number[] => some.toSorted((a, b) => a - b);
  return { others: sorted(lags.others), replayed: sorted(lags.replayed), old: lags.old };
}
