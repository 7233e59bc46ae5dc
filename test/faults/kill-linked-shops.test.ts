import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../src/accounts/portal/schema.ts';
import type { BegunLink } from '../../src/channels/channel-schema.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import { createAuthority } from '../harness/authority.ts';
import { type CardProcess, openCardProcess } from '../harness/card-process.ts';
import { eventually } from '../harness/context.ts';
import { COOKIE, secretOf, signIn } from '../harness/portal.ts';
import { platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { type Stranger, startStranger } from '../harness/stranger.ts';
import { openWooDouble, type WooDouble, type WooOrder } from '../harness/woo-double.ts';

// A shop of WooCommerce on a bad day: notices are lost, doubled and out of order, the shop is away, and the service is
// killed again and again. The nightly run has 10,000 orders and 100 kills.

const ORDERS = Number(process.env.PLATEN_TEST_SHOP_ORDERS ?? 40);
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 6);
const DONE_WITHIN_MS = 60_000 + ORDERS * 100;
const LANES = 6;
const PERSON = { email: 'owner@example.com', password: 'correct horse battery' };
const OPERATOR = ['--email', 'ada@shop.example'];

let folder: string;
let stranger: Stranger;
let card: CardProcess;
let service: ServiceProcess;
let woo: WooDouble;
let operator: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-shops-'));
  const authority = createAuthority();
  stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  card = await openCardProcess({
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
  });
  ({ service } = card);
  await platenJson(['operator', 'create', ...OPERATOR, '--password', 'a password of the tests'], card.env);
  ({ token: operator } = await platenJson<{ token: string }>(['operator', 'token', ...OPERATOR], card.env));
  const owner = ['user', 'create', '--account', card.demo.account_id, '--email', PERSON.email];
  const created = await runPlaten(owner, card.env, `${PERSON.password}\n`);
  assert.equal(created.status, 0, created.stderr);
  woo = openWooDouble({ stranger, url: service.url, ctx: { clock: { now: () => new Date() } } });
  const signedIn = await signIn(service, PERSON);
  const begun = await fetch(`${service.url}/portal/api/v1/channels/links`, {
    method: 'POST',
    headers: {
      cookie: `${COOKIE}=${secretOf(signedIn)}`,
      origin: new URL(service.url).origin,
      'x-platen-csrf': (signedIn.body satisfies Session).csrf_token,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ platform: 'woocommerce', name: 'A shop of many kills', address: woo.address }),
  });
  assert.equal(begun.status, 201);
  const { consent_url: url = '' } = (await begun.json()) as BegunLink;
  assert.equal(await woo.consent(url), 200);
  await eventually('its webhooks are made', () => woo.hooks.size === 4);
  // As many parcels as there are orders, and no more calls than it takes to look whether one is there.
  woo.feature(true);
});
after(async () => {
  await card?.close(service);
  await stranger?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Has what a killed worker held go on at once: its leases are older than its end. What runs is left alone. */
async function release(killedAt: Uuid): Promise<void> {
  const held = "update job set run_at = created_at where lease_token < $1 and kind like 'shop_%'";
  await card.query(held, [killedAt]);
}

/** Has the shop asked again now, though it has failed before, or nothing is due. */
async function askAgain(): Promise<void> {
  await card.query(
    "update channel_link set retry_at = null, next_sync_at = now(), synced_at = now() - interval '10 minutes'",
  );
}

/** Does something while the service is killed so many times. */
async function whileKilled(kills: number, work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const killing = (async () => {
    for (let kill = 0; kill < kills && !over.signal.aborted; kill += 1) {
      await sleep(200 + (kill % 7) * 90);
      await service.kill();
      const killedAt = newId();
      service = await startServiceProcess(card.env);
      await release(killedAt);
      await askAgain();
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
    await killing;
  }
}

async function ask<Body>(method: string, path: string, body?: object): Promise<Body | undefined> {
  try {
    const response = await fetch(`${service.url}/ops/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${operator}`,
        ...(method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': path } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answered = await response.text();
    if (response.status >= 500) return undefined;
    assert.ok(response.ok || response.status === 409, `${method} ${path}: ${answered}`);
    return JSON.parse(answered) as Body;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return undefined;
  }
}

/** Asks until the service is there to answer. */
async function insist<Body>(method: string, path: string, body?: object): Promise<Body> {
  return eventually(`${method} ${path}`, () => ask<Body>(method, path, body), DONE_WITHIN_MS);
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item, at: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let at = next++; at < items.length; at = next++) await work(items[at] as Item, at);
    }),
  );
}

test('orders of a shop are placed once and none is lost, and each parcel is reported once, whatever fails in between', async () => {
  const orders: WooOrder[] = [];
  await whileKilled(KILLS, async () => {
    await inLanes(Array.from({ length: ORDERS }), async (_item, at) => {
      const order = woo.order({
        line_items: [
          {
            id: 1,
            name: 'Fern tee',
            product_id: 7,
            variation_id: 0,
            sku: `${card.demo.products.fixed}/TEE-CLASSIC-WHT-M`,
            quantity: 1,
            meta_data: [],
          },
        ],
      });
      orders.push(order);
      if (at % 50 === 20) {
        woo.fail({ times: 5, how: (_hit, response) => void response.writeHead(503).end('<h1>Down</h1>') });
      }
      // One notice in five is lost, one comes twice, and each is of an order of some time ago.
      const earlier = orders[Math.max(0, orders.length - 1 - (at % 9))] ?? order;
      if (at % 5 !== 0) await woo.tell(earlier);
      if (at % 5 === 1) await woo.tell(earlier);
    });
  });
  woo.mend();
  await eventually(
    'all orders are placed',
    async () => {
      await askAgain();
      await sleep(500);
      const rows = await card.query<{ state: string; orders: number }>(
        'select state, count(*)::integer as orders from channel_order group by 1',
      );
      return rows.length === 1 && rows[0]?.state === 'placed' && rows[0].orders === ORDERS;
    },
    DONE_WITHIN_MS,
  );

  await card.query('update orders set cancellable_until = placed_at');
  const placed = await card.query<{ id: string; reference: string }>(
    "select reference from orders where source = 'channel' order by id",
  );
  await whileKilled(KILLS, () =>
    inLanes(placed, async ({ reference }, at) => {
      if (at % 50 === 20) woo.fail({ times: 5, how: (_hit, response) => void response.socket?.destroy() });
      const { data } = await insist<{ data: { id: string }[] }>('GET', `/orders?reference=${reference}`);
      const path = `/orders/${data[0]?.id}`;
      await insist('POST', `${path}/promote`, {});
      const ready = await eventually(
        'the artwork is ready',
        async () => {
          const order = await insist<OpsOrder>('GET', path);
          return order.lines.every((line) => line.artwork_ready) && order;
        },
        DONE_WITHIN_MS,
      );
      const line = ready.lines[0]?.id ?? '';
      await insist('POST', `${path}/lines/${line}/start`, {});
      const parcel = {
        carrier: 'Royal Mail',
        tracking_number: `RM-${reference}`,
        items: [{ line_id: line, quantity: 1 }],
      };
      await insist('POST', `${path}/shipments`, parcel);
    }),
  );
  woo.mend();
  await eventually(
    'the shop has completed all orders',
    async () => {
      await askAgain();
      await sleep(500);
      return orders.every(({ status }) => status === 'completed');
    },
    DONE_WITHIN_MS,
  );
  assert.deepEqual(
    orders.map(({ id }) => woo.fulfilments.get(id)?.length),
    orders.map(() => 1),
  );
  const numbers = new Set(
    orders.flatMap(({ id }) =>
      (woo.fulfilments.get(id) ?? []).flatMap(({ meta_data: meta }) =>
        meta.flatMap(({ key, value }) => (key === '_tracking_number' ? [value] : [])),
      ),
    ),
  );
  assert.equal(numbers.size, ORDERS, 'each has its own number');
  const [counted] = await card.query<{ orders: number; apart: number }>(
    `select count(*)::integer as orders, count(distinct external_reference)::integer as apart from orders
     where source = 'channel'`,
  );
  assert.deepEqual(counted, { orders: ORDERS, apart: ORDERS });
  const { status, stdout } = await runPlaten(['verify', '--json'], card.env);
  assert.equal(status, 0, stdout);
});
