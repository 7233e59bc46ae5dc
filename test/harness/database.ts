import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import { databaseClock } from '../../src/lib/clock.ts';
import { type DatabaseAddress, openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { migrate } from '../../src/lib/migrations/migrate.ts';
import { scratchParent } from './scratch.ts';

/** How the test runner tells each test file of the server it has started: a JSON `ServerAddress`. */
export const SERVER_VARIABLE = 'PLATEN_TEST_SERVER';

/** The key of every service of the tests, so that what one has sealed another can open. */
export const SECRET_KEY = 'a secret key of the tests, long enough';

/** `demoDataDir` is the data directory of the demo template, where there is one yet. */
type ServerAddress = { host: string; port: number; user: string; password: string; demoDataDir?: string };

const TEMPLATE = 'platen_template';
const DEMO_TEMPLATE = 'platen_demo_template';

export type TestServer = {
  readonly address: ServerAddress;
  /** The server's data directory; what else belongs to it may lie there. */
  readonly folder: string;
  readonly stop: () => Promise<void>;
};

/** Starts a real PostgreSQL in a scratch folder with one migrated template database. */
export async function startTestServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(scratchParent(), 'platen-test-'));
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
    folder,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Adds a second template, which has the demo data: a service seeds it in a second, and a hundred test files would
 * each do the same. Returns the server with the address that names it.
 */
export async function addDemoTemplate(server: TestServer): Promise<TestServer> {
  // Most files that need a database need no service; those are spared its modules.
  const { seedDemoData } = await import('./demo-data.ts');
  const demoDataDir = join(server.folder, 'demo');
  await onServer(server.address, `create database ${DEMO_TEMPLATE} template ${TEMPLATE}`);
  await seedDemoData({ ...server.address, database: DEMO_TEMPLATE }, demoDataDir);
  return { ...server, address: { ...server.address, demoDataDir } };
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

async function demoServerAddress(): Promise<Required<ServerAddress>> {
  const { demoDataDir, ...address } = await serverAddress();
  if (demoDataDir !== undefined) return { ...address, demoDataDir };
  own = own?.then(addDemoTemplate);
  const added = (await own)?.address.demoDataDir;
  if (added === undefined) throw new Error(`${SERVER_VARIABLE} names a server without the demo template`);
  return { ...address, demoDataDir: added };
}

export type TestDatabase = {
  readonly address: DatabaseAddress & { readonly database: string };
  readonly url: string;
  /** `BLOB_STORE` of every service on this database: nodes that share a database share its files. */
  readonly blobStore: string;
  readonly drop: () => Promise<void>;
};

/**
 * A fresh copy of the migrated template: each test file has its own. `drop` removes it, and with the last the file's
 * own server.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  return copyTemplate(await serverAddress(), TEMPLATE, await mkdtemp(join(scratchParent(), 'platen-blobs-')));
}

/** As `createTestDatabase`, with the demo data in it; its files are copied to a data directory. */
export async function createDemoDatabase(dataDir: string): Promise<TestDatabase> {
  const { demoDataDir, ...address } = await demoServerAddress();
  await cp(demoDataDir, dataDir, { recursive: true });
  return copyTemplate(address, DEMO_TEMPLATE, join(dataDir, 'blobs'));
}

async function copyTemplate(
  { host, port, user, password }: ServerAddress,
  template: string,
  blobs: string,
): Promise<TestDatabase> {
  const address = { host, port, user, password };
  const database = `test_${randomBytes(8).toString('hex')}`;
  open += 1;
  await onServer(address, `create database ${database} template ${template}`);
  const login = `${address.user}:${encodeURIComponent(address.password)}`;
  return {
    address: { ...address, database },
    blobStore: `file:${blobs}`,
    url: `postgres://${login}@localhost:${address.port}/${database}?host=${encodeURIComponent(address.host)}`,
    drop: async () => {
      await onServer(address, `drop database if exists ${database} with (force)`);
      await rm(blobs, { recursive: true, force: true });
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
      if (attempt >= 250 || !(error instanceof pg.DatabaseError) || error.code !== '55006') throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
