import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor, untilReady } from '../../harness/floor.ts';
import {
  type DoubleFulfillmentOrder,
  type DoubleOrder,
  type DoubleShop,
  type Fault,
  MERCHANT_LOCATION,
  nextNumber,
  sendByShop,
} from '../../harness/shopify/shop-state.ts';
import { rows } from '../../harness/written.ts';
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
  untilVisited,
  visitAgain,
  waitsFor,
} from './shopify-shops.ts';

let floor: Floor;
before(async () => {
  await openShopify([
    ...['parts', 'dies', 'blank', 'fixed', 'elsewhere', 'cancelled', 'before', 'whole', 'held', 'rest'],
    ...['hidden', 'deleted', 'scattered', 'hundred', 'sea', 'split', 'split-fixed', 'added'],
  ]);
  floor = await openFloor(service, 'admin');
});
after(closeShopify);

/** An order of two pieces that is placed here; its id here and its line. */
async function placed(connected: Connected): Promise<{ order: DoubleOrder; id: string; lineId: string }> {
  const order = await double.order(connected.shop, [{ ...connected.ours, currentQuantity: 2 }]);
  const { order: here } = await until(connected, order.id, isPlaced);
  return { order, ...(await begun(here ?? assert.fail('it is placed'))) };
}

/** An order whose making has begun; its id and its line. */
async function begun(here: NonNullable<ShopOrderView['order']>): Promise<{ id: string; lineId: string }> {
  await closeWindow(service, here);
  const { lines } = await untilReady(floor, here.id);
  await floor.post(`/orders/${here.id}/promote`, {});
  const [line] = lines;
  assert.ok(line !== undefined);
  await floor.post(`/orders/${here.id}/start`, {});
  return { id: here.id, lineId: line.id };
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
  );

test('a parcel of lines that stand in the last of many fulfilment orders is reported', async () => {
  const connected = await connect('scattered', 8);
  const { order, id, lineId } = await placed(connected);
  const own = order.fulfillmentOrders.splice(0);
  for (let at = 0; at < 61; at += 1) {
    const ended = { id: nextNumber(), status: 'CLOSED', requestStatus: 'UNSUBMITTED', fulfillAt: null, lines: [] };
    order.fulfillmentOrders.push({ ...ended, locationId: MERCHANT_LOCATION });
  }
  order.fulfillmentOrders.push(...own);
  await sendOne(id, lineId, 'RM1');
  await reported(order, 1);
  assert.deepEqual(numbersOf(order), ['RM1']);
});

/** Has the shop send a piece and take that back, many times, as if before all that it has sent. */
function takeBack({ fulfillments, lines }: DoubleOrder, times: number): void {
  const items = [{ lineId: lines[0]?.id ?? '', quantity: 1 }];
  const back = Array.from({ length: times }, () => ({
    ...{ id: nextNumber(), status: 'CANCELLED', tracking: {}, notified: 0 },
    items,
  }));
  fulfillments.unshift(...back);
}

const standingIn = ({ fulfillments }: DoubleOrder): (string | undefined)[] =>
  fulfillments.filter(({ status }) => status === 'SUCCESS').map(({ tracking }) => tracking.number);

test('a parcel that is beyond the first hundred fulfilments of its order is known, and reported once', async () => {
  const connected = await connect('hundred', 8);
  const { order, id, lineId } = await placed(connected);
  const parcel = await sendOne(id, lineId, 'RM31');
  await reported(order, 1);
  takeBack(order, 130);
  // Neither what was written down nor the first page has it: it is known by its number.
  order.metafields.clear();
  await sendOne(id, lineId, 'RM32');
  await eventually('the second is reported', async () => standingIn(order).includes('RM32'));
  await eventually('it is noted', async () => order.metafields.has('parcels'));
  assert.deepEqual(standingIn(order), ['RM31', 'RM32']);
  const change = { tracking_number: 'RM33' };
  assert.equal((await floor.request('PATCH', `/orders/${id}/shipments/${parcel}`, change)).status, 200);
  await eventually('its number is corrected', async () => standingIn(order)[0] === 'RM33');
  assert.deepEqual(standingIn(order), ['RM33', 'RM32']);
});

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
  await eventually('it was reported', async () => shop.done.includes('mutation Sent'));
  assert.ok(!order.metafields.has('parcels'));
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

