import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId } from '../../../src/lib/ids.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import {
  type DoubleFulfillmentOrder,
  type DoubleOrder,
  fulfillmentOrder,
  MERCHANT_LOCATION,
  nextNumber,
  shopTime,
} from '../../harness/shopify/shop-state.ts';
import { rows } from '../../harness/written.ts';
import {
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
  waitsFor,
} from './shopify-shops.ts';

before(() =>
  openShopify([
    'reported',
    'lost',
    'waits',
    'earlier',
    'others',
    'large',
    'throttled',
    'broken',
    'asked',
    'stopped',
    'part',
    'mixed',
    'many',
    'moved',
    'scattered',
    'endless',
    'unread',
    'unresolved',
    'unrouted',
  ]),
);
after(closeShopify);

const DAY_MS = 86_400_000;
const MUG_OF_OTHERS = { key: 'sku MUG', title: 'Mug', not_ours: true };

test('an order that Shopify tells of is placed once, with the shop’s own number, however often it is reported', async () => {
  const connected = await connect('reported');
  double.post = () => 2;
  const attributes = [
    { key: 'Size', value: 'M' },
    { key: '_internal', value: 'x' },
  ];
  const order = await double.order(connected.shop, [{ ...connected.ours, customAttributes: attributes }]);
  double.post = () => 1;
  const placed = await until(connected, order.id, isPlaced);
  assert.equal(placed.number, '#1001');
  await double.changed(connected.shop, order);
  await visitAgain();
  await synced(connected);
  const inbox = await inboxOf(connected);
  assert.deepEqual(
    inbox.map(({ state, reason }) => ({ state, reason })),
    [{ state: 'placed', reason: '' }],
  );
});

test('what is never reported is found by what has changed, oldest first, whatever stood in between', async () => {
  const connected = await connect('lost', 8);
  double.post = () => 0;
  const orders = [];
  for (let at = 0; at < 6; at += 1) orders.push(await double.order(connected.shop, [connected.ours]));
  double.post = () => 1;
  connected.shop.faults.push('page', 'reset');
  for (const { id } of orders) await untilVisited(connected, id, isPlaced);
});

test('an order of which a notice names a fulfilment order, and that cannot be read, stands there once, by its own id', async () => {
  const connected = await connect('unread');
  const { shop, ours } = connected;
  double.post = () => 0;
  const order = await double.order(shop, [ours]);
  double.post = (topic) => (topic.startsWith('FULFILLMENT') ? 1 : 0);
  shop.faultOf = (operation) => (operation === 'query Orders' ? 'away' : undefined);
  await double.changed(shop, order, 'FULFILLMENT_ORDERS_PLACED_ON_HOLD');
  const isUnreadable = async () => {
    await visitAgain();
    return (await inboxOf(connected)).some(
      ({ shop_order_id: id, reason }) => id === order.id && reason === 'unreadable',
    );
  };
  await eventuallyLater(service, 'it stands there', isUnreadable, 600_000);
  const inbox = await inboxOf(connected);
  assert.deepEqual(
    inbox.map(({ shop_order_id: id, reason }) => [id, reason]),
    [[order.id, 'unreadable']],
  );
  shop.faultOf = () => undefined;
  service.shiftMs(3_600_000);
  await untilVisited(connected, order.id, isPlaced);
  double.post = () => 1;
  assert.equal((await inboxOf(connected)).length, 1);
});

test('a fulfilment order whose order cannot be found is no order in the inbox', async () => {
  double.post = () => 1;
  const connected = await connect('unresolved');
  const { shop, ours } = connected;
  const order = await double.order(shop, [ours]);
  await until(connected, order.id, isPlaced);
  shop.faultOf = (operation) => (operation === 'query OrderOf' ? 'away' : undefined);
  await double.changed(shop, order, 'FULFILLMENT_ORDERS_PLACED_ON_HOLD');
  const isAsked = async () => {
    await visitAgain();
    return (await rows(service, "select from channel_hint where shop_order_id like '%/%' and tries > 4")).length === 1;
  };
  await eventuallyLater(service, 'it was asked for often', isAsked, 600_000);
  const inbox = await inboxOf(connected);
  assert.deepEqual(
    inbox.map(({ shop_order_id: id, state }) => [id, state]),
    [[order.id, 'placed']],
  );
});

