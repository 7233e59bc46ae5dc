import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { queryNow } from './database.ts';
import { childrenOf, postgresOf, type Report } from './days.ts';
import { type NightShop, openNightShop, pause, prove } from './night-shop.ts';
import { growth, type Sample } from './slope.ts';

const LANES = 3;
/** Of the samples that were taken; with more, a trend could hide. */
const MISSED_SHARE_MAX = 0.1;

/** What must not grow with time alone, and by how much of its mean it may within a run. */
const BOUNDED: Readonly<Record<string, number>> = {
  'service memory MB': 0.15,
  'children memory MB': 0.3,
  'PostgreSQL own memory MB': 0.3,
  'service files': 0.1,
  // Each of its processes keeps the files of tables open that it has used; there are only so many tables.
  'PostgreSQL files': 0.5,
  'jobs waiting': 1,
  'deliveries waiting': 1,
  'dead rows a live row': 1,
  'bytes a row': 0.3,
  'log bytes a second': 1,
};

/**
 * Has a service under steady load for some hours, samples it, and prints what it saw.
 * Fails on a trend of what must be bounded, never on a single value.
 */
export async function soak(options: {
  readonly parent: string;
  readonly hours: number;
  readonly print: (line: string) => void;
}): Promise<Report> {
  const { parent, hours, print } = options;
  const shop = await openNightShop(parent);
  try {
    await shop.start();
    const load = shop.load(LANES);
    const everyMs = Math.max(5_000, (hours * 3_600_000) / 120);
    const samples = new Map<string, Sample[]>();
    const beganMs = performance.now();
    let logged = 0;
    let missed = 0;
    while (performance.now() - beganMs < hours * 3_600_000) {
      await pause(everyMs);
      const seconds = (performance.now() - beganMs) / 1_000;
      const figures = await sample(shop).catch((error: unknown) => {
        // On a machine that other work keeps busy the look at the database may come too late; the load goes on.
        missed += 1;
        print(
          `  a sample was missed after ${seconds.toFixed(0)} s: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
      if (figures === undefined) continue;
      const bytes = shop.service().logged().length;
      figures['log bytes a second'] = (bytes - logged) / (everyMs / 1_000);
      logged = bytes;
      for (const [name, value] of Object.entries(figures)) {
        samples.set(name, [...(samples.get(name) ?? []), { seconds, value }]);
      }
    }
    await load.stop();
    const taken = samples.get('service files')?.length ?? 0;
    assert.ok(missed <= taken * MISSED_SHARE_MAX, `${missed} samples were missed, ${taken} were taken`);
    const proof = await prove(shop, load, (text) => queryNow(shop.dataDir, text));
    printTable(samples, print);
    const grown = [...samples].flatMap(([name, seen]) => {
      const share = BOUNDED[name];
      const why = share === undefined ? undefined : growth(seen, share);
      return why === undefined ? [] : [`${name} ${why}`];
    });
    assert.deepEqual(grown, [], 'what grows although it must be bounded');
    return { hours, samples: taken, missed, ...proof };
  } finally {
    await shop.close();
  }
}

async function sample(shop: NightShop): Promise<Record<string, number>> {
  const { pid } = shop.service();
  const postgres = postgresOf(shop);
  const children = childrenOf(pid).filter((child) => !postgres.includes(child));
  const [tables] = await queryNow<{ live: number; dead: number; bytes: number }>(
    shop.dataDir,
    `select sum(n_live_tup)::float8 as live, sum(n_dead_tup)::float8 as dead,
       sum(pg_total_relation_size(relid))::float8 as bytes from pg_stat_user_tables`,
  );
  const [waiting] = await queryNow<{ jobs: number; deliveries: number }>(
    shop.dataDir,
    `select (select count(*)::int from job where failed_at is null) as jobs,
       (select count(*)::int from webhook_delivery where state in ('pending', 'retrying')) as deliveries`,
  );
  const live = Math.max(tables?.live ?? 0, 1);
  return {
    'service memory MB': memoryOf(pid, 'Rss'),
    'children memory MB': sum(children.map((child) => memoryOf(child, 'Rss'))),
    // What is shared is the cache of the database, which fills up once.
    'PostgreSQL own memory MB': sum(postgres.map((each) => memoryOf(each, 'Private_Dirty'))),
    'service files': filesOf(pid),
    'PostgreSQL files': sum(postgres.map(filesOf)),
    'jobs waiting': waiting?.jobs ?? 0,
    'deliveries waiting': waiting?.deliveries ?? 0,
    'live rows': live,
    'dead rows a live row': (tables?.dead ?? 0) / live,
    'bytes a row': (tables?.bytes ?? 0) / live,
  };
}

function memoryOf(pid: number, what: 'Rss' | 'Private_Dirty'): number {
  try {
    const kilobytes = new RegExp(`^${what}: +(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'),
    )?.[1];
    return Number(kilobytes ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

function filesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function printTable(samples: ReadonlyMap<string, readonly Sample[]>, print: (line: string) => void): void {
  print(`  ${''.padEnd(26)}${['first', 'middle', 'last', 'largest'].map((name) => name.padStart(12)).join('')}`);
  for (const [name, seen] of samples) {
    const values = seen.map(({ value }) => value);
    const shown = [values[0], values[Math.floor(values.length / 2)], values.at(-1), Math.max(...values)];
    print(`  ${name.padEnd(26)}${shown.map((value = 0) => value.toFixed(1).padStart(12)).join('')}`);
  }
}
