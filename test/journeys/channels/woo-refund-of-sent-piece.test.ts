import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { buy, type LinkedShop, linkShop, untilInbox, wooLine } from './woo-shops.ts';

// A shop of WooCommerce refunds pieces of a line of which one was sent, in the window of its order.

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'admin');
});
after(closeShops);
afterEach(() => assertSound(service));

type PartSent = { readonly shop: LinkedShop; readonly order: WooOrder; readonly id: string; readonly lineId: string };

/** An order of three pieces in one line, of which so many were sent, as its shop knows. */
async function send(quantity: number): Promise<PartSent> {
  const shop = await linkShop(10);
  const lines = [wooLine(shop, { quantity: 3 }), wooLine(shop, { id: 2 })];
  const order = buy(shop, { total: '80.00', line_items: lines });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const id = (await viewOf(shop, order)).order?.id ?? assert.fail('it is placed');
  await floor.post(`/orders/${id}/promote`);
  const { lines: here } = (await floor.request('GET', `/orders/${id}`)).body;
  const lineId = here[0]?.id ?? assert.fail('it has a line');
  if (quantity === 0) return { shop, order, id, lineId };
  await floor.post(`/orders/${id}/lines/${lineId}/start`);
  const parcel = { carrier: 'Royal Mail', tracking_number: 'RM1', tracking_url: 'https://track.example/RM1' };
  await floor.post(`/orders/${id}/shipments`, { ...parcel, items: [{ line_id: lineId, quantity }] }, 201);
  await eventually('its shop knows the parcel', async () => (shop.woo.notes.get(order.id) ?? []).length > 0);
  return { shop, order, id, lineId };
}

async function viewOf({ owner }: LinkedShop, { id }: WooOrder): Promise<ShopOrderView> {
  const { body } = await owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
  return body.data.find((one) => one.shop_order_id === String(id)) ?? assert.fail('it is in the inbox');
}

/** How many pieces of each line are made, or were. */
async function liveOf({ id }: PartSent): Promise<readonly number[]> {
  const live = await rows<{ live: number }>(
    service,
    'select quantity - quantity_cancelled as live from order_line where order_id = $1 order by ordinal',
    [parseId('ord', id) ?? assert.fail()],
  );
  return live.map((line) => line.live);
}

/** Refunds pieces in the shop, and returns what is said once that was looked at here. */
async function refund({ shop, order }: PartSent, quantity: number): Promise<readonly string[]> {
  const before = await rows<{ revision: number }>(service, REVISION, [shop.customer.accountId]);
  service.shiftMs(2_000);
  shop.woo.refundByShop(order, 1, quantity);
  await shop.woo.tell(order);
  await eventually('it was looked at', async () => {
    const [now] = await rows<{ revision: number; is_done: boolean }>(service, REVISION, [shop.customer.accountId]);
    return now !== undefined && now.revision > (before[0]?.revision ?? 0) && now.is_done;
  });
  const { reason, problems } = await viewOf(shop, order);
  return [reason, ...problems.map(({ path, message }) => `${path}: ${message}`)];
}

const REVISION = 'select revision, later is null as is_done from channel_order where account_id = $1';

test('a refund of a line of which a piece was sent cancels nothing: it is said, and a person decides', async () => {
  const part = await send(1);
  const said = await refund(part, 1);
  assert.deepEqual(await liveOf(part), [3, 1], 'its buyer may wait for both of the others');
  assert.equal(said[0], 'changed_in_shop');
  assert.match(said[1] ?? '', /^items\[0\]: .* does not say whether those were sent. 1 left here, and 2 more will be/);
  assert.equal(said.length, 2);
  // The print shop cancels the piece that the buyer does not wait for.
  await floor.post(`/orders/${part.id}/cancel`, {
    reason: 'asked for',
    items: [{ line_id: part.lineId, quantity: 1 }],
  });
  service.shiftMs(2_000);
  part.shop.woo.change(part.order.id, { customer_note: '' });
  await part.shop.woo.tell(part.order);
  assert.deepEqual(await liveOf(part), [2, 1]);
});

test('where all pieces of a line are refunded, those that are still to be made are cancelled', async () => {
  const part = await send(1);
  assert.deepEqual(await refund(part, 3), ['']);
  assert.deepEqual(await liveOf(part), [1, 1]);
});

test('a refund of pieces that were all sent says nothing and cancels nothing', async () => {
  const part = await send(3);
  assert.deepEqual(await refund(part, 1), ['']);
  assert.deepEqual(await liveOf(part), [3, 1]);
});

test('before anything of a line is sent, a refunded piece is cancelled', async () => {
  const part = await send(0);
  assert.deepEqual(await refund(part, 1), ['']);
  assert.deepEqual(await liveOf(part), [2, 1]);
});