test('an order that Shopify has not routed yet waits until it has, or for minutes where it never does', async () => {
  const connected = await connect('unrouted');
  const { shop, ours } = connected;
  const soon: DoubleOrder[] = [];
  for (let at = 0; at < 2; at += 1) {
    double.post = () => 0;
    const order = await double.order(shop, [ours], { createdAt: shopTime(service.ctx.clock.now()) });
    soon.push(order);
    const routed = order.fulfillmentOrders.splice(0);
    double.post = () => 1;
    shop.done.length = 0;
    await double.changed(shop, order, 'ORDERS_CREATE');
    await eventually('it is read', async () => shop.done.includes('query Orders'));
    await synced(connected);
    assert.ok(!(await inboxOf(connected)).some(({ shop_order_id: id }) => id === order.id), 'it is not placed');
    if (at > 0) continue;
    for (const one of routed) order.fulfillmentOrders.push({ ...one, status: 'ON_HOLD' });
    service.shiftMs(20_000);
    await double.changed(shop, order);
    await until(connected, order.id, waitsFor('on_hold'));
  }
  await untilVisited(connected, soon[1]?.id ?? '', isPlaced);
  assert.equal((await inboxOf(connected)).length, 2);
});

test('a test is never placed; what is unpaid, suspected, held or of a later day waits, and goes on by itself', async () => {
  const connected = await connect('waits', 8);
  const { shop, ours } = connected;
  const isTest = await double.order(shop, [ours], { test: true });
  const unpaid = await double.order(shop, [ours], { displayFinancialStatus: 'AUTHORIZED' });
  const suspected = await double.order(shop, [ours], { recommendation: 'INVESTIGATE' });
  const later = await double.order(shop, [{ ...ours, title: 'Of the day after' }], {
    displayFinancialStatus: 'PENDING',
  });
  const [scheduled] = later.fulfillmentOrders;
  assert.ok(scheduled !== undefined);
  Object.assign(scheduled, { status: 'SCHEDULED', fulfillAt: shopTime(new Date(Date.now() + DAY_MS)) });
  later.displayFinancialStatus = 'PAID';
  await double.changed(shop, later);

  await until(connected, isTest.id, ({ state, reason }) => state === 'ignored' && reason === 'test');
  await until(connected, unpaid.id, waitsFor('unpaid'));
  await until(connected, suspected.id, waitsFor('high_risk'));
  const unsure = await double.order(shop, [ours], { recommendation: 'NONE', riskLevel: 'PENDING' });
  await until(connected, unsure.id, waitsFor('risk_pending'));
  Object.assign(unsure, { recommendation: 'CANCEL', riskLevel: 'HIGH' });
  await double.changed(shop, unsure, 'ORDERS_RISK_ASSESSMENT_CHANGED');
  await until(connected, unsure.id, waitsFor('high_risk'));
  await until(connected, later.id, waitsFor('scheduled'));

  const onHold = await double.order(shop, [ours], { displayFinancialStatus: 'PARTIALLY_PAID' });
  const [kept] = onHold.fulfillmentOrders;
  assert.ok(kept !== undefined);
  Object.assign(kept, { status: 'ON_HOLD' });
  onHold.displayFinancialStatus = 'PAID';
  await double.changed(shop, onHold, 'FULFILLMENT_ORDERS_PLACED_ON_HOLD');
  await until(connected, onHold.id, waitsFor('on_hold'));
  Object.assign(kept, { status: 'OPEN' });
  await double.changed(shop, onHold, 'FULFILLMENT_ORDERS_HOLD_RELEASED');
  await until(connected, onHold.id, isPlaced);

  unpaid.displayFinancialStatus = 'PAID';
  await double.changed(shop, unpaid);
  await until(connected, unpaid.id, isPlaced);
  Object.assign(scheduled, { status: 'OPEN', fulfillAt: null });
  await double.changed(shop, later);
  await until(connected, later.id, isPlaced);
});

