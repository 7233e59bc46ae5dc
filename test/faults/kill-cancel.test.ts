import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { findRunningPostgres } from '../../src/lib/embedded-postgres.ts';
import { markedProcesses, serverMark } from '../../src/lib/embedded-postgres-processes.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { eventually } from '../harness/context.ts';
import { freePort, platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { HOME } from '../harness/shop.ts';

/** How often the service is killed while orders are cancelled; the nightly run sets it higher. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 3);
const ORDERS_A_KILL = 12;

let folder: string;
let dataDir: string;
let env: Record<string, string>;
let demo: DemoReport;
let service: ServiceProcess;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-kill-cancel-'));
  dataDir = join(folder, 'data');
  env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  demo = await platenJson<DemoReport>(['seed', 'demo'], env);
  service = await startServiceProcess(env);
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  await eventually(
    'no database is left running',
    async () => (await markedProcesses(await serverMark(dataDir))).length === 0,
    20_000,
  );
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

/** An answer of the process that runs now; undefined when none came, or one that says to come back. */
async function post<Body>(path: string, body?: object): Promise<Body | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${env.PORT}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${demo.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    if (response.status === 503 || response.status === 502) return undefined;
    assert.ok([200, 201].includes(response.status), text);
    return JSON.parse(text) as Body;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return undefined;
  }
}

async function query<Row extends object>(text: string): Promise<Row[]> {
  const address = await eventually('the database runs', () => findRunningPostgres(dataDir), 20_000);
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const TEE = {
  items: [
    {
      product_id: '',
      variant_sku: 'TEE-CLASSIC-WHT-M',
      quantity: 1,
      print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }],
    },
  ],
  shipping_address: HOME,
};

async function place(): Promise<CreatedOrder> {
  const [item] = TEE.items;
  const order = { ...TEE, items: [{ ...item, product_id: demo.products.fixed }] };
  return eventually('an order is placed', () => post<CreatedOrder>('/orders', order), 30_000);
}

test(`E89 killed ${KILLS} times while orders are cancelled: each cancel is whole or not at all, and its retry gives one refund`, async () => {
  const [before] = await query<{ balance_pence: string }>(
    'select sum(balance_pence) as balance_pence from account_balance',
  );
  let firsts = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const orders = await Promise.all(Array.from({ length: ORDERS_A_KILL }, place));
    const cancelling = orders.map(({ id }) => post<Cancellation>(`/orders/${id}/cancel`));
    await sleep(randomInt(0, 40));
    await service.kill();
    const acknowledged = await Promise.all(cancelling);
    service = await startServiceProcess(env);
    const retried = await Promise.all(
      orders.map(({ id }) =>
        eventually('a cancel is answered', () => post<Cancellation>(`/orders/${id}/cancel`), 30_000),
      ),
    );
    orders.forEach((order, index) => {
      const [first, again] = [acknowledged[index], retried[index]];
      assert.equal(again?.refunded_gbp, order.charged.total);
      if (first !== undefined) assert.equal(again?.already_cancelled, true, 'what was acknowledged stayed');
      if (first !== undefined) firsts += 1;
    });
  }
  assert.ok(firsts < KILLS * ORDERS_A_KILL, 'a kill met a cancel under way');
  const left = await query<object>(
    `select o.reference from orders o where o.state <> 'cancelled'
       or (select count(*) from posting p where p.order_id = o.id and p.kind = 'refund') <> 1
       or (select count(*) from refund r where r.order_id = o.id) <> 1
       or (select count(*) from event e where e.order_id = o.id and e.event = 'order.cancelled') <> 1`,
  );
  assert.deepEqual(left, []);
  assert.deepEqual(await query<object>('select method from setup_right'), [], 'no setup is left paid for');
  const [after] = await query<{ balance_pence: string }>(
    'select sum(balance_pence) as balance_pence from account_balance',
  );
  assert.deepEqual(after, before);
  const { status, stdout } = await runPlaten(['verify', '--json'], env);
  assert.equal(status, 0, stdout);
});
