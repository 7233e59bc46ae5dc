import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
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
import { eventually } from '../harness/context.ts';
import { freePort, platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { HOME } from '../harness/shop.ts';

/** How often the service is killed while operators refund and cancel; the nightly run sets it higher. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 3);
const ORDERS_A_KILL = 8;

let folder: string;
let dataDir: string;
let env: Record<string, string>;
let demo: DemoReport;
let operatorToken: string;
let service: ServiceProcess;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-kill-refund-'));
  dataDir = join(folder, 'data');
  env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  demo = await platenJson<DemoReport>(['seed', 'demo'], env);
  const operator = ['operator', 'create', '--email', 'ada@shop.example', '--password', 'a password of the tests'];
  operatorToken = (await platenJson<{ token: string }>(operator, env)).token;
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
async function post<Body>(path: string, token: string, body: object, key?: string): Promise<Body | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${env.PORT}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
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

async function place(): Promise<CreatedOrder> {
  const items = [{ product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 3 }];
  const order = { items, shipping_address: HOME };
  return eventually('an order is placed', () => post<CreatedOrder>('/api/v1/orders', demo.token, order), 30_000);
}

test(`E89 killed ${KILLS} times while ops refund and cancel pieces: each is whole or not at all, and its key makes the retry harmless`, async () => {
  let unanswered = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const orders = await Promise.all(Array.from({ length: ORDERS_A_KILL }, place));
    const requests = orders.flatMap((order) => [
      { path: `/ops/v1/orders/${order.id}/refunds`, body: { amount_gbp: 1.5, reason: 'Late.' }, key: randomUUID() },
      {
        path: `/ops/v1/orders/${order.id}/cancel`,
        body: { reason: 'One less.', lines: [{ line_id: order.items.lineItems[0]?.id, quantity: 1 }] },
        key: randomUUID(),
      },
    ]);
    const acting = requests.map(({ path, body, key }) => post(path, operatorToken, body, key));
    await sleep(randomInt(0, 60));
    await service.kill();
    unanswered += (await Promise.all(acting)).filter((answer) => answer === undefined).length;
    service = await startServiceProcess(env);
    await Promise.all(
      requests.map(({ path, body, key }) =>
        eventually('a request is answered', () => post<object>(path, operatorToken, body, key), 30_000),
      ),
    );
  }
  assert.ok(unanswered > 0, 'a kill met a request under way');
  const wrong = await query<object>(
    `select o.reference from orders o
     where (select count(*) from order_credit c where c.order_id = o.id and c.kind = 'goodwill') <> 1
        or (select count(*) from order_credit c where c.order_id = o.id and c.kind = 'cancellation') <> 1
        or (select count(*) from refund r where r.order_id = o.id) <> 2
        or (select sum(quantity_cancelled) from order_line l where l.order_id = o.id) <> 1
        or (select count(*) from operator_action a where a.order_id = o.id) <> 2`,
  );
  assert.deepEqual(wrong, []);
  const { status, stdout } = await runPlaten(['verify', '--json'], env);
  assert.equal(status, 0, stdout);
});