test('orders of before are listed and not placed; those that were sent, cancelled or taken over from elsewhere too', async () => {
  const shop = double.shop('earlier');
  const before = shopTime(new Date(Date.now() - 3 * DAY_MS));
  const old = { createdAt: before, processedAt: before, updatedAt: before };
  const listed = await double.order(shop, [{ sku: 'OLD' }], { ...old, name: '#7' });
  await double.order(shop, [{ sku: 'OLD' }], { ...old, cancelledAt: before });
  const sent = await double.order(shop, [{ sku: 'OLD' }], old);
  for (const one of sent.fulfillmentOrders) Object.assign(one, { status: 'CLOSED', lines: [] });
  const connected = await connect('earlier');
  await until(connected, listed.id, waitsFor('earlier'));
  const imported = await double.order(shop, [connected.ours], { processedAt: before });
  await until(connected, imported.id, waitsFor('earlier'));
  assert.equal((await inboxOf(connected)).length, 2);
});

test('lines of other services, and what is not sent, are left to them; an order with none of ours is ignored', async () => {
  const connected = await connect('others');
  const { shop, ours } = connected;
  const theirs = { ...ours, id: nextNumber(), service: 'another-print-shop' };
  const gift = { sku: 'GIFT', requiresShipping: false };
  const gone = { ...ours, id: nextNumber(), currentQuantity: 0 };
  const mixed = await double.order(shop, [ours, theirs, gift, gone]);
  const placed = await until(connected, mixed.id, isPlaced);
  assert.deepEqual(
    placed.items.map(({ quantity }) => quantity),
    [1, 1, 1],
  );
  const none = await double.order(shop, [theirs]);
  await until(connected, none.id, ({ reason }) => reason === 'nothing_ours');
});

test('an order with more lines than a page has is read whole', async () => {
  const connected = await connect('large', 200);
  const lines = Array.from({ length: 120 }, () => ({ ...connected.ours, id: nextNumber() }));
  const order = await double.order(connected.shop, lines);
  const { items } = await until(connected, order.id, ({ state }) => state !== 'new');
  assert.equal(items.length, 120);
});

test('where Shopify asks for patience, what was read is kept, and the rest is read later', async () => {
  const connected = await connect('throttled', 12);
  double.post = () => 0;
  const orders = [];
  for (let at = 0; at < 9; at += 1) orders.push(await double.order(connected.shop, [connected.ours]));
  double.post = () => 1;
  // The list, what it asks first, and then no points any more.
  connected.shop.faults.push('none', 'none', 'none', 'none', 'throttled');
  for (const { id } of orders) await untilVisited(connected, id, isPlaced);
});

test('a shop that slows down, fails or answers with pages says so, and comes back by itself', async () => {
  const connected = await connect('broken', 8);
  for (const fault of ['throttled', 'limited', 'away', 'page', 'drip', 'reset'] as const) {
    connected.shop.faults.push(fault);
    const order = await double.order(connected.shop, [connected.ours]);
    await untilVisited(connected, order.id, isPlaced);
  }
});

test('a request to our service is accepted once the order is made, and refused where it is not', async () => {
  const connected = await connect('asked');
  const { shop, ours } = connected;
  const wanted = await double.order(shop, [ours]);
  const refused = await double.order(shop, [ours], { test: true });
  for (const order of [wanted, refused]) {
    for (const one of order.fulfillmentOrders) one.requestStatus = 'SUBMITTED';
    await double.changed(shop, order, 'FULFILLMENT_ORDERS_FULFILLMENT_REQUEST_SUBMITTED');
  }
  await until(connected, wanted.id, isPlaced);
  await untilVisited(connected, wanted.id, () => wanted.fulfillmentOrders[0]?.requestStatus === 'ACCEPTED');
  await untilVisited(connected, refused.id, () => refused.fulfillmentOrders[0]?.requestStatus === 'REJECTED');
  assert.equal(wanted.fulfillmentOrders[0]?.status, 'IN_PROGRESS');
});