/** Has one of the two pieces of an order stand at the shop's own location: a parcel of both is two fulfilments. */
function splitUp({ fulfillmentOrders: [own, ...more] }: DoubleOrder): DoubleFulfillmentOrder {
  const [line] = own?.lines ?? [];
  if (own === undefined || line === undefined || more.length > 0) assert.fail('it has one fulfilment order');
  line.remaining = 1;
  return { ...own, id: nextNumber(), locationId: MERCHANT_LOCATION, lines: [{ ...line, id: nextNumber() }] };
}

/** What goes wrong with fulfilments of a shop: with the first, the second and so on. */
function spoilSent(shop: DoubleShop, ...faults: Fault[]): void {
  shop.faultOf = (operation) => (operation === 'mutation Sent' ? faults.shift() : undefined);
}

/** The fulfilments that stand, each by its number and its pieces. */
const packedIn = ({ fulfillments }: DoubleOrder) =>
  fulfillments.map(({ tracking, items }) => [tracking.number, items.reduce((sum, item) => sum + item.quantity, 0)]);

const allKnown = async (connected: Connected, order: DoubleOrder): Promise<void> => {
  const isKnown = async () => {
    await visitAgain();
    return (await inboxOf(connected)).some((one) => one.shop_order_id === order.id && one.reported?.is_known === true);
  };
  await eventuallyLater(service, 'the shop knows all', isKnown, 600_000);
};

test('a parcel of two locations is reported as a whole, each piece once, whatever goes wrong in between', async () => {
  const connected = await connect('split', 16);
  const cases: Fault[][] = [
    ['none', 'throttled'],
    ['none', 'rejected', 'rejected'],
    ['none', 'reset'],
    ['none', 'answer lost'],
    ['answer lost', 'answer lost'],
    ['answer lost', 'away', 'answer lost'],
  ];
  for (const faults of cases) {
    const { order, id, lineId } = await placed(connected);
    order.fulfillmentOrders.push(splitUp(order));
    spoilSent(connected.shop, ...faults);
    await sendOne(id, lineId, 'RM41', 2);
    await allKnown(connected, order);
    const whole = [
      ['RM41', 1],
      ['RM41', 1],
    ];
    assert.deepEqual(packedIn(order), whole, faults.join());
    assert.deepEqual(
      order.fulfillments.map(({ notified }) => notified),
      [1, 1],
    );
  }
});

test('a number that is corrected while a half of its parcel is not reported yet is corrected in the other', async () => {
  const connected = await connect('split-fixed', 16);
  for (const faults of [['none', 'throttled'], ['none', 'answer lost'], ['answer lost']] as const) {
    const { order, id, lineId } = await placed(connected);
    const there = splitUp(order);
    // One more of the line is open: what is reported once more would find room.
    const more = there.lines.map((line) => ({ ...line, id: nextNumber() }));
    order.fulfillmentOrders.push(there, { ...there, id: nextNumber(), lines: more });
    let isFixed = false;
    const left: Fault[] = [...faults];
    connected.shop.faultOf = (operation) => {
      if (operation !== 'mutation Sent') return undefined;
      return left.shift() ?? (isFixed ? undefined : 'away');
    };
    const parcel = await sendOne(id, lineId, 'WRONG', 2);
    await eventually('some of it is reported', async () => order.fulfillments.length > 0 && left.length === 0);
    const change = { tracking_number: 'RIGHT' };
    assert.equal((await floor.request('PATCH', `/orders/${id}/shipments/${parcel}`, change)).status, 200);
    isFixed = true;
    await allKnown(connected, order);
    assert.deepEqual(new Set(numbersOf(order)), new Set(['RIGHT']), faults.join());
    assert.equal(
      packedIn(order).reduce((sum, [, pieces]) => sum + Number(pieces), 0),
      2,
      faults.join(),
    );
  }
});

