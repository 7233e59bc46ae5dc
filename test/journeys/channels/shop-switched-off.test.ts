import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor } from '../../harness/floor.ts';
import type { Handler } from '../../harness/stranger.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { only, productsIn, publish, published, untilState } from './woo-products.ts';
import { buy, channelOfLinked, type LinkedShop, linkShop, switchOff, untilInbox, wooLine } from './woo-shops.ts';

// A shop whose WooCommerce is switched off for a moment answers everything as it does what was deleted. What it was to
// learn in that moment it learns once it is back.

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service);
});
after(closeShops);
afterEach(() => assertSound(service));

type Placed = { readonly order: WooOrder; readonly id: string; readonly lineId: string };

async function viewOf(shop: LinkedShop, { id }: WooOrder): Promise<ShopOrderView> {
  const { body } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
  return body.data.find((one) => one.shop_order_id === String(id)) ?? assert.fail('it is in the inbox');
}

/** Three pieces of ours for 60.00, placed here, whose window is over. */
async function place(shop: LinkedShop): Promise<Placed> {
  const line = wooLine(shop, { quantity: 3, total: '60.00', taxes: [] });
  const order = buy(shop, { total: '75.00', line_items: [line] });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const { id = '', reference = '' } = (await viewOf(shop, order)).order ?? {};
  await closeWindow(service, { reference });
  const { lines } = (await floor.request('GET', `/orders/${id}`)).body;
  await untilKnown(shop, order);
  return { order, id, lineId: lines[0]?.id ?? '' };
}

async function ship({ id, lineId }: Placed): Promise<void> {
  await floor.post(`/orders/${id}/promote`);
  await floor.post(`/orders/${id}/lines/${lineId}/start`);
  const items = [{ line_id: lineId, quantity: 3 }];
  await floor.post(`/orders/${id}/shipments`, { carrier: 'Royal Mail', tracking_number: 'RM1', items }, 201);
}

async function cancelPiece({ id, lineId }: Placed): Promise<void> {
  await floor.post(`/orders/${id}/cancel`, { reason: 'no longer made', items: [{ line_id: lineId, quantity: 1 }] });
}

async function switchRuleOn(shop: LinkedShop): Promise<void> {
  const { status, text } = await shop.owner.request<Channel>('PATCH', `/channels/${shop.channelId}`, {
    body: { refunds_buyers: true },
  });
  assert.equal(status, 200, text);
}

/** Waits until the shop knows all of an order, however often it had to be asked. */
async function untilKnown(shop: LinkedShop, order: WooOrder, stepMs = 10_000): Promise<void> {
  const isKnown = async () => (await viewOf(shop, order)).reported?.is_known !== false;
  await eventuallyLater(service, 'the shop knows all', isKnown, stepMs);
}

/** Waits until the shop was asked something from now on, and the sync that did so is over. */
async function untilAsked(shop: LinkedShop, what: RegExp, act: () => Promise<unknown>): Promise<void> {
  const before = shop.woo.asked.length;
  await act();
  await eventually('the shop was asked', () => shop.woo.asked.slice(before).some((one) => what.test(one)));
  await eventually('the sync is over', async () => {
    const jobs = await rows(service, `select from job where kind like '%shop_sync' and account_id = $1`, [
      shop.customer.accountId,
    ]);
    return jobs.length === 0;
  });
}

/** The parcels that a shop has learnt of, as notes and as fulfilments. */
const parcelsOf = ({ woo }: LinkedShop, { id }: WooOrder): number =>
  (woo.fulfilments.get(id) ?? []).length + (woo.notes.get(id) ?? []).filter(({ note }) => note.includes('RM1')).length;

test('a parcel that is sent while WooCommerce is off is reported once it is back, and once', async () => {
  for (const hasFulfilments of [true, false]) {
    const shop = await linkShop(10);
    shop.woo.feature(hasFulfilments);
    const placed = await place(shop);
    switchOff(shop);
    await untilAsked(shop, new RegExp(`^GET /orders/${placed.order.id}$`), () => ship(placed));
    assert.equal((await viewOf(shop, placed.order)).reported?.is_known, false);
    assert.match((await channelOfLinked(shop)).link?.fault?.message ?? '', /WooCommerce: it is off/);
    shop.woo.mend();
    await untilKnown(shop, placed.order);
    assert.deepEqual([parcelsOf(shop, placed.order), placed.order.status], [1, 'completed']);
  }
});

test('WooCommerce that is off for the one request that reads fulfilments still has the parcel as a fulfilment', async () => {
  const shop = await linkShop(10);
  shop.woo.feature(true);
  const placed = await place(shop);
  switchOff(shop, { times: 1, only: /^GET \/orders\/\d+\/fulfillments$/ });
  await ship(placed);
  await untilKnown(shop, placed.order);
  assert.equal((shop.woo.fulfilments.get(placed.order.id) ?? []).length, 1);
  assert.deepEqual(shop.woo.notes.get(placed.order.id) ?? [], [], 'no note in its place');
});