test('a cancel that the shop asks for is passed on, and granted once nothing is made; it is not made again', async () => {
  const connected = await connect('stopped');
  const { shop, ours } = connected;
  const order = await double.order(shop, [ours]);
  await until(connected, order.id, isPlaced);
  const [asked] = order.fulfillmentOrders;
  assert.ok(asked !== undefined);
  Object.assign(asked, { status: 'IN_PROGRESS', requestStatus: 'CANCELLATION_REQUESTED' });
  await double.changed(shop, order, 'FULFILLMENT_ORDERS_CANCELLATION_REQUEST_SUBMITTED');
  await until(connected, order.id, ({ reason }) => reason === 'cancelled');
  await untilVisited(connected, order.id, () => asked.requestStatus === 'CANCELLATION_ACCEPTED');
  assert.equal(order.fulfillmentOrders.length, 2);
  await visitAgain();
  const inbox = await inboxOf(connected);
  assert.deepEqual(
    inbox.map(({ state, reason }) => ({ state, reason })),
    [{ state: 'placed', reason: 'cancelled' }],
  );
});

/** Has the shop ask for a cancel of a fulfilment order; the notice of it is lost. */
function askBack(one: DoubleFulfillmentOrder | undefined): DoubleFulfillmentOrder {
  assert.ok(one !== undefined);
  return Object.assign(one, { status: 'IN_PROGRESS', requestStatus: 'CANCELLATION_REQUESTED' });
}

test('a cancel of our part of a mixed order is done though its notice is lost, and theirs is left alone', async () => {
  const connected = await connect('mixed');
  const { shop, ours } = connected;
  const mug = { sku: 'MUG', title: 'Mug' };
  const order = await double.order(shop, [ours, mug], { displayFinancialStatus: 'PENDING' });
  const [tee, theirs] = order.lines;
  assert.ok(tee !== undefined && theirs !== undefined);
  order.fulfillmentOrders = [
    fulfillmentOrder([tee], shop.services[0]?.locationId ?? ''),
    fulfillmentOrder([theirs], MERCHANT_LOCATION),
  ];
  await connected.owner.request('POST', `/channels/${connected.channelId}/items`, { body: MUG_OF_OTHERS });
  order.displayFinancialStatus = 'PAID';
  await double.changed(shop, order);
  await until(connected, order.id, isPlaced);
  const asked = askBack(order.fulfillmentOrders[0]);
  await untilVisited(connected, order.id, ({ reason }) => reason === 'cancelled');
  await untilVisited(connected, order.id, () => asked.requestStatus === 'CANCELLATION_ACCEPTED');
  assert.equal(order.fulfillmentOrders[1]?.status, 'OPEN');
});

test('a cancel of some pieces is done and granted in the window, and refused with words after it', async () => {
  const connected = await connect('part', 8);
  const { shop, ours } = connected;
  const location = shop.services[0]?.locationId ?? '';
  const order = await double.order(shop, [{ ...ours, currentQuantity: 2 }, ours, ours]);
  order.fulfillmentOrders = order.lines.map((line) => fulfillmentOrder([line], location));
  for (const each of order.fulfillmentOrders) Object.assign(each, { status: 'IN_PROGRESS', requestStatus: 'ACCEPTED' });
  await double.changed(shop, order);
  const { order: here } = await until(connected, order.id, isPlaced);
  const id = parseId('ord', here?.id ?? '') ?? assert.fail();
  const LIVE = 'select quantity - quantity_cancelled as live from order_line where order_id = $1 order by ordinal';
  const live = async () => (await rows<{ live: number }>(service, LIVE, [id])).map((line) => line.live);
  const first = askBack(order.fulfillmentOrders[1]);
  await untilVisited(connected, order.id, () => first.requestStatus === 'CANCELLATION_ACCEPTED');
  assert.deepEqual(await live(), [2, 0, 1]);
  await visitAgain();
  const inbox = await inboxOf(connected);
  assert.deepEqual(
    inbox.map(({ state, reason }) => [state, reason]),
    [['placed', '']],
    'what was granted is not made again',
  );
  service.shiftMs(3_600_000);
  const second = askBack(order.fulfillmentOrders[0]);
  await untilVisited(connected, order.id, () => second.requestStatus === 'CANCELLATION_REJECTED');
  const [view] = await inboxOf(connected);
  assert.equal(view?.reason, 'changed_in_shop');
  assert.match(view.problems[0]?.message ?? '', /The shop wants fewer pieces, and here they are made/);
  assert.deepEqual(await live(), [2, 0, 1]);
});

