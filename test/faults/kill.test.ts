import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningPostgres } from '@platen/embedded-postgres';
import { markedProcesses, serverMark } from '@platen/embedded-postgres/processes';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { installDemo } from '../harness/database.ts';
import { flat } from '../harness/pictures.ts';
import { freePort, platenJson, runCommand, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { HOME, newReference } from '../harness/shop.ts';
import { type Stranger, startStranger } from '../harness/stranger.ts';

/**
 * How often the service is killed under load; the nightly run sets it to 500. Every fourth time its database goes
 * instead.
 */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 2);
/** Within this time after the last start all that was accepted is done (goals, "Trust"). */
const DONE_WITHIN_MS = 60_000;
const LANES = 6;
/** By day the print area whose file is made in a tenth of the processor's time. */
const AREA =
  KILLS > 2 ? ({ area: 'front', method: 'dtg' } as const) : ({ area: 'left_sleeve', method: 'embroidery' } as const);

let folder: string;
let dataDir: string;
let env: Record<string, string>;
let stranger: Stranger;
let demo: DemoReport;
let service: ServiceProcess;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-kill-'));
  dataDir = join(folder, 'data');
  const authority = createAuthority();
  stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  stranger.serve('/hook', { status: 204 });
  env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    WEBHOOK_FLUSH_SECONDS: '0',
    WEBHOOK_TIMEOUT_MS: '1000',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
  };
  demo = await installDemo(env);
  await platenJson(['account', 'credit', '--account', demo.account_id, '--amount', '10000000'], env);
  service = await startServiceProcess(env);
  const subscribed = await call('POST', '/webhooks', { url: stranger.url('/hook') });
  assert.equal(subscribed?.status, 201, await subscribed?.text());
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  await stranger?.close();
  // The watchdog ends the database of a service that was killed; the folder can go once it has.
  await eventually('no database is left running', nothingRuns);
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function nothingRuns(): Promise<boolean> {
  return (await markedProcesses(await serverMark(dataDir))).length === 0;
}