test('a corrected number is corrected there', async () => {
  const connected = await connect('fixed', 8);
  const { order, id, lineId } = await placed(connected);
  const parcel = await sendOne(id, lineId, 'WRONG');
  await reported(order, 1);
  const change = { tracking_number: 'RIGHT' };
  const { status, text } = await floor.request('PATCH', `/orders/${id}/shipments/${parcel}`, change);
  assert.equal(status, 200, text);
  await eventually('it is corrected', async () => order.fulfillments[0]?.tracking.number === 'RIGHT');
  assert.equal(order.fulfillments.length, 1);
  assert.equal(order.fulfillments[0]?.notified, 2);
});

test('a number that is corrected in an order with an addition is corrected once, and no piece is sent once more', async () => {
  const connected = await connect('added', 8);
  const order = await double.order(connected.shop, [connected.ours]);
  const { order: here } = await until(connected, order.id, isPlaced);
  const { id, lineId } = await begun(here ?? assert.fail('it is placed'));
  const parcel = await sendOne(id, lineId, 'WRONG');
  await allKnown(connected, order);
  const [line] = order.lines;
  const [open] = order.fulfillmentOrders;
  assert.ok(line !== undefined && open?.lines[0] !== undefined);
  Object.assign(line, { currentQuantity: 3, ordered: 3 });
  // Its people have more pieces of it than the addition is sent of yet.
  Object.assign(open, { status: 'OPEN', lines: [{ ...open.lines[0], remaining: 2, total: 3 }] });
  await double.changed(connected.shop, order);
  const added = await until(connected, `${order.id}:2`, waitsFor('supplement'));
  const { status, text } = await connected.owner.request('POST', `/shop-orders/${added.id}/place`);
  assert.equal(status, 200, text);
  const { order: more } = await until(connected, added.shop_order_id, isPlaced);
  const addition = await begun(more ?? assert.fail('it is placed'));
  await sendOne(addition.id, addition.lineId, 'RM2');
  await eventually('it is reported', async () => order.fulfillments.length === 2);
  await visitAgain();
  const change = { tracking_number: 'RIGHT' };
  assert.equal((await floor.request('PATCH', `/orders/${id}/shipments/${parcel}`, change)).status, 200);
  await allKnown(connected, order);
  assert.deepEqual(packedIn(order), [
    ['RIGHT', 1],
    ['RM2', 1],
  ]);
  assert.equal(Object.keys(order.metafields.get('parcels') ?? {}).length, 2);
});

test('what the shop has sent itself is not sent twice', async () => {
  const connected = await connect('elsewhere', 8);
  const { order, id, lineId } = await placed(connected);
  for (const one of order.fulfillmentOrders) Object.assign(one, { status: 'CLOSED', lines: [] });
  await sendOne(id, lineId, 'RM4', 2);
  await eventually('it is noted', async () => order.metafields.has('parcels'));
  assert.deepEqual(order.fulfillments, []);
});

