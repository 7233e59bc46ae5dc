import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Session } from '../../src/accounts/portal/schema.ts';
import type { ChannelWithSecret } from '../../src/channels/channel-schema.ts';
import type { ShopOrder } from '../../src/channels/shop-order.ts';
import { type CardProcess, openCardProcess } from '../harness/card-process.ts';
import { eventually } from '../harness/context.ts';
import { COOKIE, secretOf, signIn } from '../harness/portal.ts';
import { runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const ORDERS = 60;
const KILLS = 6;

let card: CardProcess;
let service: ServiceProcess;
let channel: ChannelWithSecret;

before(async () => {
  card = await openCardProcess();
  ({ service } = card);
  const owner = ['user', 'create', '--account', card.demo.account_id, '--email', OWNER.email];
  const created = await runPlaten(owner, card.env, `${OWNER.password}\n`);
  assert.equal(created.status, 0, created.stderr);
  const answer = await signIn(service, OWNER);
  assert.equal(answer.status, 201, answer.text);
  const connected = await fetch(`${service.url}/portal/api/v1/channels`, {
    method: 'POST',
    headers: {
      cookie: `${COOKIE}=${secretOf(answer)}`,
      origin: new URL(service.url).origin,
      'x-platen-csrf': (answer.body satisfies Session).csrf_token,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'A shop of many kills' }),
  });
  assert.equal(connected.status, 201);
  channel = (await connected.json()) as ChannelWithSecret;
});
after(() => card?.close(service));

/** Sends an order once; whether it was acknowledged. */
async function send(order: ShopOrder): Promise<boolean> {
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const body = JSON.stringify(order);
  const key = Buffer.from(channel.secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  try {
    const response = await fetch(`${service.url}/channels/${channel.channel.id}/orders`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    await response.arrayBuffer();
    return response.status === 202;
  } catch {
    return false;
  }
}

const waitMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function sendUntilTaken(order: ShopOrder): Promise<void> {
  while (!(await send(order))) await waitMs(100);
}

test('N198 a shop sends orders, each twice, while its process is killed again and again: each is placed once, none is lost', async () => {
  const product = `${card.demo.products.fixed}/TEE-CLASSIC-WHT-M`;
  const now = new Date().toISOString();
  const orders = Array.from(
    { length: ORDERS },
    (_, at): ShopOrder => ({
      id: String(at),
      number: `#${1_000 + at}`,
      ordered_at: now,
      updated_at: now,
      shipping_address: {
        contact_name: 'Ada',
        line1: '1 Mill Lane',
        city: 'Leeds',
        postcode: 'LS1 4DY',
        country_code: 'GB',
      },
      items: [{ id: '1', sku: product, title: 'Tee', quantity: 1 }],
    }),
  );
  const killing = (async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await waitMs(150 + kill * 70);
      await service.kill();
      service = await startServiceProcess(card.env);
    }
  })();
  for (let at = 0; at < orders.length; at += 6) {
    const some = orders.slice(at, at + 6);
    await Promise.all([...some, ...some].map(sendUntilTaken));
  }
  await killing;
  // The lease of a worker that died would last minutes.
  await card.query("update job set run_at = created_at where kind = 'shop_order' and lease_token is not null");
  await eventually('all orders of the shop are placed', async () => {
    const rows = await card.query<{ state: string; orders: number }>(
      'select state, count(*)::integer as orders from channel_order group by 1',
    );
    return rows.length === 1 && rows[0]?.state === 'placed' && rows[0].orders === ORDERS;
  });
  const [placed] = await card.query<{ orders: number; apart: number; joined: number }>(
    `select count(*)::integer as orders, count(distinct o.external_reference)::integer as apart,
       count(s.id)::integer as joined
     from orders o left join channel_order s on s.order_id = o.id where o.source = 'channel'`,
  );
  assert.deepEqual(placed, { orders: ORDERS, apart: ORDERS, joined: ORDERS });
  const { status, stdout } = await runPlaten(['verify', '--json'], card.env);
  assert.equal(status, 0, stdout);
});