test('requests that cannot be answered yet keep none from its answer', async () => {
  const connected = await connect('many', 4);
  const { shop, ours } = connected;
  for (let at = 0; at < 60; at += 1) {
    const unpaid = await double.order(shop, [ours], { displayFinancialStatus: 'PENDING' });
    Object.assign(unpaid.fulfillmentOrders[0] ?? {}, { requestStatus: 'SUBMITTED' });
  }
  const paid = await double.order(shop, [ours]);
  Object.assign(paid.fulfillmentOrders[0] ?? {}, { requestStatus: 'SUBMITTED' });
  await until(connected, paid.id, isPlaced);
  await untilVisited(connected, paid.id, () => paid.fulfillmentOrders[0]?.requestStatus === 'ACCEPTED');
});

test('an order of which Shopify says only that a fulfilment order was moved is read', async () => {
  const connected = await connect('moved');
  double.post = (topic) => (topic === 'FULFILLMENT_ORDERS_MOVED' ? 1 : 0);
  const order = await double.order(connected.shop, [connected.ours]);
  await double.changed(connected.shop, order, 'FULFILLMENT_ORDERS_MOVED');
  double.post = () => 1;
  await until(connected, order.id, isPlaced);
});

/** Gives an order so many fulfilment orders in all, of which but the last have ended; the last. */
function scatter(order: DoubleOrder, count: number): DoubleFulfillmentOrder {
  const own = order.fulfillmentOrders.splice(0);
  for (let at = own.length; at < count; at += 1) {
    const ended = { id: nextNumber(), status: 'CLOSED', requestStatus: 'UNSUBMITTED', fulfillAt: null, lines: [] };
    order.fulfillmentOrders.push({ ...ended, locationId: MERCHANT_LOCATION });
  }
  order.fulfillmentOrders.push(...own);
  return own[0] ?? assert.fail('it has one');
}

test('of an order with many fulfilment orders each is read: one that the last of them holds waits, and goes on', async () => {
  const connected = await connect('scattered', 8);
  for (const count of [12, 62]) {
    const order = await double.order(connected.shop, [connected.ours], { displayFinancialStatus: 'PENDING' });
    const last = scatter(order, count);
    Object.assign(last, { status: 'ON_HOLD' });
    order.displayFinancialStatus = 'PAID';
    await double.changed(connected.shop, order);
    await until(connected, order.id, waitsFor('on_hold'));
    Object.assign(last, { status: 'OPEN' });
    await double.changed(connected.shop, order);
    await until(connected, order.id, isPlaced);
  }
});

test('an order with more fulfilment orders than can be read stands in the inbox in words, and is not placed', async () => {
  const connected = await connect('endless', 8);
  const order = await double.order(connected.shop, [connected.ours], { displayFinancialStatus: 'PENDING' });
  scatter(order, 261);
  order.displayFinancialStatus = 'PAID';
  await double.changed(connected.shop, order);
  const { problems } = await until(connected, order.id, waitsFor('unreadable'));
  assert.match(problems[0]?.message ?? '', /more than 260 fulfilment orders/);
});
