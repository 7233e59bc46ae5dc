import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { shopOrderJobs } from '../../../src/channels/inbox/look-at-order.ts';
import type { ShopOrder } from '../../../src/channels/shop-order.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import type { Job } from '../../../src/lib/queue/job.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { type ConnectedShop, closeShops, connectShop, openShops, seen, send, service, shopOrder } from './shops.ts';

// A shop changes its order at the moment at which it is placed. The workers are run by hand.

before(() => openShops('api'));
after(closeShops);

/** The jobs of orders of shops, the oldest first. */
const jobs = (): Promise<readonly Job[]> =>
  rows<Job>(
    service,
    "select id, kind, key, payload, attempts, account_id from job where kind = 'shop_order' order by created_at, id",
  );

async function run(job: Job | undefined): Promise<void> {
  assert.ok(job !== undefined, 'there is such a job');
  await shopOrderJobs(service.ctx)[0]?.run(job, new AbortController().signal);
  await service.ctx.database.script(`delete from job where id = '${job.id}'`);
}

/** Runs all jobs, and those that come of them. */
async function runAll(): Promise<void> {
  for (let next = await jobs(); next.length > 0; next = await jobs()) await run(next[0]);
}

/** What a worker that dies before it notes the order has done. */
async function placeUnnoted(shop: ConnectedShop, order: ShopOrder): Promise<string> {
  const { contact_name, line1, city, postcode } = order.shipping_address as Record<string, string>;
  const { status, body, text } = await shop.customer.request<CreatedOrder>('POST', '/orders', {
    external_reference: `${shop.channelId}:${order.id}`,
    items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 1, print_jobs: [] }],
    shipping_address: { contact_name, line1, city, postcode, country_code: 'GB' },
    metadata: { channel: shop.channelId, shop_order: order.id, shop_number: '#1001' },
  });
  assert.equal(status, 201, text);
  await service.ctx.database.script(`update orders set source = 'channel' where reference = '${body.reference}'`);
  return body.id;
}

const later = (order: ShopOrder, changes: Partial<ShopOrder>): ShopOrder => {
  service.shiftMs(1_000);
  return { ...order, ...changes, updated_at: isoTime(service.ctx.clock.now()) };
};

const statusOf = async ({ owner }: ConnectedShop, id: string): Promise<string> =>
  (await owner.api<Order>('GET', `/orders/${id}`)).body.status;

test('a cancel that comes while its order is placed cancels that order', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order);
  await send(shop, later(order, { cancelled: true }));
  await runAll();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', 'cancelled', placed]);
  assert.equal(await statusOf(shop, placed), 'cancelled');
  await assertSound(service);
});

test('a cancel that is looked at before its order is placed by an earlier look cancels that order, too', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const [first] = await jobs();
  await send(shop, later(order, { cancelled: true }));
  await run((await jobs())[1]);
  assert.equal((await seen(shop, body.id)).reason, 'cancelled_in_shop');
  // The first look has begun before, and ends now.
  const placed = await placeUnnoted(shop, order);
  await run(first);
  await runAll();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', 'cancelled', placed]);
  assert.equal(await statusOf(shop, placed), 'cancelled');
});

test('a change that comes while its order is placed is noted for a person', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order);
  await send(shop, later(order, { shipping_address: { ...order.shipping_address, line1: '13 Mill Lane' } }));
  await runAll();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', 'changed_in_shop', placed]);
});

test('a look that is repeated after its worker has died finds its order, and says nothing', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop);
  const { body } = await send(shop, order);
  const placed = await placeUnnoted(shop, order);
  await runAll();
  const view = await seen(shop, body.id);
  assert.deepEqual([view.state, view.reason, view.order?.id], ['placed', '', placed]);
});
