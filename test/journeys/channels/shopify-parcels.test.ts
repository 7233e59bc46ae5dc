import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor, untilReady } from '../../harness/floor.ts';
import type { DoubleOrder } from '../../harness/shopify/shop-state.ts';
import {
  type Connected,
  closeShopify,
  connect,
  double,
  inboxOf,
  isPlaced,
  openShopify,
  service,
  until,
  visitAgain,
} from './shopify-shops.ts';

let floor: Floor;
before(async () => {
  await openShopify(['parts', 'dies', 'blank', 'fixed', 'elsewhere', 'cancelled']);
  floor = await openFloor(service, 'admin');
});
after(closeShopify);

/** An order of two pieces that is placed here; its id here and its line. */
async function placed(connected: Connected): Promise<{ order: DoubleOrder; id: string; lineId: string }> {
  const order = await double.order(connected.shop, [{ ...connected.ours, currentQuantity: 2 }]);
  const { order: here } = await until(connected, order.id, isPlaced);
  assert.ok(here !== null);
  await closeWindow(service, here);
  const { lines } = await untilReady(floor, here.id);
  await floor.post(`/orders/${here.id}/promote`, {});
  const [line] = lines;
  assert.ok(line !== undefined);
  await floor.post(`/orders/${here.id}/start`, {});
  return { order, id: here.id, lineId: line.id };
}

async function sendOne(id: string, lineId: string, number: string, quantity = 1): Promise<string> {
  const parcel = { carrier: 'Royal Mail', tracking_number: number, items: [{ line_id: lineId, quantity }] };
  const { shipments } = await floor.post<{ shipments: { id: string; tracking_number: string }[] }>(
    `/orders/${id}/shipments`,
    parcel,
    201,
  );
  return shipments.find((one) => one.tracking_number === number)?.id ?? '';
}

const numbersOf = ({ fulfillments }: DoubleOrder): (string | undefined)[] =>
  fulfillments.map(({ tracking }) => tracking.number);

const reported = (order: DoubleOrder, count: number) =>
  eventually(
    'the parcels are reported',
    async () => order.fulfillments.length >= count && order.metafields.has('parcels'),
    20_000,
  );

test('an order in two parcels is reported as two, each with its number, once, and reads as changed by nobody', async () => {
  const connected = await connect('parts', 8);
  const { order, id, lineId } = await placed(connected);
  await sendOne(id, lineId, 'RM1');
  await reported(order, 1);
  await sendOne(id, lineId, 'RM2');
  await reported(order, 2);
  await visitAgain();
  await until(connected, order.id, isPlaced);
  assert.deepEqual(numbersOf(order), ['RM1', 'RM2']);
  assert.deepEqual(
    order.fulfillments.map(({ items, notified }) => [items[0]?.quantity, notified]),
    [
      [1, 1],
      [1, 1],
    ],
  );
  assert.equal((await inboxOf(connected))[0]?.reason, '');
});

test('a sync that dies after Shopify was reported, and before that was noted, tells nothing twice', async () => {
  const connected = await connect('dies', 8);
  const { order, id, lineId } = await placed(connected);
  const { shop } = connected;
  shop.loseAnswerOf = 'mutation Sent';
  await sendOne(id, lineId, 'RM3');
  await eventually('it was reported', async () => shop.done.includes('mutation Sent'), 20_000);
  assert.equal(order.metafields.size, 0);
  await eventually('it is noted', async () => {
    await visitAgain();
    return order.metafields.has('parcels');
  });
  assert.deepEqual(numbersOf(order), ['RM3']);
  assert.deepEqual(
    order.fulfillments.map(({ notified }) => notified),
    [1],
  );
});

test('a corrected number is corrected there', async () => {
  const connected = await connect('fixed', 8);
  const { order, id, lineId } = await placed(connected);
  const parcel = await sendOne(id, lineId, 'WRONG');
  await reported(order, 1);
  const change = { tracking_number: 'RIGHT' };
  const { status, text } = await floor.request('PATCH', `/orders/${id}/shipments/${parcel}`, change);
  assert.equal(status, 200, text);
  await eventually('it is corrected', async () => order.fulfillments[0]?.tracking.number === 'RIGHT', 20_000);
  assert.equal(order.fulfillments.length, 1);
  assert.equal(order.fulfillments[0]?.notified, 2);
});

test('what the shop has sent itself is not sent twice', async () => {
  const connected = await connect('elsewhere', 8);
  const { order, id, lineId } = await placed(connected);
  for (const one of order.fulfillmentOrders) Object.assign(one, { status: 'CLOSED', lines: [] });
  await sendOne(id, lineId, 'RM4', 2);
  await eventually('it is noted', async () => order.metafields.has('parcels'), 20_000);
  assert.deepEqual(order.fulfillments, []);
});

test('an order that is cancelled here is given back, and marked for the shop’s people once', async () => {
  const connected = await connect('cancelled', 8);
  const order = await double.order(connected.shop, [connected.ours]);
  for (const one of order.fulfillmentOrders) Object.assign(one, { status: 'OPEN', requestStatus: 'SUBMITTED' });
  const { order: here } = await until(connected, order.id, isPlaced);
  assert.ok(here !== null);
  await eventually('the request is accepted', async () => {
    await visitAgain();
    return order.fulfillmentOrders[0]?.requestStatus === 'ACCEPTED';
  });
  const answer = await connected.owner.api('POST', `/orders/${here.id}/cancel`);
  assert.equal(answer.status, 200, answer.text);
  await eventually('it is given back', async () => order.fulfillmentOrders[0]?.status === 'INCOMPLETE', 20_000);
  await eventually('it is marked', async () => order.tags.size === 1);
  assert.deepEqual([...order.tags], [`Print shop cancelled ${here.reference}`]);
});