/** A request to whichever process runs now; undefined when nobody answered. */
async function call(method: string, path: string, body?: object): Promise<Response | undefined> {
  const response = fetch(`http://127.0.0.1:${env.PORT}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return response.catch(() => undefined);
}

/** Sends an order; undefined when no answer came, or one that says to come back. */
async function place(order: object): Promise<CreatedOrder | undefined> {
  const response = await call('POST', '/orders', order);
  const text = await response?.text().catch(() => undefined);
  if (response === undefined || text === undefined || response.status === 503) return undefined;
  assert.ok([200, 201].includes(response.status), text);
  return JSON.parse(text) as CreatedOrder;
}

/** Sends an order until it is acknowledged, as a careful customer would. */
function placeAtLast(order: object): Promise<CreatedOrder> {
  return eventually('the order is acknowledged', () => place(order), 90_000);
}

function tee(changes: object = {}): object {
  const item = {
    product_id: demo.products.fixed,
    variant_sku: 'TEE-CLASSIC-WHT-M',
    quantity: 1,
    print_jobs: [AREA],
  };
  return { items: [item], shipping_address: HOME, ...changes };
}

/** A tee with a picture of the stranger's on it, one of a few. */
function decoratedTee(path: string, changes: object = {}): object {
  const areas = [{ print_area: AREA.area, method: AREA.method, artwork_url: stranger.url(path) }];
  const item = {
    product_id: demo.products.fixed,
    variant_sku: 'TEE-CLASSIC-WHT-M',
    quantity: 1,
    decoration: { areas },
  };
  return { items: [item], shipping_address: HOME, ...changes };
}

async function servePicture(path: string, colour: string): Promise<void> {
  stranger.serve(path, { body: await flat(400, 400, colour).png().toBuffer() });
}

/** Asks the running service's own database. */
async function query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const address = await eventually('the database runs', () => findRunningPostgres(dataDir));
  const client = new pg.Client(address);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function restart(): Promise<void> {
  await service.kill();
  service = await startServiceProcess(env);
}

async function killDatabase(): Promise<void> {
  const servers = (await markedProcesses(await serverMark(dataDir))).filter(({ kind }) => kind === 'server');
  for (const { pid } of servers) process.kill(pid, 'SIGKILL');
}

/** What a reference has come to: orders, and orders charged. */
async function written(reference: string): Promise<{ orders: number; charges: number }> {
  const [row] = await query<{ orders: string; charges: string }>(
    `select count(*) as orders, count(*) filter (where exists (
       select from posting p where p.order_id = o.id and p.kind = 'charge')) as charges
     from orders o where external_reference = $1`,
    [reference],
  );
  return { orders: Number(row?.orders), charges: Number(row?.charges) };
}

async function assertSound(): Promise<void> {
  const { status, stdout } = await runCommand(['verify', '--json'], env);
  assert.equal(status, 0, stdout);
}

async function allPrintReady(): Promise<boolean> {
  const [row] = await query<{ left: string }>("select count(*) as left from print_file where state <> 'ready'");
  return row?.left === '0';
}

test('N198 killed while it downloads the artwork: no order, no charge, and the retry places it once', async () => {
  const picture = await flat(400, 400, '#010203').png().toBuffer();
  const external_reference = newReference();
  let visits = 0;
  stranger.serve('/killer.png', async (_hit, response) => {
    visits += 1;
    if (visits === 1) await service.kill();
    response.end(picture);
  });
  const order = decoratedTee('/killer.png', { external_reference });
  assert.equal(await place(order), undefined);
  service = await startServiceProcess(env);
  assert.deepEqual(await written(external_reference), { orders: 0, charges: 0 });
  await placeAtLast(order);
  assert.deepEqual(await written(external_reference), { orders: 1, charges: 1 });
  await assertSound();
});

for (const table of ['order_reference', 'posting', 'orders', 'event']) {
  test(`N198 killed while the placing function writes ${table}: the order is wholly there or wholly not (F101)`, async () => {
    await query(`
      create function wait_here() returns trigger language plpgsql as $$ begin perform pg_sleep(2); return new; end $$;
      create trigger wait_here before insert on ${table} for each row execute function wait_here();
    `);
    const external_reference = newReference();
    const order = tee({ external_reference });
    const placing = place(order);
    await eventually('it is writing', async () => {
      const [row] = await query<{ count: string }>(
        "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and application_name = 'platen'",
      );
      return row?.count !== '0';
    });
    await restart();
    assert.equal(await placing, undefined);
    await query(`drop trigger wait_here on ${table}; drop function wait_here()`);
    const { orders, charges } = await written(external_reference);
    assert.equal(orders, charges);
    await placeAtLast(order);
    assert.deepEqual(await written(external_reference), { orders: 1, charges: 1 });
    await assertSound();
  });
}

test('3.2 template: killed right after the answer: the acknowledged order is there, its artwork becomes print-ready', async () => {
  await servePicture('/after.png', '#0a0b0c');
  const placed = await placeAtLast(decoratedTee('/after.png'));
  await restart();
  await eventually(
    'its artwork is ready',
    async () => {
      const response = await call('GET', `/orders/${placed.id}`);
      if (response?.status !== 200) return false;
      return ((await response.json()) as Order).items.every((line) => line.artwork_ready);
    },
    DONE_WITHIN_MS,
  );
});

test(`killed ${KILLS} times under a load of orders: nothing acknowledged is lost, nothing is charged twice, all is done within a minute (F101, 6.6 guarantee)`, async (t) => {
  for (let at = 0; at < 8; at += 1) await servePicture(`/load-${at}.png`, `#10${at}0${at}0`);
  const acknowledged = new Map<string, CreatedOrder>();
  const byReference = new Map<string, Set<string>>();
  let made = 0;
  const over = new AbortController();
  const lane = async (): Promise<void> => {
    while (!over.signal.aborted) {
      made += 1;
      const external_reference = made % 4 === 0 ? undefined : newReference();
      const keyed = external_reference === undefined ? {} : { external_reference };
      const order = made % 5 === 0 ? decoratedTee(`/load-${made % 8}.png`, keyed) : tee(keyed);
      // Without a reference an unanswered order must not be sent again: nobody knows whether it stands.
      const placed = external_reference === undefined ? await place(order) : await placeAtLast(order);
      if (placed !== undefined) acknowledged.set(placed.id, placed);
      await sleep(20);
      if (placed === undefined || external_reference === undefined) continue;
      // A client that did not trust its answer.
      const ids = byReference.get(external_reference) ?? new Set();
      byReference.set(external_reference, ids.add(placed.id));
      if (made % 7 === 0) ids.add((await placeAtLast(order)).id);
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await sleep(randomInt(100, 900));
    if (kill % 4 === 0) await killDatabase();
    else await restart();
  }
  await sleep(500);
  over.abort();
  await lanes;
  t.diagnostic(`${acknowledged.size} orders acknowledged`);

  assert.ok(acknowledged.size > KILLS, 'there was a load');
  for (const [reference, ids] of byReference) assert.equal(ids.size, 1, `${reference} led to ${ids.size} orders`);
  const charged = await query<{ id: string; reference: string; orders: string; total: number; charged: number }>(
    `select o.reference, o.total_pence::integer as total,
            (select coalesce(sum(amount_pence), 0)::integer from posting p where p.order_id = o.id and kind = 'charge') as charged
     from orders o`,
  );
  const chargedOf = new Map(charged.map((row) => [row.reference, row]));
  for (const order of acknowledged.values()) {
    const row = chargedOf.get(order.reference);
    assert.ok(row !== undefined, `${order.reference} was acknowledged and is not there`);
    assert.equal(order.payment_status, 'paid');
    assert.deepEqual([row.total, row.charged], [Math.round(order.charged.total * 100), row.total], order.reference);
  }
  await assertSound();
  await eventually('every accepted artwork is print-ready', allPrintReady, DONE_WITHIN_MS);
  await eventually('every order.created has arrived', async () => (await missingEvents()).length === 0, DONE_WITHIN_MS);
  assertDuplicatesIdentical();
});

/** Orders whose creation the receiver has not been told. */
async function missingEvents(): Promise<string[]> {
  const told = new Set(deliveries().map(({ body }) => body.data.reference));
  const orders = await query<{ reference: string }>("select reference from orders where state <> 'awaiting_payment'");
  return orders.map(({ reference }) => reference).filter((reference) => !told.has(reference));
}

type Delivery = { raw: string; body: { id: string; data: { reference: string } } };

function deliveries(): Delivery[] {
  return stranger.hits
    .filter((hit) => hit.path === '/hook')
    .map((hit) => ({ raw: hit.body.toString(), body: JSON.parse(hit.body.toString()) as Delivery['body'] }));
}

function assertDuplicatesIdentical(): void {
  const byEvent = new Map<string, string>();
  for (const { raw, body } of deliveries()) {
    assert.equal(byEvent.get(body.id) ?? raw, raw);
    byEvent.set(body.id, raw);
  }
}

test('a normal stop ends with status 0, and no process is left behind', async () => {
  assert.equal(await service.stop(), 0);
  assert.deepEqual(await markedProcesses(await serverMark(dataDir)), []);
});
