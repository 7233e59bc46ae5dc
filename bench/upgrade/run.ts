import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import { silentLog } from '../../src/lib/log.ts';
import { makeMigrationFolder, startMigrator } from '../../test/harness/migration-folder.ts';
import { type Phase, startLoad } from './load.ts';
import { type ApiNode, HERE, platen, startNode, unpack } from './nodes.ts';
import { copyOrder } from './rows.ts';

const HELP = `npm run bench:upgrade [-- --orders 100000] [--rate 20] [--seconds 60] [--before COMMIT]

Fills a database of the version before, upgrades it under a load of placing, applies a large migration, and goes back to
the version before. Exits with 1 if a request failed, a node that serves was not ready, or the p99 of placing rose to
three times the ordinary.

--orders   how many orders the database has
--rate     how many orders a second are placed meanwhile
--seconds  how long each ordinary phase is measured
--before   the version before: a commit with thirteen migrations
`;

const { values: options } = parseArgs({
  options: {
    orders: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
    before: { type: 'string', default: '25d8d97' },
    help: { type: 'boolean', default: false },
  },
});

/** The p99 of placing during an upgrade stays under so many times the ordinary. */
const RATIO_MAX = 3;
/** So many orders a top-up of nine million covers, at under £25 each. */
const ORDERS_OF_A_TOP_UP = 360_000;
/** What a release with a large change brings: columns, indexes, a backfill and a constraint. */
const LARGE = `-- runs in steps
alter table orders add column of_bench text;
alter table order_line add column of_bench text;
create index concurrently if not exists orders_of_bench on orders (account_id, placed_at, id);
create index concurrently if not exists posting_of_bench on posting (account_id, created_at) where order_id is not null;
-- in batches
with page as (
  select id, account_id, order_id from order_line where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  order by id limit $2
), done as (
  update order_line l set of_bench = l.sku || ' ' || l.quantity from page p
  where l.account_id = p.account_id and l.order_id = p.order_id and l.id = p.id and l.of_bench is null
)
select (select id::text from page order by id desc limit 1) as next, count(*) as rows from page;
alter table order_line add constraint order_line_of_bench check (length(of_bench) > 0) not valid;
alter table order_line validate constraint order_line_of_bench;
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (options.help) {
  say(HELP);
  process.exit(0);
}
const folder = await mkdtemp(join(tmpdir(), 'platen-upgrade-'));
execFileSync('chmod', ['711', folder]);
const server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: silentLog });
try {
  await main();
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const orders = Number(options.orders);
  const seconds = Number(options.seconds);
  const before = join(folder, 'before');
  unpack(options.before, before);
  const { host, port, user, password } = server.connection;
  const admin = new pg.Client(server.connection);
  await admin.connect();
  await admin.query('create database upgrade');
  await admin.end();
  const url = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/upgrade?host=${encodeURIComponent(host)}`;
  const env = {
    DATABASE_URL: url,
    SECRET_KEY: 'a secret key of the benchmark, long enough',
    DATA_DIR: join(folder, 'data'),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  const database = new pg.Client(url);
  // When the measurement fails, the server ends first.
  database.on('error', () => {});
  await database.connect();

  await platen(before, ['migrate'], env);
  const demo = await platen<{ account_id: string; token: string; products: { fixed: string } }>(
    before,
    ['seed', 'demo'],
    env,
  );
  await platen(before, ['stock', 'set', '--sku', 'TEE-CLASSIC-BLK-M', '--on-hand', '900000'], env);
  for (let covered = 0; covered <= orders; covered += ORDERS_OF_A_TOP_UP) {
    await platen(before, ['account', 'credit', '--account', demo.account_id, '--amount', '9000000.00'], env);
  }
  const nodes: ApiNode[] = [await startNode(before, env), await startNode(before, env)];
  const load = startLoad({
    token: demo.token,
    body: () => bodyOf(demo.products.fixed),
    perSecond: Number(options.rate),
    oldestWrite: async () => {
      const { rows } = await database.query<{ age: number }>(
        `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as age
         from pg_stat_activity where backend_xid is not null`,
      );
      return rows[0]?.age ?? 0;
    },
  });
  try {
    const first = nodes[0]?.origin ?? '';
    load.sendTo([first]);
    await delay(2_000);
    load.sendTo([]);
    await delay(1_000);
    const { rows } = await database.query<{ id: string }>('select id from orders order by id limit 1');
    const writer = new pg.Client(url);
    await writer.connect();
    say(`Filling the database of ${options.before} with ${orders} orders`);
    try {
      await copyOrder(writer, rows[0]?.id ?? '', orders, say);
      await writer.query('checkpoint');
    } finally {
      await writer.end();
    }

    const phases: Phase[] = [];
    const measure = async (what: string, least: number, work: () => Promise<void>): Promise<Phase> => {
      const phase = await load.during(what, least, work);
      say(JSON.stringify(phase));
      phases.push(phase);
      return phase;
    };
    const replace = async (checkout: string): Promise<void> => {
      for (const [index, old] of nodes.entries()) {
        const next = await startNode(checkout, env);
        nodes[index] = next;
        load.sendTo(nodes.map(({ origin }) => origin));
        await delay(500);
        await old.stop();
      }
    };
    load.sendTo(nodes.map(({ origin }) => origin));
    await delay(10_000);
    const ordinary = await measure('ordinary, version before', seconds, async () => {});
    const upgrade = await measure('platen migrate', 10, async () => {
      const { applied } = await platen<{ applied: string[] }>(HERE, ['migrate'], env);
      say(`applied ${applied.join(', ')}`);
    });
    const beside = await measure('version before on the new schema', seconds, async () => {});
    const replacing = await measure('nodes replaced', 10, () => replace(HERE));
    const ordinaryNow = await measure('ordinary, this version', seconds, async () => {});
    const large = await makeMigrationFolder([LARGE]);
    const migrating = await measure('a large migration', 10, async () => {
      const migrator = startMigrator(url, large);
      migrator.child.stderr?.pipe(process.stdout);
      const { status, stderr } = await migrator.ended;
      if (status !== 0) throw new Error(`the large migration failed: ${stderr}`);
    });
    await large.remove();
    const back = await measure('back to the version before', seconds, () => replace(before));
    load.sendTo([]);

    const failures = [
      ...phases.filter(({ failed }) => failed > 0).map(({ phase, failed }) => `${phase}: ${failed} requests failed`),
      ...phases
        .filter(({ not_ready: not }) => not > 0)
        .map(({ phase, not_ready: not }) => `${phase}: not ready ${not} times`),
      ...[upgrade, beside, replacing, back].flatMap((phase) => slower(phase, ordinary)),
      ...slower(migrating, ordinaryNow),
    ];
    console.table(phases);
    say(
      failures.length === 0
        ? 'Held: no request failed, every node stayed ready, p99 stayed under three times the ordinary.'
        : `BROKEN\n${failures.join('\n')}`,
    );
    const { ok, violations } = await platen<{ ok: boolean; violations: string[] }>(HERE, ['verify'], env);
    say(ok ? 'verify: clean' : `verify: BROKEN\n${violations.join('\n')}`);
    if (failures.length > 0 || !ok) process.exitCode = 1;
  } finally {
    await load.end();
    for (const node of nodes) await node.stop();
    await database.end();
  }
}

function slower(phase: Phase, ordinary: Phase): string[] {
  const ratio = phase.p99_ms / ordinary.p99_ms;
  say(`${phase.phase}: p99 ${phase.p99_ms} ms, ${ratio.toFixed(2)} times that of "${ordinary.phase}"`);
  return ratio < RATIO_MAX ? [] : [`${phase.phase}: p99 is ${ratio.toFixed(2)} times the ordinary`];
}

/** A line of stored artwork with two of its areas. */
function bodyOf(productId: string): object {
  const printJobs = [
    { area: 'front', method: 'dtg' },
    { area: 'back', method: 'dtf' },
  ];
  return {
    items: [{ product_id: productId, variant_sku: 'TEE-CLASSIC-BLK-M', quantity: 1, print_jobs: printJobs }],
    shipping_address: {
      contact_name: 'Ada Lovelace',
      line1: '12 St James Square',
      city: 'London',
      postcode: 'SW1Y 4JH',
      country_code: 'GB',
    },
  };
}
