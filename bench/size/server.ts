import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import { databaseClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { migrate } from '../../src/lib/migrations/migrate.ts';
import type { TestDatabase } from '../../test/harness/database.ts';
import { startProvider } from '../../test/harness/provider.ts';
import { startTestService, type TestService } from '../../test/harness/service.ts';
import { type Amount, generate } from './generate.ts';
import { makeModel } from './model.ts';

const MODEL = 'size_model';
/** Orders that have ended, of which the model has one of each kind, fate and payer. */
const MODEL_DONE = 24;

/** A real server in a folder, with a database for each number of orders. */
export type SizedServer = {
  /** The database with so many orders, which is filled unless it is there already. */
  readonly database: (amount: Amount) => Promise<TestDatabase>;
  /** A copy of a database that was changed once more. */
  readonly variant: (
    of: TestDatabase,
    suffix: string,
    change: (client: pg.Client) => Promise<void>,
  ) => Promise<TestDatabase>;
  /** A service without workers on a database; `more` overrides settings. */
  readonly serve: (database: TestDatabase, more?: Readonly<Record<string, string>>) => Promise<TestService>;
  readonly connect: (database: string) => Promise<pg.Client>;
  readonly stop: () => Promise<void>;
};

/** Starts the server of a folder, which may have databases of before. */
export async function startSizedServer(folder: string, say: (line: string) => void): Promise<SizedServer> {
  await mkdir(folder, { recursive: true });
  execFileSync('chmod', ['711', folder]);
  const server = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  const { host, port, user, password } = server.connection;
  const address = { host, port, user, password };
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ ...address, database });
    // When the measurement fails, the server ends first.
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const onServer = async (text: string): Promise<pg.QueryResult> => {
    const client = await connect('postgres');
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  };
  // A database is filled with few checkpoints: after each, every page that is written goes to the log whole.
  for (const setting of ["max_wal_size = '12GB'", "checkpoint_timeout = '1h'"])
    await onServer(`alter system set ${setting}`);
  await onServer('select pg_reload_conf()');
  const exists = async (name: string): Promise<boolean> =>
    (await onServer(`select from pg_database where datname = '${name}'`)).rowCount === 1;
  const named = (database: string): TestDatabase => ({
    address: { ...address, database },
    url: `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    blobStore: `file:${join(folder, 'blobs')}`,
    drop: async () => void (await onServer(`drop database if exists ${database} with (force)`)),
  });
  // The ledger of erasures is of one database: another's entries would be looked for among all orders.
  const dataDirOf = (database: TestDatabase): string => join(folder, `data-${database.address.database}`);
  const env = { BLOB_STORE: `file:${join(folder, 'blobs')}` };
  // A name stands only for a database that is whole: it is made under another one.
  const make = async (name: string, template: string, work: (database: TestDatabase) => Promise<void>) => {
    if (await exists(name)) return;
    const unfinished = named(`${name}_unfinished`);
    await unfinished.drop();
    await onServer(`create database ${name}_unfinished template ${template}`);
    await work(unfinished);
    await onServer(`alter database ${name}_unfinished rename to ${name}`);
  };
  const bringUpToDate = async (database: TestDatabase): Promise<void> => {
    const opened = await openDatabase({
      address: database.address,
      clock: databaseClock(),
      log: silentLog,
      connectionsMax: 1,
    });
    await migrate(opened);
    await opened.close();
  };
  const makeOfModel = async (database: TestDatabase): Promise<void> => {
    await bringUpToDate(database);
    const provider = await startProvider();
    const service = await startTestService({
      database,
      dataDir: dataDirOf(database),
      env: { ...env, ...provider.env },
    });
    try {
      await makeModel(service, MODEL_DONE);
    } finally {
      await service.stop();
      await provider.close();
    }
  };
  return {
    connect,
    database: async (amount) => {
      await make(MODEL, 'template1', makeOfModel);
      const name = `size_${amount.orders}`;
      await make(name, MODEL, async (database) => {
        const { database: target } = database.address;
        const clients = [await connect(target), await connect(target)] as const;
        try {
          await generate(clients, amount, say);
        } finally {
          for (const client of clients) await client.end();
        }
      });
      // One that was kept may be of an earlier version.
      await bringUpToDate(named(name));
      return named(name);
    },
    variant: async (of, suffix, change) => {
      const name = `${of.address.database}_${suffix}`;
      await make(name, of.address.database, async (database) => {
        const client = await connect(database.address.database);
        try {
          await change(client);
        } finally {
          await client.end();
        }
      });
      return named(name);
    },
    serve: (database, more = {}) =>
      startTestService({ database, dataDir: dataDirOf(database), env: { ...env, ...more }, role: 'api' }),
    stop: server.stop,
  };
}
