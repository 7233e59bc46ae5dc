import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import { silentLog } from '../src/lib/log.ts';
import type { ApiReady } from './api.ts';
import type { CeilingResult } from './ceiling.ts';
import type { RoundResult } from './load.ts';
import { ask, endPart, startPart } from './service-process.ts';

/**
 * `npm run bench`: the speeds of docs/scaling.md as ratios within one run. Each pair is measured in turn, several
 * times, and the median of the ratios is what counts: the machine's own speed then falls out. Seconds a round:
 * `BENCH_SECONDS` (4).
 */
const ROUNDS = 3;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);

type Row = {
  readonly what: string;
  readonly ours: number;
  readonly against: string;
  readonly theirs: number;
  readonly ratio: number;
};

const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
const server = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
const BENCH_DATABASE = JSON.stringify(server.connection);
const api = await startPart<ApiReady>('api.ts', { env: { BENCH_DATABASE } });
const BENCH_API = JSON.stringify(api.ready);
const load = await startPart('load.ts', { env: { BENCH_API } });
const ceiling = await startPart('ceiling.ts', { env: { BENCH_API, BENCH_DATABASE } });
try {
  await main();
} finally {
  for (const part of [load, ceiling, api]) await endPart(part.child);
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  say(
    `${availableParallelism()} cores for load, service and database together; ${ROUNDS} rounds of ${SECONDS} s each.`,
  );
  await drive('orders', SECONDS / 2);
  const rows = (await writeRows(SECONDS / 2)).rows;
  say(
    `Rows of an order: ${Object.entries(rows)
      .map(([table, count]) => `${count} ${table}`)
      .join(', ')}.\n`,
  );

  const table: Row[] = [];
  table.push(
    await pair(
      'paid orders of 2 lines over HTTP',
      () => drive('orders'),
      'the same rows, one bare statement',
      () => writeRows(),
    ),
  );
  table.push(
    await pair(
      'estimates',
      () => drive('estimates'),
      'orders',
      () => drive('orders'),
    ),
  );
  const sample = await readSample();
  const bare = await startPart<{ url: string }>('bytes.ts', { env: { BENCH_BYTES: sample } });
  table.push(
    await pair(
      'one order read',
      () => drive('order'),
      'a bare server, same bytes',
      () => drive('order', SECONDS, bare.ready.url),
    ),
  );
  await endPart(bare.child);
  table.push(
    await pair(
      'page of 25 orders',
      () => drive('page'),
      'the same SQL alone',
      () => readPages(),
    ),
  );

  for (const row of table) {
    say(
      `${row.what}: ${Math.round(row.ours)}/s; ${row.against}: ${Math.round(row.theirs)}/s; ratio ${row.ratio.toFixed(2)}`,
    );
  }
  await ask<CeilingResult>(ceiling.child, { kind: 'books', seconds: 0 });
  const { violations } = await ask<{ violations: string[] }>(api.child, {});
  say(violations.length === 0 ? '\nverify: clean' : `\nverify: BROKEN\n${violations.join('\n')}`);
  if (violations.length > 0) process.exitCode = 1;
}

/** Measures two things in turn and returns the medians, and the median of the ratios round by round. */
async function pair(
  what: string,
  ours: () => Promise<{ perSecond: number }>,
  against: string,
  theirs: () => Promise<{ perSecond: number }>,
): Promise<Row> {
  const pairs: { a: number; b: number }[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const a = (await ours()).perSecond;
    const b = (await theirs()).perSecond;
    pairs.push({ a, b });
    process.stderr.write(`  ${what}, round ${round}: ${Math.round(a)}/s against ${Math.round(b)}/s\n`);
  }
  return {
    what,
    against,
    ours: median(pairs.map(({ a }) => a)),
    theirs: median(pairs.map(({ b }) => b)),
    ratio: median(pairs.map(({ a, b }) => a / b)),
  };
}

async function drive(kind: string, seconds = SECONDS, url?: string): Promise<RoundResult> {
  const result = await ask<RoundResult>(load.child, { kind, seconds, url });
  if (result.failed > 0) throw new Error(`${result.failed} requests of ${kind} failed; a rate of failures is no speed`);
  return result;
}

function writeRows(seconds = SECONDS): Promise<CeilingResult> {
  return ask(ceiling.child, { kind: 'rows', seconds });
}

function readPages(seconds = SECONDS): Promise<CeilingResult> {
  return ask(ceiling.child, { kind: 'page', seconds });
}

async function readSample(): Promise<string> {
  const customer = api.ready.customers[0];
  const response = await fetch(`${api.ready.url}/orders?limit=1`, {
    headers: { authorization: `Bearer ${customer?.token}` },
  });
  const page = (await response.json()) as { data: object[] };
  return JSON.stringify(page.data[0]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
