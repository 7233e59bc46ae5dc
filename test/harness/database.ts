import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { type DatabaseAddress, openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { migrate } from '../../src/lib/migrations/migrate.ts';
import type { Environment } from './environment.ts';
import { platenJson } from './process.ts';
import { scratchParent } from './scratch.ts';

/** How the test runner tells each test file of the server it has started: a JSON `ServerAddress`. */
export const SERVER_VARIABLE = 'PLATEN_TEST_SERVER';

/** The key of every service of the tests, so that what one has sealed another can open. */
export const SECRET_KEY = 'a secret key of the tests, long enough';

type ServerLogin = { host: string; port: number; user: string; password: string };
type ServerAddress = ServerLogin & { demo?: DemoTemplate };

/**
 * Where the files of the demo template are, what its seeding reported, and the folder in which an installation with the
 * demo data is kept once a test has needed one.
 */
type DemoTemplate = { dataDir: string; report: DemoReport; installation: string };

/** How finely the areas of the demo catalogue are drawn: as its file says, or as most tests have it. */
export type Drawn = 'coarsely' | 'as printed';
const PRINTED_DPI = 300;
const COARSE_DPI = 60;

const TEMPLATE = 'platen_template';
const DEMO_TEMPLATE = 'platen_demo_template';

export type TestServer = {
  readonly address: ServerAddress;
  /** The server's data directory; what else belongs to it may lie there. */
  readonly folder: string;
  readonly stop: () => Promise<void>;
};

/** A server for several services in processes of their own at once, each with a pool of its own. */
const CONNECTIONS_MAX = 400;

/** Starts a server that takes so many connections: one reads that number when it starts. */
async function startRoomyPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const first = await startEmbeddedPostgres({ dataDir, log: silentLog });
  const { host, port, user, password } = first.connection;
  await onServer({ host, port, user, password }, `alter system set max_connections = ${CONNECTIONS_MAX}`);
  await first.stop();
  return startEmbeddedPostgres({ dataDir, log: silentLog });
}

/** Starts a real PostgreSQL in a scratch folder with one migrated template database. */
export async function startTestServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(scratchParent(), 'platen-test-'));
  const server = await startRoomyPostgres(folder);
  const { host, port, user, password } = server.connection;
  const address = { host, port, user, password };
  // A login of the tests is worth no thousands of rounds of hashing, which each connection would compute.
  await onServer(address, `set scram_iterations = 1; alter role ${user} password '${password}'`);
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
  const dataDir = join(server.folder, 'demo');
  await onServer(server.address, `create database ${DEMO_TEMPLATE} template ${TEMPLATE}`);
  const report = await seedDemoData({ ...server.address, database: DEMO_TEMPLATE }, dataDir);
  await drawAt(COARSE_DPI, { ...server.address, database: DEMO_TEMPLATE });
  const demo = { dataDir, report, installation: join(server.folder, 'installation') };
  return { ...server, address: { ...server.address, demo } };
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
  const { demo, ...address } = await serverAddress();
  if (demo !== undefined) return { ...address, demo };
  own = own?.then(addDemoTemplate);
  const added = (await own)?.address.demo;
  if (added === undefined) throw new Error(`${SERVER_VARIABLE} names a server without the demo template`);
  return { ...address, demo: added };
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

/** `demo` has a token that holds; what is sealed is sealed with `SECRET_KEY`. */
export type DemoDatabase = TestDatabase & { readonly demo: DemoReport };

/**
 * As `createTestDatabase`, with the demo data in it; its files are copied to a data directory. Print files are drawn
 * coarsely, which takes a twentieth of the time, unless a test looks at what is drawn.
 */
export async function createDemoDatabase(dataDir: string, drawn: Drawn = 'coarsely'): Promise<DemoDatabase> {
  const { demo, ...address } = await demoServerAddress();
  await cp(demo.dataDir, dataDir, { recursive: true });
  const database = await copyTemplate(address, DEMO_TEMPLATE, join(dataDir, 'blobs'));
  if (drawn === 'as printed') await drawAt(PRINTED_DPI, { ...address, database: database.address.database });
  return { ...database, demo: demo.report };
}

/** The template of the personalised product is in pixels of its areas, so its garment stays as it is. */
async function drawAt(dpi: number, database: ServerLogin & { database: string }): Promise<void> {
  await onServer(
    database,
    `update base_product set document = jsonb_set(document, '{print_areas}', (
       select jsonb_agg(area || jsonb_build_object(
         'dpi', ${dpi},
         'width_px', round((area ->> 'width_mm')::numeric / 25.4 * ${dpi}),
         'height_px', round((area ->> 'height_mm')::numeric / 25.4 * ${dpi})) order by place)
       from jsonb_array_elements(document -> 'print_areas') with ordinality as areas(area, place)))
     where master_sku <> 'TEE-ORGANIC'`,
  );
}

/**
 * Makes an installation with an embedded database and the demo data of an empty `DATA_DIR`, as `platen seed demo` does.
 * In a run of many files it is made once and copied, which takes a tenth of a second in place of three.
 */
export async function installDemo(env: Environment): Promise<DemoReport> {
  const given = process.env[SERVER_VARIABLE];
  const kept = given === undefined ? undefined : (JSON.parse(given) as ServerAddress).demo?.installation;
  if (kept === undefined) return await platenJson<DemoReport>(['seed', 'demo', '--small'], env);
  const report = join(kept, 'report.json');
  if (!existsSync(report)) await keepInstallation(kept);
  const { DATA_DIR } = env;
  if (DATA_DIR === undefined) throw new Error('an installation needs a DATA_DIR');
  await mkdir(DATA_DIR, { recursive: true });
  // Unlike Node's own copy, this one keeps the owner, who under root is not root.
  await promisify(execFile)('cp', ['-a', `${join(kept, 'data')}/.`, DATA_DIR]);
  return JSON.parse(await readFile(report, 'utf8')) as DemoReport;
}

/** Several files may come to it at once: the first that is whole is taken. */
async function keepInstallation(kept: string): Promise<void> {
  const made = `${kept}-${randomBytes(4).toString('hex')}`;
  const report = await platenJson<DemoReport>(['seed', 'demo', '--small'], {
    DATA_DIR: join(made, 'data'),
    LOG_LEVEL: 'error',
  });
  await writeFile(join(made, 'report.json'), JSON.stringify(report));
  await rename(made, kept).catch(async (error: unknown) => {
    if (!existsSync(kept)) throw error;
    await rm(made, { recursive: true });
  });
}

async function copyTemplate(
  { host, port, user, password }: ServerAddress,
  template: string,
  blobs: string,
): Promise<TestDatabase> {
  const address = { host, port, user, password };
  const database = `test_${randomBytes(8).toString('hex')}`;
  open += 1;
  // Its files are copied as they are: half of the work of writing each page to the log.
  await onServer(address, `create database ${database} template ${template} strategy file_copy`);
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

async function onServer(address: ServerLogin & { database?: string }, text: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ database: 'postgres', ...address });
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
