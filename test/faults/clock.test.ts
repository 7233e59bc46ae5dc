import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import type { Order } from '../../src/orders/schema.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { createDemoDatabase, type DemoDatabase, SECRET_KEY } from '../harness/database.ts';
import type { Environment } from '../harness/environment.ts';
import { type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { type ErrorReply, startTestService, type TestService } from '../harness/service.ts';
import { HOME, newReference, openShop, type Shop } from '../harness/shop.ts';
import { type Stranger, startStranger } from '../harness/stranger.ts';
import { rows } from '../harness/written.ts';

const HOUR_MS = 3_600_000;

/**
 * Every member of a reply that tells a time, and every text that looks like one: UTC, `Z`, milliseconds. Returns
 * them. Between which days an order is to arrive is a day of the calendar.
 */
function timesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((entry, at) => timesIn(entry, `${path}[${at}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, entry]) => timesIn(entry, `${path}.${name}`));
  }
  if (typeof value !== 'string') return [];
  if (/\.expected_delivery\.(earliest|latest)$/.test(path)) {
    assert.match(value, /^\d{4}-\d\d-\d\d$/, `${path} is a day`);
    assert.equal(new Date(value).toISOString().slice(0, 10), value, path);
    return [];
  }
  const isTime = /(_at|_until|_since|_on)$/.test(path) || /^\d{4}-\d\d-\d\d/.test(value);
  if (!isTime) return [];
  assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, `${path} is ${value}`);
  assert.equal(new Date(value).toISOString(), value, path);
  return [value];
}

describe('N211 whatever the calendar says', () => {
  let service: TestService;
  let shop: Shop;
  before(async () => {
    service = await startTestService();
    shop = await openShop(service, 60);
  });
  after(() => service.stop());

  // The service follows the database's clock, which that of this process is some milliseconds ahead of or behind.
  const goTo = (at: number): void => service.shiftMs(at - service.ctx.clock.now().getTime());
  const read = async (path: string) => shop.customer.request<Order>('GET', path);

  const MOMENTS: readonly (readonly [what: string, at: string])[] = [
    ['the clocks go forward in London', '2027-03-28T00:59:58.000Z'],
    ['the clocks go back in London', '2027-10-31T00:30:00.000Z'],
    ['the clocks go forward in New York', '2027-03-14T06:59:58.000Z'],
    ['it is 29 February', '2028-02-29T23:30:00.000Z'],
    ['the year ends with what may be a leap second', '2026-12-31T23:59:58.000Z'],
    ['the seconds since 1970 leave 31 bits', '2038-01-19T03:14:06.000Z'],
    ['there is no 29 February', '2100-02-28T23:59:58.000Z'],
  ];

  for (const [what, moment] of MOMENTS) {
    test(`N211 when ${what}: times are UTC with Z and milliseconds, and the window is an hour`, async () => {
      const at = Date.parse(moment);
      goTo(at);
      const kept = await shop.order({ external_reference: newReference() });
      const late = await shop.order({ external_reference: newReference() });
      assert.deepEqual([kept.status, late.status], [201, 201], kept.text);
      const fetched = await read(`/orders/${kept.body.id}`);
      const told = Date.parse(fetched.body.created_at);
      assert.ok(Math.abs(told - at) < 60_000, fetched.body.created_at);
      assert.equal(Date.parse(fetched.body.cancellable_until) - told, HOUR_MS);
      // The log holds back what a transaction of another test, open on the same server, may precede.
      const events = await eventually('its event is in the log', async () => {
        const log = await shop.customer.request<{ data: { event: string }[] }>('GET', `/events?order=${kept.body.id}`);
        return log.status === 200 && log.body.data.length >= 1 && log;
      });
      const seen = [kept, fetched, await read('/orders?limit=5'), await read('/products'), events];
      assert.ok(seen.flatMap(({ body }) => timesIn(body)).length > 10);

      goTo(told + HOUR_MS - 60_000);
      const cancelled = await shop.customer.request('POST', `/orders/${kept.body.id}/cancel`);
      assert.equal(cancelled.status, 200, cancelled.text);
      timesIn(cancelled.body);
      goTo(told + HOUR_MS + 60_000);
      const refused = await shop.customer.request('POST', `/orders/${late.body.id}/cancel`);
      assert.deepEqual([refused.status, refused.body.code], [409, 'cancellation_window_closed']);
      assert.equal(timesIn(refused.body).length, 2, 'placed_at and cancellable_until');
    });
  }

  test('N211 a leap second that the database was given is the second after it, and stays in its form', async () => {
    goTo(Date.parse('2027-01-01T12:00:00.000Z'));
    const placed = await shop.order();
    await rows(
      service,
      "update orders set placed_at = '2016-12-31 23:59:60+00', cancellable_until = '2017-01-01 00:59:60+00' where reference = $1",
      [placed.body.reference],
    );
    const refused = await shop.customer.request<ErrorReply & { placed_at: string; cancellable_until: string }>(
      'POST',
      `/orders/${placed.body.id}/cancel`,
    );
    assert.equal(refused.body.placed_at, '2017-01-01T00:00:00.000Z');
    assert.equal(refused.body.cancellable_until, '2017-01-01T01:00:00.000Z');
  });

  for (const [since, status] of [
    ['2028-02-29T00:00:00.000Z', 200],
    ['2027-02-29T00:00:00.000Z', 422],
    ['2100-02-29T00:00:00.000Z', 422],
    ['2016-12-31T23:59:60.000Z', 422],
    ['2027-03-28T01:30:00.000+01:00', 422],
    ['2027-03-28T01:30:00', 422],
  ] as const) {
    test(`N211 a time that is asked for as ${since} is ${status}`, async () => {
      const answer = await shop.customer.request('GET', `/orders?updated_since=${encodeURIComponent(since)}`);
      assert.equal(answer.status, status, answer.text);
    });
  }
});

describe('N212 machines whose clocks are wrong, each in its own way and its own time zone', () => {
  let folder: string;
  let database: DemoDatabase;
  let second: SecondConnection;
  let stranger: Stranger;
  let env: Environment;
  let demo: DemoReport;
  const nodes: { name: string; wrongMs: number; process: ServiceProcess }[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'platen-clock-'));
    database = await createDemoDatabase(join(folder, 'data'));
    ({ demo } = database);
    second = await openSecondConnection(database);
    const authority = createAuthority();
    stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
    stranger.serve('/hook', { status: 204 });
    env = {
      DATABASE_URL: database.url,
      SECRET_KEY,
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      WEBHOOK_FLUSH_SECONDS: '0',
      TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
      NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
      LOG_LEVEL: 'error',
    };
    const start = async (name: string, wrongMs: number, zone: string, role: string): Promise<void> => {
      const wrong = {
        ...env,
        TZ: zone,
        NODE_OPTIONS: `--import ${fileURLToPath(new URL('../harness/wrong-clock.ts', import.meta.url))}`,
        TEST_CLOCK_WRONG_MS: String(wrongMs),
        TEST_CLOCK_JUMP_MS: String(wrongMs < 0 ? -2 * HOUR_MS : 2 * HOUR_MS),
      };
      nodes.push({ name, wrongMs, process: await startServiceProcess(wrong, ['--role', role]) });
    };
    await start('five minutes ahead', 300_000, 'America/St_Johns', 'all');
    await start('five minutes behind', -300_000, 'Asia/Kathmandu', 'api');
  });
  after(async () => {
    for (const { process: running } of nodes) if (running.isRunning()) await running.kill();
    await stranger?.close();
    await second?.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  type Reply<Body> = { status: number; body: Body; text: string };

  /** A request of a client whose own clock is wrong as well, and says so. */
  async function call<Body>(node: { process: ServiceProcess }, method: string, path: string, body?: object) {
    const response = await fetch(`${node.process.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${demo.token}`,
        'content-type': 'application/json',
        date: new Date(Date.now() - 2 * HOUR_MS).toUTCString(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as Body, text } satisfies Reply<Body>;
  }

  const databaseNow = async (): Promise<number> => {
    const [row] = await second.query('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
    return Number(row?.ms);
  };

  async function place(node: (typeof nodes)[number]): Promise<Order> {
    const earliest = await databaseNow();
    const item = { product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, print_jobs: [] };
    const placed = await call<{ id: string }>(node, 'POST', '/orders', { items: [item], shipping_address: HOME });
    assert.equal(placed.status, 201, placed.text);
    const { body } = await call<Order>(node, 'GET', `/orders/${placed.body.id}`);
    timesIn(body);
    const told = Date.parse(body.created_at);
    // The time is the database's, to what the measuring of it may be wrong by on a busy machine.
    assert.ok(told > earliest - 5_000 && told < (await databaseNow()) + 5_000, `${node.name}: ${body.created_at}`);
    assert.equal(Date.parse(body.cancellable_until) - told, HOUR_MS);
    return body;
  }

  /** Lets an order be older than it is. */
  async function age(order: Order, byMs: number): Promise<void> {
    await second.query(
      `update orders set placed_at = placed_at - make_interval(secs => $2), cancellable_until = cancellable_until - make_interval(secs => $2)
       where reference = $1`,
      [order.reference, byMs / 1_000],
    );
  }

  async function assertWindow(): Promise<void> {
    for (const node of nodes) {
      for (const other of nodes) {
        const open = await place(node);
        await age(open, HOUR_MS - 120_000);
        const inside = await call(other, 'POST', `/orders/${open.id}/cancel`);
        assert.equal(inside.status, 200, `placed by ${node.name}, cancelled by ${other.name}: ${inside.text}`);
        const closed = await place(node);
        await age(closed, HOUR_MS + 120_000);
        const outside = await call<ErrorReply>(other, 'POST', `/orders/${closed.id}/cancel`);
        assert.deepEqual(
          [outside.status, outside.body.code],
          [409, 'cancellation_window_closed'],
          `placed by ${node.name}, cancelled by ${other.name}`,
        );
      }
    }
  }

  test('N212 a node five minutes ahead and one five minutes behind decide the window alike: by the database’s clock', async () => {
    await assertWindow();
  });

  test('N212 deliveries are signed with the database’s time, so that no receiver refuses them as too old', async () => {
    const [node] = nodes;
    assert.ok(node);
    await call(node, 'POST', '/webhooks', { url: stranger.url('/hook') });
    await place(node);
    const hit = await eventually('it has arrived', () => stranger.hits.find(({ path }) => path === '/hook'));
    const differenceMs = Number(hit.headers['svc-timestamp']) * 1_000 - Date.now();
    assert.ok(Math.abs(differenceMs) < 60_000, `${differenceMs} ms`);
    timesIn(JSON.parse(hit.body.toString()));
  });

  test('N211 clocks that are set two hours forward and two hours back while the nodes run: the window is the same, from the first moment', async () => {
    for (const { process: running } of nodes) process.kill(running.pid, 'SIGUSR2');
    await assertWindow();
  });
});
