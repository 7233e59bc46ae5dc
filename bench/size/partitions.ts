import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { firstIdAt } from '../../src/lib/ids.ts';
import { openWalks } from '../../src/privacy/retention/progress-sql.ts';
import { runBatch } from '../../src/privacy/retention/sweep.ts';
import { WALKS } from '../../src/privacy/retention/walks.ts';
import { median } from '../figures.ts';
import { shown } from '../table.ts';
import { compareSizes, ratioOf } from './compare.ts';
import { startSizedServer } from './server.ts';
import { openSubject, type Subject } from './subject.ts';

// What partitions by time cost and spare (docs/decisions/0048): the same orders in tables as they are and in partitions
// of 30 days, measured in turn; then old deliveries deleted by the sweep, and a partition of them dropped.

const HELP = `node bench/size/partitions.ts [--keep FOLDER] [--orders 100000] [--per-day 250] [--rounds 7] [--batches 100]`;
const TABLES = ['event', 'webhook_delivery', 'order_history'] as const;
const DAY_MS = 86_400_000;
const PARTITION_DAYS = 30;
const MEGABYTE = 1024 ** 2;

const { values: options } = parseArgs({
  options: {
    keep: { type: 'string' },
    orders: { type: 'string', default: '100000' },
    'per-day': { type: 'string', default: '250' },
    rounds: { type: 'string', default: '7' },
    batches: { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
});
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

if (options.help || options.keep === undefined) write(HELP);
else await main(options.keep);

async function main(folder: string): Promise<void> {
  const [orders, perDay] = [Number(options.orders), Number(options['per-day'])];
  const server = await startSizedServer(join(folder), say);
  const subjects: Subject[] = [];
  try {
    const plain = await server.database({ orders, perDay });
    const parted = await server.variant(plain, 'partitioned', partition);
    for (const database of [plain, parted]) subjects.push(await openSubject(server, orders, database));
    const only = ['/events', '/orders', '/webhooks', 'deliveries:', 'retention: events', 'retention: deliveries'];
    const compared = await compareSizes(subjects, { rounds: Number(options.rounds), only, say });
    write('| What | One table, ms | Partitions, ms | Ratio |\n|---|---|---|---|');
    for (const one of compared) write(`| ${one.what} | ${one.ms.map(shown).join(' | ')} | ${shown(ratioOf(one))} |`);
    for (const subject of subjects) await reportSweep(subject);
    await reportDrop(subjects[1]?.service.ctx.database);
  } finally {
    for (const subject of subjects) await subject.close();
    await server.stop();
  }
}

/** Copies each table into one of partitions of 30 days. */
async function partition(client: pg.Client): Promise<void> {
  await client.query(
    "set maintenance_work_mem = '512MB'; set synchronous_commit = off; set session_replication_role = replica",
  );
  const { rows } = await client.query<{ first: Date; last: Date }>(
    'select min(created_at) as first, max(created_at) as last from event',
  );
  const [first, last] = [rows[0]?.first.getTime() ?? 0, rows[0]?.last.getTime() ?? 0];
  for (const table of TABLES) {
    await client.query(`alter table ${table} rename to ${table}_plain`);
    await client.query(
      `create table ${table} (like ${table}_plain including defaults including constraints including indexes) partition by range (id)`,
    );
    let from = 'minvalue';
    let index = 0;
    for (let at = first + PARTITION_DAYS * DAY_MS; ; at += PARTITION_DAYS * DAY_MS) {
      const to = at > last + PARTITION_DAYS * DAY_MS ? 'maxvalue' : `'${firstIdAt(new Date(at))}'`;
      await client.query(`create table ${table}_${index} partition of ${table} for values from (${from}) to (${to})`);
      if (to === 'maxvalue') break;
      from = to;
      index += 1;
    }
    const { rows: columns } = await client.query<{ list: string }>(
      `select string_agg(attname, ', ' order by attnum) as list from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped`,
    );
    const list = columns[0]?.list ?? '';
    await client.query(`insert into ${table} (${list}) select ${list} from ${table}_plain order by id`);
    await client.query(`drop table ${table}_plain`);
    say(`${table}: ${index + 1} partitions`);
  }
  await client.query('vacuum analyze');
}

/** Has the sweep delete old deliveries, and reports what a thousand rows cost. */
async function reportSweep({ service }: Subject): Promise<void> {
  const { database, config, clock, log } = service.ctx;
  const walk = WALKS.find(({ name }) => name === 'deliveries');
  if (walk === undefined) throw new Error('there is no walk over deliveries');
  const walAt = async (): Promise<number> =>
    (
      await database.one<{ at: number }>(
        { name: '', text: "select (pg_current_wal_insert_lsn() - '0/0')::float8 as at" },
        [],
      )
    )?.at ?? 0;
  // Everything is past its end, but what is younger than this test.
  const later = { ...clock, now: () => new Date(clock.now().getTime() + 20 * 365 * DAY_MS) };
  await openWalks(database, [walk.name], clock.now());
  const before = await walAt();
  const times: number[] = [];
  let dropped = 0;
  for (let batch = 0; batch < Number(options.batches); batch += 1) {
    const startedAt = performance.now();
    const outcome = await runBatch({ database, config, log, clock: later }, walk, true);
    times.push(performance.now() - startedAt);
    if (outcome.kind === 'done') dropped += outcome.dropped;
  }
  const bytes = (await walAt()) - before;
  const total = times.reduce((sum, ms) => sum + ms, 0);
  write(
    `the sweep deleted ${dropped} deliveries: ${shown((total / dropped) * 1_000)} ms a thousand and ${shown(bytes / dropped)} bytes of log each, a batch ${shown(median(times))} ms, the longest ${shown(Math.max(...times))} ms`,
  );
}

async function reportDrop(database: Subject['service']['ctx']['database'] | undefined): Promise<void> {
  if (database === undefined) return;
  const [row] = await database.all<{ rows: number; bytes: number }>(
    {
      name: '',
      text: 'select count(*)::float8 as rows, pg_total_relation_size($1::regclass)::float8 as bytes from webhook_delivery_1',
    },
    ['webhook_delivery_1'],
  );
  const startedAt = performance.now();
  await database.script(
    'alter table webhook_delivery detach partition webhook_delivery_1; drop table webhook_delivery_1',
  );
  write(
    `a partition of ${row?.rows} deliveries, ${shown((row?.bytes ?? 0) / MEGABYTE)} MB, was dropped in ${shown(performance.now() - startedAt)} ms`,
  );
}