test('what the shop sent itself before the order was placed is not made; our own parcels take nothing away', async () => {
  const connected = await connect('before', 8);
  const pins = { sku: 'PINS', title: 'Pins', id: nextNumber(), service: 'another-print-shop' };
  const changes = { displayFinancialStatus: 'PENDING' };
  const order = await double.order(connected.shop, [{ ...connected.ours, currentQuantity: 3 }, pins], changes);
  await until(connected, order.id, waitsFor('unpaid'));
  const tees = order.lines[0]?.id ?? '';
  sendByShop(order, tees, 1);
  order.displayFinancialStatus = 'PAID';
  await double.changed(connected.shop, order);
  const { order: here } = await until(connected, order.id, isPlaced);
  assert.ok(here !== null);
  await closeWindow(service, here);
  const [line] = (await untilReady(floor, here.id)).lines;
  assert.equal(line?.quantity, 2);
  await floor.post(`/orders/${here.id}/promote`, {});
  await floor.post(`/orders/${here.id}/start`, {});
  await sendOne(here.id, line.id, 'RM7');
  await reported(order, 2);
  await sendOne(here.id, line.id, 'RM8');
  await reported(order, 3);
  await visitAgain();
  await visitAgain();
  const inbox = await inboxOf(connected);
  assert.deepEqual(
    inbox.map(({ state, reason, items }) => [state, reason, items.map(({ quantity }) => quantity)]),
    [['placed', '', [2, 1]]],
  );
});

test('an order of which the shop has sent all that is ours before it was placed is not made', async () => {
  const connected = await connect('whole');
  const order = await double.order(connected.shop, [connected.ours], { displayFinancialStatus: 'PENDING' });
  await until(connected, order.id, waitsFor('unpaid'));
  const gone = await double.order(connected.shop, [connected.ours, { sku: 'PINS', title: 'Pins' }]);
  sendByShop(order, order.lines[0]?.id ?? '', 1);
  order.displayFinancialStatus = 'PAID';
  await double.changed(connected.shop, order);
  await until(connected, order.id, ({ state, reason }) => state === 'ignored' && reason === 'fulfilled_in_shop');
  await until(connected, gone.id, waitsFor('needs_mapping'));
});

test('a parcel of an order that the shop holds is reported once it is released, however long that takes', async () => {
  const connected = await connect('held', 8);
  const { order, id, lineId } = await placed(connected);
  const [held] = order.fulfillmentOrders;
  assert.ok(held !== undefined);
  Object.assign(held, { status: 'ON_HOLD' });
  await double.changed(connected.shop, order, 'FULFILLMENT_ORDERS_PLACED_ON_HOLD');
  const view = await until(connected, order.id, ({ reason }) => reason === 'changed_in_shop');
  assert.match(view.problems[0]?.message ?? '', /The shop holds this order since it was placed, and here it goes on/);
  await sendOne(id, lineId, 'RM9', 2);
  const { reported: report } = await until(connected, order.id, (one) => (one.reported?.problem ?? null) !== null);
  assert.match(report?.problem ?? '', /takes no parcel before that ends/);
  for (let times = 0; times < 12; times += 1) {
    service.shiftMs(400_000);
    await visitAgain();
  }
  assert.equal((await rows(service, "select 1 from ops_task where kind = 'shop_order_failed'")).length, 0);
  Object.assign(held, { status: 'IN_PROGRESS' });
  service.shiftMs(400_000);
  await double.changed(connected.shop, order, 'FULFILLMENT_ORDERS_HOLD_RELEASED');
  await reported(order, 1);
  assert.deepEqual(numbersOf(order), ['RM9']);
  await until(connected, order.id, ({ reason }) => reason === '');
});

test('what is cancelled here of an order that is sent else is given back to the shop', async () => {
  const connected = await connect('rest', 8);
  const { order, id, lineId } = await placed(connected);
  const [taken] = order.fulfillmentOrders;
  assert.ok(taken !== undefined);
  Object.assign(taken, { status: 'IN_PROGRESS', requestStatus: 'ACCEPTED' });
  await sendOne(id, lineId, 'RM10');
  await reported(order, 1);
  assert.equal(taken.status, 'IN_PROGRESS');
  await floor.post(`/orders/${id}/cancel`, { reason: 'no longer made', items: [{ line_id: lineId, quantity: 1 }] });
  await eventually('it is given back', async () => taken.status === 'INCOMPLETE');
  await visitAgain();
  assert.deepEqual(
    (await inboxOf(connected)).map(({ state, reason }) => [state, reason]),
    [['placed', '']],
  );
});

