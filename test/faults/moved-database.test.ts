import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { continueNumbers } from '../../src/lib/migrations/migrate.ts';
import type { Page } from '../../src/lib/paging.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { verify } from '../../src/verify/verify.ts';
import type { Event } from '../../src/webhooks/event-schema.ts';
import { eventually } from '../harness/context.ts';
import { copyRows } from '../harness/copy-rows.ts';
import { SECRET_KEY, startTestServer, type TestServer } from '../harness/database.ts';
import { freePort, platenJson, runCommand, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { dumpAndRestore, findPrograms, type RealPostgres, startRealPostgres } from '../harness/real-postgres.ts';
import { scratchParent } from '../harness/scratch.ts';
import { openSecondConnection } from '../harness/second-connection.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket, HOME, newReference } from '../harness/shop.ts';

// The runbook's way for an external database: dump, restore into a new server, migrate, verify, start. The new server
// counts its transactions from a lower number than the old one had reached.

/** So far is the old server ahead of a new one. */
const TRANSACTIONS_BEFORE = 5_000;

type Move = {
  /** The address of an empty database, each on a server of its own but for the last, which is on the first's. */
  readonly databases: readonly string[];
  readonly move: (from: string, to: string) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** With the servers that npm brings, which have no `pg_dump`. */
async function openCopies(): Promise<Move> {
  const servers = [await startTestServer(), await startTestServer()];
  const databases = await Promise.all([0, 1, 0].map((index, order) => createOn(servers[index], `shop_${order}`)));
  return {
    databases,
    move: async (from, to) => {
      assert.equal((await runCommand(['migrate'], environment(to))).status, 0);
      await copyRows(from, to);
    },
    stop: async () => {
      for (const server of servers) await server.stop();
    },
  };
}

async function createOn(server: TestServer | undefined, name: string): Promise<string> {
  assert.ok(server);
  const { host, port, user, password } = server.address;
  const client = new pg.Client({ host, port, user, password, database: 'postgres' });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
}

/** With this machine's own PostgreSQL, `pg_dump` and `pg_restore`. */
async function openDumps(folder: string): Promise<Move> {
  const servers: RealPostgres[] = [await startRealPostgres(folder), await startRealPostgres(folder)];
  const databases = await Promise.all(
    [0, 1, 0].map(async (index, order) => (await servers[index]?.createDatabase(`shop_${order}`)) ?? ''),
  );
  return {
    databases,
    move: (from, to) => dumpAndRestore(folder, from, to),
    stop: async () => {
      for (const server of servers) await server.stop();
    },
  };
}

let dataDir: string;
let port: number;
before(async () => {
  dataDir = await mkdtemp(join(scratchParent(), 'platen-moved-'));
  port = await freePort();
});
after(() => rm(dataDir, { recursive: true, force: true }));

function environment(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEY,
    PORT: String(port),
    SELLER_NAME: 'A Shop',
    LOG_LEVEL: 'error',
  };
}

async function call<Body>(demo: DemoReport, method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

async function placeAndCancel(demo: DemoReport): Promise<CreatedOrder> {
  const order = await call<CreatedOrder>(demo, 'POST', '/orders', {
    items: [{ product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }],
    shipping_address: HOME,
    external_reference: newReference(),
  });
  await call(demo, 'POST', `/orders/${order.id}/cancel`);
  return order;
}

/** Reads on from a cursor until so many events have come. */
async function readOn(demo: DemoReport, cursor: string | undefined, count: number): Promise<string[]> {
  const ids: string[] = [];
  let at = cursor;
  await eventually(`${count} more events`, async () => {
    const { data } = await call<Page<Event>>(demo, 'GET', `/events?limit=2${at === undefined ? '' : `&cursor=${at}`}`);
    ids.push(...data.map(({ id }) => id));
    at = data.at(-1)?.id ?? at;
    return ids.length >= count;
  });
  return ids;
}

async function assertVerified(databaseUrl: string): Promise<void> {
  const { status, stdout, stderr } = await runCommand(['verify', '--json'], environment(databaseUrl));
  assert.equal(status, 0, stdout + stderr);
}

/** A shop that moves twice, the second time back to the server where it began. */
async function tryMoves({ databases, move }: Move): Promise<void> {
  const [first = '', second = '', third = ''] = databases;
  const migrated = await platenJson<{ moved: boolean }>(['migrate'], environment(first));
  assert.equal(migrated.moved, false, 'a new database has moved from nowhere');
  const demo = await platenJson<DemoReport>(['seed', 'demo', '--small'], environment(first));
  const client = new pg.Client(first);
  await client.connect();
  await client.query(
    `do $$ begin for i in 1..${TRANSACTIONS_BEFORE} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );
  await client.end();

  let service: ServiceProcess = await startServiceProcess(environment(first));
  try {
    const orders = [await placeAndCancel(demo), await placeAndCancel(demo)];
    const seen = await readOn(demo, undefined, 4);
    assert.equal(await service.stop(), 0);

    await move(first, second);
    assert.equal((await platenJson<{ moved: boolean }>(['migrate'], environment(second))).moved, true);
    assert.equal((await platenJson<{ moved: boolean }>(['migrate'], environment(second))).moved, false, 'only once');
    await assertVerified(second);
    service = await startServiceProcess(environment(second));
    orders.push(await placeAndCancel(demo));
    const anew = await readOn(demo, undefined, 6);
    assert.deepEqual(anew.slice(0, 4), seen, 'in the order of before');
    assert.equal(new Set(anew).size, 6);
    assert.deepEqual(await readOn(demo, seen[0], 5), anew.slice(1), 'a reader that had read one goes on');
    assert.deepEqual(await readOn(demo, seen[3], 2), anew.slice(4), 'and one that had read all');
    await assertVerified(second);
    assert.equal(await service.stop(), 0);

    await move(second, third);
    // Without a command before it: a start does the same.
    service = await startServiceProcess(environment(third));
    orders.push(await placeAndCancel(demo));
    const last = await readOn(demo, undefined, 8);
    assert.deepEqual(last.slice(0, 6), anew);
    assert.deepEqual(await readOn(demo, anew[4], 3), last.slice(5));
    const listed = await call<Page<Order>>(demo, 'GET', '/orders?updated_since=2020-01-01T00:00:00.000Z');
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      orders.map(({ id }) => id).toReversed(),
    );
    await assertVerified(third);
    assert.equal(await service.stop(), 0);
  } finally {
    if (service.isRunning()) await service.kill();
  }
}

describe('a database that moves to another server needs no statement by hand: no event is skipped or repeated', () => {
  test('its rows copied', async () => {
    const copies = await openCopies();
    try {
      await tryMoves(copies);
    } finally {
      await copies.stop();
    }
  });

  const programs = findPrograms();
  test('by pg_dump and pg_restore', { skip: 'missing' in programs && programs.missing }, async () => {
    assert.ok('folder' in programs);
    const dumps = await openDumps(programs.folder);
    try {
      await tryMoves(dumps);
    } finally {
      await dumps.stop();
    }
  });
});

describe('the numbers of transactions', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ role: 'api' });
  });
  after(() => service.stop());

  const script = (text: string): Promise<void> => service.ctx.database.script(text);
  /** A row that another transaction has written than it says, as a restored one. */
  const MOVED = 'update transaction_numbering set ahead = ahead';
  const ahead = async (): Promise<number> => {
    const row = await service.ctx.database.one<{ ahead: number }>(
      { name: 'test_ahead', text: 'select (ahead >> 44)::integer as ahead from transaction_numbering' },
      [],
    );
    return row?.ahead ?? -1;
  };
  const place = async (): Promise<string> => {
    const answer = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
    assert.equal(answer.status, 201, answer.text);
    return answer.body.reference;
  };
  const readAll = async (): Promise<string[]> => {
    const { body } = await service.customer.request<Page<{ data: { reference: string } }>>('GET', '/events');
    return body.data.map(({ data }) => data.reference);
  };
  const violations = async (): Promise<readonly string[]> =>
    (await verify(service.ctx)).checks.find(({ name }) => name.includes('transactions of this server'))?.violations ??
    [];

  test('rows of transactions that are still to come are found by verify', async () => {
    const order = await place();
    assert.deepEqual(await violations(), []);
    await script("update orders set changed_by = '9000000000000'");
    assert.ok((await violations()).some((violation) => violation.includes(order)));
    await script("update event set transaction_id = '9000000000000'");
    assert.ok((await violations()).some((violation) => violation.startsWith('event ')));
    assert.deepEqual(await readAll(), []);
    await script(MOVED);
    assert.equal(await continueNumbers(service.ctx.database), true);
    assert.deepEqual(await violations(), []);
    const later = await place();
    await eventually('both', async () => (await readAll()).length === 2);
    assert.deepEqual(await readAll(), [order, later]);
  });

  test('grow once, however many nodes start at the same moment', async () => {
    const before = await ahead();
    await script(MOVED);
    const moved = await Promise.all(Array.from({ length: 5 }, () => continueNumbers(service.ctx.database)));
    assert.deepEqual(moved.filter(Boolean), [true]);
    assert.equal(await ahead(), before + 1);
    assert.equal(await continueNumbers(service.ctx.database), false);
  });

  test('grow too if the row says by accident what is true of it, and lies where only a restore puts it', async () => {
    await script(`create temporary table kept as select ahead from transaction_numbering;
      truncate transaction_numbering;
      insert into transaction_numbering (ahead, written_by) select ahead, pg_current_xact_id() from kept`);
    assert.equal(await continueNumbers(service.ctx.database), true);
    assert.equal(await continueNumbers(service.ctx.database), false);
  });

  test('a table that was rewritten on its server makes them grow for nothing, and nothing else', async () => {
    const read = await readAll();
    await script('vacuum full transaction_numbering');
    await continueNumbers(service.ctx.database);
    const later = await place();
    await eventually('one more', async () => (await readAll()).length === read.length + 1);
    assert.deepEqual(await readAll(), [...read, later]);
    assert.deepEqual(await violations(), []);
  });

  test('wait for a transaction that has a number already, and for none that only reads', async () => {
    const read = await readAll();
    const second = await openSecondConnection(service.database);
    await second.query('begin; select count(*) from event');
    await script(MOVED);
    assert.equal(await continueNumbers(service.ctx.database), true, 'a reader is no hindrance');
    const copied = await second.query(
      `insert into event (account_id, id, order_id, sequence, event, data, created_at)
       select account_id, uuid_v7(clock_timestamp()), order_id, 99, event, data, created_at from event limit 1
       returning transaction_id::text as number`,
    );
    await script(MOVED);
    let isDone = false;
    const continued = continueNumbers(service.ctx.database).then((moved) => {
      isDone = true;
      return moved;
    });
    await second.untilWaiting(1);
    assert.equal(isDone, false);
    await second.query('commit');
    assert.equal(await continued, true);
    const later = await place();
    await eventually('two more', async () => (await readAll()).length === read.length + 2);
    assert.equal((await readAll()).at(-1), later, `the one that waited had ${JSON.stringify(copied)}`);
    await second.query('delete from event where sequence = 99');
    await second.close();
  });
});
