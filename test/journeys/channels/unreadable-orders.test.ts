import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sampleFigures } from '../../../src/app/sample-figures.ts';
import { findOldestUnreadable } from '../../../src/channels/inbox/unreadable-sql.ts';
import type { ShopOrderView, ShopOrderWithAddress } from '../../../src/channels/inbox-schema.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { assertSound } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { buy, inboxOf, type LinkedShop, linkShop, passTime, untilInbox, wooLine } from './woo-shops.ts';

// An order that its shop does not give out so that it can be read vanishes from no list.

before(() => openShops());
after(closeShops);
afterEach(() => assertSound(service));

/** An order whose lines a plug-in of the shop has taken away. */
const broken = (shop: LinkedShop): WooOrder => buy(shop, { line_items: [] });

async function viewOf({ owner }: LinkedShop, { id }: WooOrder): Promise<ShopOrderWithAddress> {
  const { body } = await owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
  const row = body.data.find((one) => one.shop_order_id === String(id)) ?? assert.fail('it is in the inbox');
  return (await owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${row.id}`)).body;
}

const metric = async (): Promise<number> => {
  await sampleFigures(service.ctx, []);
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^platen_shop_orders_unreadable_seconds (\S+)$/m.exec(text)?.[1]);
};

test('an order that cannot be read stands in the inbox with the reason, and is placed once it can', async () => {
  const shop = await linkShop();
  const order = broken(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'waiting unreadable');
  const view = await viewOf(shop, order);
  assert.deepEqual(
    [view.problems, view.number, view.items, view.recipient, view.shipping_address],
    [[{ path: '', message: 'The order has no lines.' }], String(order.id), [], null, null],
  );
  assert.deepEqual(view.actions, { place: false, ignore: true, correct_address: false, ignore_entries: false });
  passTime(600_000);
  assert.ok((await metric()) >= 600);
  shop.woo.change(order.id, { line_items: [wooLine(shop)] });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const { order: placed, number } = await viewOf(shop, order);
  assert.equal(number, `#${order.id}`);
  const { body } = await shop.owner.api<Order>('GET', `/orders/${placed?.id}`);
  assert.equal(body.items.length, 1);
  assert.equal(await findOldestUnreadable(service.ctx.database), undefined);
  assert.equal(await metric(), 0);
});

test('one that a person ignores stays ignored, and one that its shop cancels is none', async () => {
  const shop = await linkShop();
  const [unwanted, cancelled] = [broken(shop), broken(shop)];
  for (const order of [unwanted, cancelled]) {
    await shop.woo.tell(order);
    await untilInbox(shop, order, 'waiting unreadable');
  }
  const { id } = await viewOf(shop, unwanted);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${id}/place`)).status, 409);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${id}/ignore`)).status, 200);
  shop.woo.change(unwanted.id, { line_items: [wooLine(shop)] });
  shop.woo.change(cancelled.id, { line_items: [wooLine(shop)], status: 'cancelled' });
  for (const order of [unwanted, cancelled]) await shop.woo.tell(order);
  await untilInbox(shop, cancelled, 'ignored cancelled_in_shop');
  assert.equal((await inboxOf(shop))[String(unwanted.id)], 'ignored by_person');
});

test('of a shop that gives out no order so that it can be read a hundred stand there; a placed one stays placed', async () => {
  const shop = await linkShop();
  const placed = buy(shop);
  await shop.woo.tell(placed);
  await untilInbox(shop, placed, 'placed');
  shop.woo.change(placed.id, { line_items: [] });
  const many = Array.from({ length: 105 }, () => broken(shop));
  passTime();
  await eventually('they are read', async () => {
    const { body } = await shop.owner.request<{ data: ShopOrderView[] }>(
      'GET',
      '/shop-orders?reason=unreadable&limit=100',
    );
    return body.data.length === 100;
  });
  const { body } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?state=placed');
  assert.deepEqual(
    body.data.map((one) => one.shop_order_id),
    [String(placed.id)],
  );
  await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`, { body: {} });
  await untilInbox(shop, many[99] ?? assert.fail('there are many'), 'ignored disconnected');
});

test('an order of which a fee alone is left is cancelled, as one that is deleted', async () => {
  const shop = await linkShop(10);
  const [waiting, placed] = [buy(shop, { status: 'on-hold' }), buy(shop)];
  for (const order of [waiting, placed]) await shop.woo.tell(order);
  await untilInbox(shop, waiting, 'waiting on_hold');
  await untilInbox(shop, placed, 'placed');
  const fee = { id: 5, name: 'Restocking', total: '5.00', total_tax: '0.00' };
  service.shiftMs(2_000);
  for (const order of [waiting, placed]) {
    const left = { line_items: [], fee_lines: [fee], shipping_total: '0.00', total_tax: '0.00', total: '5.00' };
    shop.woo.change(order.id, left);
    await shop.woo.tell(order);
  }
  await untilInbox(shop, waiting, 'ignored cancelled_in_shop');
  await untilInbox(shop, placed, 'placed cancelled');
});

test('an order of fees alone is none; one that lost its lines beside a fee stands there', async () => {
  const shop = await linkShop();
  const fee = { id: 5, name: 'Design work', total: '50.00', total_tax: '10.00' };
  const more = { line_items: [], fee_lines: [fee], shipping_total: '0.00', total_tax: '10.00' };
  shop.woo.order({ ...more, total: '60.00' });
  const rounded = { fee_lines: [fee, { ...fee, id: 6 }], total_tax: '20.01', total: '120.00' };
  shop.woo.order({ ...more, ...rounded });
  const lost = shop.woo.order({ ...more, total: '80.00' });
  for (const order of shop.woo.orders.values()) await shop.woo.tell(order);
  await untilInbox(shop, lost, 'waiting unreadable');
  assert.deepEqual(await inboxOf(shop), { [String(lost.id)]: 'waiting unreadable' });
});
