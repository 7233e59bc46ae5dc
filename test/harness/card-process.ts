import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRunningPostgres } from '@platen/embedded-postgres';
import { markedProcesses, serverMark } from '@platen/embedded-postgres/processes';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { eventually } from './context.ts';
import { installDemo } from './database.ts';
import { freePort, platenJson, type ServiceProcess, startServiceProcess } from './process.ts';
import { type FakeProvider, startProvider } from './provider.ts';

/** A folder with a database of its own, a provider of payments, and the demo account with a card. */
export type CardProcess = {
  readonly env: Record<string, string>;
  readonly provider: FakeProvider;
  readonly demo: DemoReport;
  /** The first process of the service; a test that kills it starts the next with `env`. */
  readonly service: ServiceProcess;
  readonly query: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Kills the process that runs last, and returns once its database has ended, too. */
  readonly close: (last: ServiceProcess) => Promise<void>;
};

/** Starts a service that charges a card, in a process that a test kills. */
export async function openCardProcess(settings: Record<string, string> = {}): Promise<CardProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-card-'));
  const dataDir = join(folder, 'data');
  const provider = await startProvider();
  const env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    ...provider.env,
    ...settings,
  };
  const demo = await installDemo(env);
  await platenJson(['stock', 'set', '--sku', 'TEE-CLASSIC-WHT-M', '--on-hand', '500000'], env);
  const method = [
    'account',
    'payment-method',
    '--account',
    demo.account_id,
    '--kind',
    'card',
    '--reference',
    'pm_killed',
  ];
  assert.equal((await platenJson<{ checked: boolean }>(method, env)).checked, true);
  const service = await startServiceProcess(env);
  return {
    env,
    provider,
    demo,
    service,
    query: async <Row extends object>(text: string, values: unknown[] = []) => {
      const address = await eventually('the database runs', () => findRunningPostgres(dataDir));
      const client = new pg.Client(address);
      // A database that is ended between two messages is said by the query or by the next; by itself it is no failure.
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query<Row>(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    close: async (last) => {
      if (last.isRunning()) await last.kill();
      await provider.close();
      await eventually(
        'no database is left running',
        async () => (await markedProcesses(await serverMark(dataDir))).length === 0,
      );
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
