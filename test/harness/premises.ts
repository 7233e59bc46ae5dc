import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { createAuthority } from './authority.ts';
import { createDemoDatabase, SECRET_KEY, type TestDatabase } from './database.ts';
import { freePort, runCommand } from './process.ts';
import { HOME } from './shop.ts';
import { type Stranger, startStranger } from './stranger.ts';

/** An answer over HTTP as it came; undefined when the connection ended before there was one. */
export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string } | undefined;

/**
 * What a service in a process of its own needs and outlives it: a database with the demo data, a folder, a stranger's
 * server that it trusts, and the settings that name them.
 */
export type Premises = {
  readonly env: Record<string, string>;
  readonly folder: string;
  readonly database: TestDatabase;
  readonly stranger: Stranger;
  readonly demo: DemoReport;
  /** A request to whichever process runs now, as the demo account, by its first token unless another is given. */
  readonly call: (method: string, path: string, body?: object, token?: string) => Promise<Reply>;
  readonly query: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** What `platen verify` finds broken. */
  readonly violations: () => Promise<string>;
  readonly close: () => Promise<void>;
};

/**
 * Opens premises. `reach` gives the address by which the service reaches the database, the test's own when left out.
 */
export async function openPremises(
  settings: Record<string, string> = {},
  reach: (database: TestDatabase) => Promise<string> | string = ({ url }) => url,
): Promise<Premises> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-process-'));
  const dataDir = join(folder, 'data');
  const database = await createDemoDatabase(dataDir);
  const { demo } = database;
  const authority = createAuthority();
  const stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  const env: Record<string, string> = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRET_KEY,
    PORT: String(await freePort()),
    WEBHOOK_FLUSH_SECONDS: '0',
    WEBHOOK_TIMEOUT_MS: '1000',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    ...settings,
  };
  const pool = new pg.Pool({ ...database.address, max: 2, application_name: 'a test' });
  pool.on('error', () => {});
  env.DATABASE_URL = await reach(database);
  return {
    env,
    folder,
    database,
    stranger,
    demo,
    call: async (method, path, body, token = demo.token) => {
      try {
        const response = await fetch(`http://127.0.0.1:${env.PORT}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(30_000),
        });
        return { status: response.status, headers: response.headers, text: await response.text() };
      } catch {
        return undefined;
      }
    },
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    violations: async () => {
      const { status, stdout, stderr } = await runCommand(['verify', '--json'], { ...env, DATABASE_URL: database.url });
      return status === 0 ? '' : `${stdout}${stderr}`;
    },
    close: async () => {
      await pool.end();
      await stranger.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

/** An order of the demo's plain tee. */
export function teeOrder({ demo }: Pick<Premises, 'demo'>, changes: object = {}): object {
  const item = {
    product_id: demo.products.fixed,
    variant_sku: 'TEE-CLASSIC-WHT-M',
    quantity: 1,
    print_jobs: [{ area: 'front', method: 'dtg' }],
  };
  return { items: [item], shipping_address: HOME, ...changes };
}

/** An order of the demo's tee with a stranger's picture on it. */
export function pictureOrder({ demo, stranger }: Premises, path: string, changes: object = {}): object {
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: stranger.url(path) }];
  const item = {
    product_id: demo.products.fixed,
    variant_sku: 'TEE-CLASSIC-WHT-M',
    quantity: 1,
    decoration: { areas },
  };
  return { items: [item], shipping_address: HOME, ...changes };
}

/** What a reference has come to: orders, and orders charged in the ledger. */
export async function written(premises: Premises, reference: string): Promise<{ orders: number; charges: number }> {
  const [row] = await premises.query<{ orders: string; charges: string }>(
    `select count(*) as orders, count(*) filter (where exists (
       select from posting p where p.order_id = o.id and p.kind = 'charge')) as charges
     from orders o where external_reference = $1`,
    [reference],
  );
  return { orders: Number(row?.orders), charges: Number(row?.charges) };
}
