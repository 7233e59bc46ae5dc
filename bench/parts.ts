import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import { silentLog } from '../src/lib/log.ts';
import type { ApiQuestion, ApiReady, Verified } from './api.ts';
import type { SentDraft } from './bare-placing.ts';
import type { CeilingResult, CeilingRound, Prepared } from './ceiling.ts';
import type { Quantile } from './figures.ts';
import type { LoadResult, LoadRound } from './load.ts';
import { type Cost, costOfEach, type ProcessorClock } from './processor-clock.ts';
import { ask, endPart, startPart } from './service-process.ts';

/** What one round did, and the processor time of each of what was done. */
export type Work = {
  readonly perSecond: number;
  readonly quantiles: readonly Quantile[];
  readonly cost: Cost | undefined;
};

/** A service with its database, and what asks them: each a process of its own. */
export type Parts = {
  /** Sends requests over HTTP until each of a round is answered as it should be; throws when that does not come. */
  readonly drive: (round: LoadRound) => Promise<Work>;
  /** Has the bare driver work on the same database. */
  readonly bare: (round: Extract<CeilingRound, { seconds: number }>) => Promise<Work>;
  /** The address of the bare server that reads orders, which is started at the first call. */
  readonly bareServer: () => Promise<string>;
  /** How many rows of each table a paid order of two lines has. */
  readonly rowsOfAnOrder: Prepared['rows'];
  /** Completes what the bare driver wrote, and checks all of it by `platen verify`. */
  readonly verify: () => Promise<Verified>;
  readonly close: () => Promise<void>;
};

const LINES = 2;
const WARM_UP_SECONDS = 3;
/** The print files of the first order are made within this. */
const PRINT_FILES_MS_MAX = 120_000;
const POLL_MS = 200;
/** How often a round is measured when requests fail in it: a rate of failures is no speed. */
const ATTEMPTS_MAX = 5;

/** Starts everything, and warms it up with orders whose print files are made. */
export async function startParts(clock: ProcessorClock | undefined, say: (line: string) => void): Promise<Parts> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  undo.defer(server.stop);
  const BENCH_DATABASE = JSON.stringify(server.connection);
  const start = async <Ready>(name: string, env: Readonly<Record<string, string>>) => {
    const part = await startPart<Ready>(name, { env });
    undo.defer(() => endPart(part.child));
    return part;
  };
  const api = await start<ApiReady>('api.ts', { BENCH_DATABASE });
  const env = { BENCH_DATABASE, BENCH_API: JSON.stringify(api.ready) };
  const load = await start('load.ts', env);
  const ceiling = await start('ceiling.ts', env);
  let bareServer: Promise<{ child: { pid?: number | undefined }; ready: { url: string } }> | undefined;
  const serving = new Set([api.child.pid]);

  const timed = async (work: () => Promise<CeilingResult & Partial<LoadResult>>): Promise<Work> => {
    const known = (pids: Iterable<number | undefined>): number[] => [...pids].flatMap((pid) => pid ?? []);
    const spent = clock?.({
      postgres: known([server.pid()]),
      service: known(serving),
      load: known([load.child.pid, ceiling.child.pid]),
    });
    const { done, seconds, quantiles = [] } = await work();
    const cost = spent?.();
    return { perSecond: done / seconds, quantiles, cost: cost && costOfEach(cost, done) };
  };
  const drive = async (round: LoadRound): Promise<Work> => {
    for (let attempts = 1; ; attempts += 1) {
      let failure = '';
      const work = await timed(async () => {
        const result = await ask<LoadResult>(load.child, round);
        const { failed, done } = result;
        if (failed > 0)
          failure = `${failed} of ${failed + done} requests of ${round.kind} failed, the first with ${result.failure}`;
        return result;
      });
      if (failure === '') return work;
      // What an open loop measures is how long its slowest requests take: another round would only be a luckier one.
      if (round.perSecond !== undefined || attempts === ATTEMPTS_MAX) throw new Error(failure);
      say(`${failure}; this round is measured again`);
    }
  };

  say('warm-up');
  await drive({ kind: 'orders', seconds: 0.1, clients: 1, accounts: 1, lines: LINES });
  const drafts = await ask<SentDraft[]>(api.child, { kind: 'drafts', lines: LINES } satisfies ApiQuestion);
  await havePrintFiles(server.connection, drafts);
  await drive({ kind: 'orders', seconds: WARM_UP_SECONDS, clients: 32, accounts: 32, lines: LINES });
  const prepared = await ask<Prepared>(ceiling.child, { kind: 'prepare', drafts } satisfies CeilingRound);

  const resources = undo.move();
  return {
    drive,
    bare: (round) => timed(() => ask<CeilingResult>(ceiling.child, round)),
    bareServer: async () => {
      bareServer ??= (async () => {
        const part = await startPart<{ url: string }>('bare-read.ts', { env });
        resources.defer(() => endPart(part.child));
        return part;
      })();
      const { child, ready } = await bareServer;
      serving.add(child.pid);
      return ready.url;
    },
    rowsOfAnOrder: prepared.rows,
    verify: async () => {
      await ask(ceiling.child, { kind: 'books' } satisfies CeilingRound);
      return ask<Verified>(api.child, { kind: 'verify' } satisfies ApiQuestion);
    },
    close: () => resources.disposeAsync(),
  };
}

/**
 * Waits for the print files of the first order, and gives the orders of all accounts files of the same recipes.
 * The making of print files is a measure of its own.
 */
async function havePrintFiles(connection: pg.ClientConfig, drafts: readonly SentDraft[]): Promise<void> {
  const wanted = drafts.flatMap(({ accountId, files }) => files.map((file) => ({ account_id: accountId, ...file })));
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const endsAt = performance.now() + PRINT_FILES_MS_MAX;
    for (;;) {
      const { rows } = await client.query("select from print_file where state <> 'ready' limit 1");
      if (rows.length === 0) break;
      if (performance.now() > endsAt) throw new Error('the print files of the first order are not made');
      await delay(POLL_MS);
    }
    await client.query(
      `insert into print_file
         select decode(w.key, 'hex'), w.account_id, f.recipe, f.state, f.output_hash, f.output_bytes, f.preview_hash, f.failure,
           f.created_at, f.ready_at
         from json_to_recordset($1) as w(account_id uuid, key text, recipe jsonb) join print_file f on f.recipe = w.recipe
       on conflict do nothing`,
      [JSON.stringify(wanted)],
    );
  } finally {
    await client.end();
  }
}
