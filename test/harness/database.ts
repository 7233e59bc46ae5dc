import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import { databaseClock } from '../../src/lib/clock.ts';
import { type DatabaseAddress, openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { migrate } from '../../src/lib/migrate.ts';

/** How the test runner tells each test file of the server it has started: a JSON `ServerAddress`. */
export const SERVER_VARIABLE = 'PLATEN_TEST_SERVER';

type ServerAddress = { host: string; port: number; user: string; password: string };

const TEMPLATE = 'platen_template';

export type TestServer = { readonly address: ServerAddress; readonly stop: () => Promise<void> };

/** Starts a real PostgreSQL in a scratch folder with one migrated template database. */
export async function startTestServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-test-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  const { host, port, user, password } = server.connection;
  const address = { host, port, user, password };
  await onServer(address, `create database ${TEMPLATE}`);
  const database = await openDatabase({
    address: { ...address, database: TEMPLATE },
    clock: databaseClock(),
    log: silentLog,
    connectionsMax: 1,
  });
  await migrate(database);
  await database.close();
  return {
    address,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let own: Promise<TestServer> | undefined;
/** The databases of this file that are not dropped yet. */
let open = 0;

async function serverAddress(): Promise<ServerAddress> {
  const given = process.env[SERVER_VARIABLE];
  if (given !== undefined) return JSON.parse(given) as ServerAddress;
  // A test file that is run alone starts a server of its own.
  own ??= startTestServer();
  return (await own).address;
}

export type TestDatabase = {
  readonly address: DatabaseAddress & { readonly database: string };
  readonly url: string;
  readonly drop: () => Promise<void>;
};

/** A fresh copy of the migrated template: each test file has its own. `drop` removes it, and with the last the file's own server. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const address = await serverAddress();
  const database = `test_${randomBytes(8).toString('hex')}`;
  open += 1;
  await onServer(address, `create database ${database} template ${TEMPLATE}`);
  const login = `${address.user}:${encodeURIComponent(address.password)}`;
  return {
    address: { ...address, database },
    url: `postgres://${login}@localhost:${address.port}/${database}?host=${encodeURIComponent(address.host)}`,
    drop: async () => {
      await onServer(address, `drop database if exists ${database} with (force)`);
      open -= 1;
      if (open > 0 || own === undefined) return;
      await (await own).stop();
      own = undefined;
    },
  };
}

async function onServer(address: ServerAddress, text: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ ...address, database: 'postgres' });
    try {
      await client.connect();
      await client.query(text);
      return;
    } catch (error) {
      // Two files that copy the template in the same instant: the second is refused while the first reads it.
      if (attempt >= 50 || !(error instanceof pg.DatabaseError) || error.code !== '55006') throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