/** Shopify shows an order no more, that is so many days old; the order as its people see it. */
async function unseen(connected: Connected, days: number, act: (of: { id: string; lineId: string }) => Promise<void>) {
  const { order, id, lineId } = await placed(connected);
  await until(connected, order.id, ({ reported: known }) => known?.is_known === true);
  connected.shop.orders.delete(order.id);
  await rows(service, 'update channel_order set ordered_at = $1 where shop_order_id = $2', [
    new Date(service.ctx.clock.now().getTime() - days * 86_400_000),
    order.id,
  ]);
  await act({ id, lineId });
  return order;
}

test('a parcel or a cancel of an order that Shopify hides, as it is old, is a failed report that says what to do', async () => {
  const connected = await connect('hidden', 8);
  const { owner, channelId, customer } = connected;
  await owner.request('PATCH', `/channels/${channelId}`, { body: { refunds_buyers: true } });
  for (const act of [
    async ({ id, lineId }: { id: string; lineId: string }) => void (await sendOne(id, lineId, 'RM20', 2)),
    async ({ id, lineId }: { id: string; lineId: string }) => {
      const items = [{ line_id: lineId, quantity: 1 }];
      await floor.post(`/orders/${id}/cancel`, { reason: 'no longer made', items });
    },
  ]) {
    const order = await unseen(connected, 60, act);
    const { reported: known } = await untilVisited(connected, order.id, ({ reported: now }) => now?.problem !== null);
    assert.match(
      known?.problem ?? '',
      /older than 60 days.* read_all_orders\. Enter the tracking number in Shopify by hand/,
    );
    assert.equal(known?.is_known, false);
  }
  const haveTask = async () => {
    await visitAgain();
    const tasks = await rows(service, "select from ops_task where account_id = $1 and kind = 'shop_order_failed'", [
      customer.accountId,
    ]);
    return tasks.length === 2;
  };
  await eventuallyLater(service, 'a person has a task for each', haveTask, 600_000);
});

test('the report of a younger order that the shop has deleted ends, and nothing is at fault', async () => {
  const connected = await connect('deleted', 8);
  const order = await unseen(connected, 58, async ({ id, lineId }) => void (await sendOne(id, lineId, 'RM21', 2)));
  const { reported: known } = await untilVisited(connected, order.id, ({ reported: now }) => now?.is_known === true);
  assert.equal(known?.problem, null);
});

test('an order with more fulfilments than are read is refused in words, and nothing is reported twice', async () => {
  const connected = await connect('sea', 8);
  const { order, id, lineId } = await placed(connected);
  takeBack(order, 1_001);
  await sendOne(id, lineId, 'RM34', 2);
  const { reported: report } = await until(connected, order.id, (one) => (one.reported?.problem ?? null) !== null);
  assert.match(report?.problem ?? '', /more than 1,000 fulfilments in Shopify/);
  assert.deepEqual(standingIn(order), []);
});

test('an order that is cancelled here is given back, and marked for the shop’s people once', async () => {
  const connected = await connect('cancelled', 8);
  const order = await double.order(connected.shop, [connected.ours]);
  for (const one of order.fulfillmentOrders) Object.assign(one, { status: 'OPEN', requestStatus: 'SUBMITTED' });
  const { order: here } = await until(connected, order.id, isPlaced);
  assert.ok(here !== null);
  await untilVisited(connected, order.id, () => order.fulfillmentOrders[0]?.requestStatus === 'ACCEPTED');
  const answer = await connected.owner.api('POST', `/orders/${here.id}/cancel`);
  assert.equal(answer.status, 200, answer.text);
  await eventually('it is given back', async () => order.fulfillmentOrders[0]?.status === 'INCOMPLETE');
  await eventually('it is marked', async () => order.tags.size === 1);
  assert.deepEqual([...order.tags], [`Print shop cancelled ${here.reference}`]);
});
