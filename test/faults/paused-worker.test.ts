import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { createDemoDatabase, type DemoDatabase, SECRET_KEY } from '../harness/database.ts';
import type { Environment } from '../harness/environment.ts';
import { noise } from '../harness/pictures.ts';
import { runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { HOME } from '../harness/shop.ts';
import { type Stranger, startStranger } from '../harness/stranger.ts';

// A real process is stopped by a real signal in the middle of its work, as by a frozen machine or a debugger; another
// process takes over when the lease has run out; and then the first wakes up and goes on as if nothing had happened.

let folder: string;
let database: DemoDatabase;
let second: SecondConnection;
let stranger: Stranger;
let env: Environment;
let demo: DemoReport;
let api: ServiceProcess;
const workers: ServiceProcess[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-paused-'));
  database = await createDemoDatabase(join(folder, 'data'));
  ({ demo } = database);
  second = await openSecondConnection(database);
  const authority = createAuthority();
  stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  env = {
    DATABASE_URL: database.url,
    SECRET_KEY,
    BLOB_STORE: database.blobStore,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    WEBHOOK_FLUSH_SECONDS: '0',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    LOG_LEVEL: 'error',
  };
  api = await startServiceProcess(env, ['--role', 'api']);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    if (!worker.isRunning()) continue;
    process.kill(worker.pid, 'SIGCONT');
    await worker.kill();
  }
});
after(async () => {
  if (api?.isRunning()) await api.kill();
  await stranger?.close();
  await second?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function startWorker(): Promise<ServiceProcess> {
  const worker = await startServiceProcess(env, ['--role', 'worker']);
  workers.push(worker);
  return worker;
}

async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${api.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return JSON.parse(text) as Body;
}

function order(item: object): object {
  return {
    items: [{ product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, ...item }],
    shipping_address: HOME,
  };
}

async function only<Row>(text: string, values: readonly unknown[] = []): Promise<Row> {
  const found = await second.query(text, values);
  assert.equal(found.length, 1, text);
  return found[0] as Row;
}

async function assertSound(): Promise<void> {
  const { status, stdout } = await runPlaten(['verify', '--json'], env);
  assert.equal(status, 0, stdout);
}

test('N213 a worker that is stopped in the middle of a delivery and wakes up after its lease: what it then records is refused', async () => {
  const held: ServerResponse[] = [];
  stranger.serve('/hook', (_hit, response) => {
    if (held.length === 0) held.push(response);
    else response.writeHead(204).end();
  });
  const subscription = await call<{ id: string }>('POST', '/webhooks', { url: stranger.url('/hook') });
  const paused = await startWorker();
  await call('POST', '/orders', order({ print_jobs: [] }));
  await eventually('the first worker has sent it', () => held.length === 1);
  process.kill(paused.pid, 'SIGSTOP');
  // What waiting past the lease would do. A failure is what it will hear when it wakes up.
  await second.query("update webhook_delivery set due_at = due_at - interval '5 minutes'");
  held[0]?.writeHead(500).end();

  await startWorker();
  const delivery = `select state, attempts, response_code, error, attempted_at, xmin::text as version from webhook_delivery`;
  const done = await eventually('another has delivered it', async () => {
    const row = await only<{ state: string; attempts: number; response_code: number }>(delivery);
    return row.state === 'succeeded' && row;
  });
  assert.deepEqual([done.attempts, done.response_code], [1, 204]);

  process.kill(paused.pid, 'SIGCONT');
  // A stop waits for what is under way, so whatever it had to say has been said afterwards.
  assert.equal(await paused.stop(), 0);
  assert.deepEqual(await only(delivery), done, 'the row is as the second worker left it');
  const seen = await call<{ failure_count: number; active: boolean }>('GET', `/webhooks/${subscription.id}`);
  assert.deepEqual([seen.failure_count, seen.active], [0, true], 'the late failure counts for nobody');
  const hits = stranger.hits.filter(({ path }) => path === '/hook');
  assert.equal(hits.length, 2);
  for (const header of ['svc-delivery-id', 'svc-webhook-id', 'svc-event']) {
    assert.equal(hits[0]?.headers[header], hits[1]?.headers[header], header);
  }
  assert.deepEqual(hits[0]?.body, hits[1]?.body, 'a receiver can tell that it is the same');
  await call('PATCH', `/webhooks/${subscription.id}`, { active: false });
  await assertSound();
});

test('N213 a worker that is stopped in the middle of a print file and wakes up after its lease: what it then records is refused', async () => {
  stranger.serve('/detailed.png', { body: await noise(2_400, 2_400).png().toBuffer() });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: stranger.url('/detailed.png') }];
  const paused = await startWorker();
  await eventually('it has nothing to do', async () => (await second.query('select 1 from job')).length === 0);
  await call('POST', '/orders', order({ decoration: { areas } }));
  await eventually(
    'it has begun',
    async () => (await second.query('select 1 from job where lease_token is not null')).length === 1,
  );
  process.kill(paused.pid, 'SIGSTOP');
  const job = await only<{ kind: string; key: string }>('select kind, key from job');
  await second.query("update job set run_at = run_at - interval '31 seconds'");

  const heir = await startWorker();
  await eventually('another has made it', async () => (await second.query('select 1 from job')).length === 0);
  assert.equal(await heir.stop(), 0);
  const file =
    "select state, output_hash, ready_at, failure, xmin::text as version from print_file where key = decode($1, 'hex')";
  const made = await only<{ state: string }>(file, [job.key]);
  assert.equal(made.state, 'ready');
  // The same work is asked for again, for later: the one that wakes up believes that it is its own.
  await second.query(
    `insert into job (id, kind, key, payload, run_at, created_at)
     values (gen_random_uuid(), $1, $2, '{}', clock_timestamp() + interval '1 hour', clock_timestamp())`,
    [job.kind, job.key],
  );

  process.kill(paused.pid, 'SIGCONT');
  assert.equal(await paused.stop(), 0);
  assert.deepEqual(await only(file, [job.key]), made, 'the print file is as the second worker left it');
  const waiting = await only<{ attempts: number; last_error: string | null }>('select attempts, last_error from job');
  assert.deepEqual(waiting, { attempts: 0, last_error: null }, 'the new job still waits for its turn');
  await second.query('delete from job');
  await assertSound();
});
