import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor, untilReady } from '../../harness/floor.ts';
import type { DoubleOrder } from '../../harness/shopify/shop-state.ts';
import { rows } from '../../harness/written.ts';
import {
  channelsOf,
  closeShopify,
  connect,
  double,
  inboxOf,
  isPlaced,
  openShopify,
  service,
  synced,
  until,
  untilVisited,
  visitAgain,
} from './shopify-shops.ts';

// What a shop asks of our fulfilment service, where it cannot be answered.

let floor: Floor;
before(async () => {
  await openShopify(['spoiled', 'crowded']);
  floor = await openFloor(service, 'admin');
});
after(closeShopify);

test('a request whose order the shop does not give out stops no report and no list, and is answered once it can be', async () => {
  const connected = await connect('spoiled', 10);
  const { shop, ours } = connected;
  const sent = await double.order(shop, [ours]);
  const { order: here } = await until(connected, sent.id, isPlaced);
  assert.ok(here !== null);
  await closeWindow(service, here);
  const [made] = (await untilReady(floor, here.id)).lines;
  await floor.post(`/orders/${here.id}/promote`, {});
  await floor.post(`/orders/${here.id}/start`, {});

  const bad = await double.order(shop, [ours]);
  const { order: stopped } = await until(connected, bad.id, isPlaced);
  // However often the clock is moved below, the window of a cancel is open.
  const open = "update orders set cancellable_until = placed_at + interval '30 days' where reference = $1";
  await rows(service, open, [stopped?.reference ?? '']);
  const [asked] = bad.fulfillmentOrders;
  assert.ok(asked !== undefined);
  Object.assign(asked, { status: 'IN_PROGRESS', requestStatus: 'CANCELLATION_REQUESTED' });
  const [line] = bad.lines;
  assert.ok(line !== undefined);
  const { title } = line;
  Object.defineProperty(line, 'title', { configurable: true, get: () => assert.fail('it cannot be written') });
  shop.hooks.length = 0;

  const unsaid = await double.order(shop, [ours]);
  const parcel = { carrier: 'Royal Mail', tracking_number: 'RM41', items: [{ line_id: made?.id, quantity: 1 }] };
  await floor.post(`/orders/${here.id}/shipments`, parcel, 201);
  await eventually('the parcel is reported', async () => sent.fulfillments.length === 1);
  await untilVisited(connected, unsaid.id, isPlaced);
  assert.equal((await channelsOf(connected))[0]?.link?.fault, null, 'the shop as a whole is well');
  assert.equal(asked.requestStatus, 'CANCELLATION_REQUESTED');
  const isCounted = async () => {
    await visitAgain();
    return (await channelsOf(connected))[0]?.link?.last_unreadable?.startsWith(`Order ${bad.id}: `) === true;
  };
  await eventuallyLater(service, 'its people read of it', isCounted, 121_000);

  Object.defineProperty(line, 'title', { value: title, enumerable: true });
  await untilVisited(connected, bad.id, () => asked.requestStatus === 'CANCELLATION_ACCEPTED');
});

test('requests that wait are asked for once in a sync, however many rounds it has', async () => {
  const connected = await connect('crowded', 4);
  const { shop, ours } = connected;
  double.post = () => 0;
  const orders: DoubleOrder[] = [];
  for (let at = 0; at < 60; at += 1) {
    const order = await double.order(shop, [ours], { displayFinancialStatus: 'PENDING' });
    Object.assign(order.fulfillmentOrders[0] ?? {}, { requestStatus: 'SUBMITTED' });
    orders.push(order);
  }
  await eventually('no sync is under way', async () => {
    const before = shop.done.length;
    await synced(connected);
    return shop.done.length === before;
  });
  shop.done.length = 0;
  await visitAgain();
  await eventually('all are read', async () => (await inboxOf(connected)).length === 60);
  await eventually('requests were asked for', async () => shop.done.includes('query Asked'));
  await synced(connected);
  double.post = () => 1;
  const times = (name: string): number => shop.done.filter((one) => one === name).length;
  assert.equal(times('query Changed'), 2, 'the sync has two rounds');
  assert.equal(times('query Asked'), 3, 'two pages of those that are wanted, one of those that are not');
});