test('a shop that has the feature of fulfilments off has notes, also where it does not list what it has', async () => {
  const closed: Handler = (_hit, response) =>
    void response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"rest_not_logged_in"}');
  for (const isClosed of [false, true]) {
    const shop = await linkShop(10);
    if (isClosed) shop.woo.fail({ times: 1_000, only: /^GET $/, how: closed });
    const placed = await place(shop);
    await ship(placed);
    await untilKnown(shop, placed.order);
    assert.equal(shop.woo.notes.get(placed.order.id)?.length, 1);
    assert.equal((await channelOfLinked(shop)).link?.fault, null);
  }
});

test('an order whose fulfilments are asked for while WooCommerce is off is read with them once it is back', async () => {
  const shop = await linkShop(10);
  shop.woo.feature(true);
  const line = wooLine(shop, { quantity: 3 });
  const order = buy(shop, { status: 'on-hold', line_items: [line] });
  shop.woo.sendByShop(order, line.id, 1);
  switchOff(shop, { times: 1, only: /^GET \/orders\/\d+\/fulfillments$/ });
  shop.woo.change(order.id, { status: 'processing' });
  await shop.woo.tell(order);
  const isPlaced = async () => {
    const { body } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
    return body.data.find((one) => one.shop_order_id === String(order.id))?.state === 'placed';
  };
  await eventuallyLater(service, 'it is placed', isPlaced, 16_000);
  const { order: here } = await viewOf(shop, order);
  const { lines } = (await floor.request('GET', `/orders/${here?.id}`)).body;
  assert.equal(lines[0]?.quantity, 2, 'what the shop has sent itself is not made');
});

test('a parcel is reported once, whichever request of its report finds WooCommerce off', async () => {
  const shop = await linkShop(20);
  for (const [hasFulfilments, off] of [
    [true, /^POST \/orders\/\d+\/fulfillments$/],
    [true, /^PUT \/orders\/\d+$/],
    [false, /^GET \/orders\/\d+\/notes$/],
    [false, /^POST \/orders\/\d+\/notes$/],
    [false, /^PUT \/orders\/\d+$/],
  ] as const) {
    shop.woo.feature(hasFulfilments);
    const placed = await place(shop);
    switchOff(shop, { times: 1, only: off });
    await untilAsked(shop, off, () => ship(placed));
    await untilKnown(shop, placed.order);
    const tracked = placed.order.meta_data.some(({ key }) => key === '_wc_shipment_tracking_items');
    const found = [parcelsOf(shop, placed.order), placed.order.status, tracked];
    assert.deepEqual(found, [1, 'completed', !hasFulfilments], String(off));
    shop.woo.mend();
  }
});

test('a buyer whose shop is off has the money back once it is on again, and once', async () => {
  for (const off of [/^/, /^GET \/orders\/\d+\/refunds$/, /^POST \/orders\/\d+\/refunds$/]) {
    const shop = await linkShop(10);
    await switchRuleOn(shop);
    const placed = await place(shop);
    switchOff(shop, { only: off });
    const asked = off.test('') ? new RegExp(`^GET /orders/${placed.order.id}$`) : off;
    await untilAsked(shop, asked, () => cancelPiece(placed));
    assert.deepEqual(shop.woo.refunds.get(placed.order.id) ?? [], []);
    shop.woo.mend();
    // Longer than a shop is given to do yet what it was asked.
    await untilKnown(shop, placed.order, 31_000);
    assert.deepEqual(
      (shop.woo.refunds.get(placed.order.id) ?? []).map(({ amount }) => amount),
      ['20.00'],
      String(off),
    );
    assert.equal((await viewOf(shop, placed.order)).reported?.problem, null);
  }
});

test('a product of a shop that is off is not gone, and is kept on once it is back', async () => {
  const shop = await linkShop();
  const product = await published(shop);
  const stock = product.variations[0];
  assert.ok(stock);
  stock.stock_status = 'outofstock';
  switchOff(shop);
  await untilAsked(shop, new RegExp(`^GET /products/${product.id}$`), () => publish(shop));
  assert.notEqual((await productsIn(shop))[0]?.state, 'gone');
  shop.woo.mend();
  await eventuallyLater(service, 'its stock is put right', () => stock.stock_status === 'instock', 10_000);
  await untilState(shop, 'published');
  assert.equal(only(shop), product);
});

test('the report of an order that the shop has deleted ends, and nothing is at fault', async () => {
  const shop = await linkShop(10);
  await switchRuleOn(shop);
  for (const act of [ship, cancelPiece]) {
    const placed = await place(shop);
    shop.woo.orders.delete(placed.order.id);
    await untilAsked(shop, new RegExp(`^GET /orders/${placed.order.id}$`), () => act(placed));
    const { reported } = await viewOf(shop, placed.order);
    assert.deepEqual([reported?.is_known, reported?.problem], [true, null]);
    assert.equal((await channelOfLinked(shop)).link?.fault, null);
  }
});
