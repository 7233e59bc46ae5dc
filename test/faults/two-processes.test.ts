import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { createDemoDatabase, type DemoDatabase, SECRET_KEY } from '../harness/database.ts';
import type { Environment } from '../harness/environment.ts';
import { noise } from '../harness/pictures.ts';
import { platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { HOME, newReference } from '../harness/shop.ts';
import { type Stranger, startStranger } from '../harness/stranger.ts';

/** Rounds of fifty identical orders over both processes; the nightly run sets it to 200. */
const ROUNDS = Number(process.env.PLATEN_TEST_ROUNDS ?? 6);
const AT_ONCE = 50;

let folder: string;
let database: DemoDatabase;
let second: SecondConnection;
let stranger: Stranger;
let env: Environment;
let demo: DemoReport;
const apis: ServiceProcess[] = [];
let worker: ServiceProcess;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-two-'));
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
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  await platenJson(['account', 'credit', '--account', demo.account_id, '--amount', '100000'], env);
  apis.push(...(await Promise.all([1, 2].map(() => startServiceProcess(env, ['--role', 'api'])))));
  worker = await startServiceProcess(env, ['--role', 'worker']);
});
after(async () => {
  for (const running of [...apis, worker]) if (running?.isRunning()) await running.kill();
  await stranger?.close();
  await second?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

type Reply = { status: number; body: { id: string; artwork_ready?: boolean; code?: string } };

async function call(
  api: ServiceProcess | undefined,
  method: string,
  path: string,
  options: { body?: object; token?: string } = {},
): Promise<Reply> {
  const response = await fetch(`${api?.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${options.token ?? demo.token}`, 'content-type': 'application/json' },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

/** A slow machine answers some of fifty at once with 503, which promises that nothing was done: they are sent again. */
async function placePatiently(api: ServiceProcess | undefined, body: object): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    const reply = await call(api, 'POST', '/orders', { body });
    if (reply.status !== 503 || tries === 300) return reply;
    await setTimeout(100);
  }
}

function order(changes: object = {}): object {
  const item = { product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 };
  return { items: [{ ...item, ...changes }], shipping_address: HOME, external_reference: newReference() };
}

test(`F94 ${AT_ONCE} identical orders at once over two processes, ${ROUNDS} times: one order and one charge each`, async () => {
  const references: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const body = { ...order({ print_jobs: [] }), external_reference: newReference() };
    references.push(body.external_reference);
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => placePatiently(apis[at % 2], body)));
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [...Array.from({ length: AT_ONCE - 1 }, () => 200), 201], `round ${round}`);
    assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1);
  }
  const [written] = await second.query(
    `select count(*)::integer as orders, count(distinct p.order_id)::integer as charged, count(*) filter (where p.sum = o.total_pence)::integer as exact
     from orders o left join (
       select order_id, sum(amount_pence) as sum from posting where kind = 'charge' group by order_id
     ) p on p.order_id = o.id
     where o.external_reference = any($1)`,
    [references],
  );
  assert.deepEqual(written, { orders: ROUNDS, charged: ROUNDS, exact: ROUNDS });
});

test('B34 a token that is revoked on the command line is refused by both processes within a second', async () => {
  const minted = await platenJson<{ id: string; token: string }>(
    ['token', 'mint', '--account', demo.account_id, '--scopes', 'orders:read'],
    env,
  );
  const statusOn = async (api: ServiceProcess): Promise<number> =>
    (await call(api, 'GET', '/orders?limit=1', { token: minted.token })).status;
  for (const api of apis) assert.equal(await statusOn(api), 200);
  // Used all the while, so that the processes remember it as fresh as can be.
  const over = new AbortController();
  let slowestMs = 0;
  const using = Promise.all(
    apis.map(async (api) => {
      while (!over.signal.aborted) {
        const askedMs = performance.now();
        await statusOn(api);
        slowestMs = Math.max(slowestMs, performance.now() - askedMs);
      }
    }),
  );
  await platenJson(['token', 'revoke', '--id', minted.id], env);
  const revokedMs = performance.now();
  for (const api of apis) {
    await eventually('it is refused', async () => (await statusOn(api)) === 401);
  }
  const tookMs = performance.now() - revokedMs;
  over.abort();
  await using;
  // A second, and a request of each process on a machine however busy.
  assert.ok(tookMs < 1_500 + 4 * slowestMs, `${tookMs} ms, of requests of at most ${slowestMs} ms`);
});

test('a worker that is killed in the middle of its work: another takes it over, and the artwork becomes print-ready', async () => {
  // A worker of its own that is busy for a moment with each picture.
  stranger.serve('/detailed.png', { body: await noise(2_200, 2_200).png().toBuffer() });
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: stranger.url('/detailed.png') }];
  await eventually('the worker is idle', async () => (await jobs()).length === 0);
  const placed = await call(apis[0], 'POST', '/orders', { body: order({ decoration: { areas } }) });
  assert.equal(placed.status, 201);
  await eventually('the worker has begun', async () => (await jobs()).some(({ leased }) => leased));
  await worker.kill();
  const [left] = await jobs();
  assert.ok(left !== undefined, 'it was killed before the end');
  // What waiting for half a minute would do: the lease runs out.
  await second.query("update job set run_at = run_at - interval '31 seconds'");
  worker = await startServiceProcess(env, ['--role', 'worker']);
  await eventually('it is print-ready', async () => (await jobs()).length === 0);
  const [state] = await second.query("select count(*)::integer as left from print_file where state <> 'ready'");
  assert.equal(state?.left, 0);
});

async function jobs(): Promise<{ leased: boolean }[]> {
  return (await second.query('select lease_token from job')).map((row) => ({ leased: row.lease_token !== null }));
}

test('all processes drain and end with status 0, and the books are in order', async () => {
  assert.deepEqual(await Promise.all([...apis, worker].map((running) => running.stop())), [0, 0, 0]);
  const { status, stdout } = await runPlaten(['verify', '--json'], env);
  assert.equal(status, 0, stdout);
});
