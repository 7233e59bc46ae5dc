import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor } from '../../harness/floor.ts';
import { type DoubleOrder, fulfillmentOrder } from '../../harness/shopify/shop-state.ts';
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
} from './shopify-shops.ts';

let floor: Floor;
before(async () => {
  await openShopify(['off', 'once', 'lost', 'refuses', 'theirs', 'back']);
  floor = await openFloor(service, 'admin');
});
after(closeShopify);

/** Longer than a shop is given to do yet what it was asked. */
const SETTLED_MS = 601_000;

const isKnown = ({ reported }: ShopOrderView): boolean => reported?.is_known === true;

type Placed = { readonly order: DoubleOrder; readonly id: string; readonly reference: string; readonly lineId: string };

/** A shop with the rule on, and an order of three pieces of ours and one of others, placed here. */
async function place(name: string, isOn = true): Promise<Placed & { connected: Connected }> {
  const connected = await connect(name, 10);
  const path = `/channels/${connected.channelId}`;
  const { body } = await connected.owner.request<Channel>('PATCH', path, { body: { refunds_buyers: isOn } });
  assert.equal(body.refunds_buyers, isOn);
  const others = { title: 'Mug', currentQuantity: 2, service: 'others' };
  const order = await double.order(connected.shop, [{ ...connected.ours, currentQuantity: 3 }, others]);
  const { order: here } = await until(connected, order.id, isPlaced);
  const { id = '', reference = '' } = here ?? {};
  await closeWindow(service, { reference });
  const { lines } = (await floor.request('GET', `/orders/${id}`)).body;
  return { connected, order, id, reference, lineId: lines[0]?.id ?? '' };
}

async function cancelPieces({ id, lineId }: Placed, quantity: number): Promise<void> {
  await floor.post(`/orders/${id}/cancel`, { reason: 'no longer made', items: [{ line_id: lineId, quantity }] });
}

const refundsOf = ({ refunds, lines }: DoubleOrder) =>
  refunds.map(({ amount, note, lines: parts }) => [
    amount,
    note,
    ...parts.map(({ lineId, quantity }) => `${quantity} × ${lines.find(({ id }) => id === lineId)?.title}`),
  ]);

const timesAsked = ({ connected }: { connected: Connected }): number =>
  connected.shop.done.filter((operation) => operation === 'mutation RefundBuyer').length;

test('without the rule the order is marked for each cancel, and nothing is refunded', async () => {
  const placed = await place('off', false);
  await cancelPieces(placed, 1);
  await until(placed.connected, placed.order.id, isKnown);
  const first = `Print shop cancelled 1 of ${placed.reference}`;
  assert.deepEqual([...placed.order.tags], [first]);
  // The shop's people have taken it out themselves by then.
  for (const line of placed.order.lines.slice(0, 1)) line.currentQuantity = 2;
  await cancelPieces(placed, 1);
  await eventually('it is marked anew', () => placed.order.tags.size === 2);
  assert.deepEqual([...placed.order.tags], [first, `Print shop cancelled 2 of ${placed.reference}`]);
  await until(placed.connected, placed.order.id, isKnown);
  assert.deepEqual([timesAsked(placed), placed.order.refunds], [0, []]);
});

test('with the rule just the cancelled pieces are refunded, once, and the refund comes back as no news', async () => {
  const placed = await place('once');
  const { connected, order } = placed;
  await cancelPieces(placed, 1);
  await eventually('it is refunded', () => order.refunds.length === 1);
  const note = `Cancelled by the print shop (${placed.reference})`;
  assert.deepEqual(refundsOf(order), [['20.00', note, '1 × Fern tee']]);
  await visitAgain();
  await untilVisited(connected, order.id, isKnown);
  await floor.post(`/orders/${placed.id}/cancel`, { reason: 'the printer is broken' });
  await eventually('the rest is refunded', () => order.refunds.length === 2);
  assert.deepEqual(refundsOf(order)[1], ['40.00', note, '2 × Fern tee']);
  await visitAgain();
  await untilVisited(connected, order.id, isKnown);
  assert.deepEqual([timesAsked(placed), order.lines.map((line) => line.currentQuantity)], [2, [0, 2]]);
  assert.deepEqual(
    (await inboxOf(connected)).map(({ state }) => state),
    ['placed'],
  );
});

test('a refund whose answer is lost is made once', async () => {
  const placed = await place('lost');
  placed.connected.shop.loseAnswerOf = 'mutation RefundBuyer';
  await cancelPieces(placed, 1);
  await eventually('the shop has done it', () => placed.order.refunds.length === 1);
  service.shiftMs(SETTLED_MS);
  await untilVisited(placed.connected, placed.order.id, isKnown);
  assert.deepEqual([timesAsked(placed), placed.order.refunds.length], [1, 1]);
});

test('what Shopify refuses to refund is said in the inbox, and refunded once a person has mended it', async () => {
  const placed = await place('refuses');
  const { connected, order } = placed;
  connected.shop.refusesRefunds = true;
  await cancelPieces(placed, 1);
  const refused = await until(connected, order.id, ({ reported }) => reported?.problem !== null);
  assert.match(
    refused.reported?.problem ?? '',
    /refuses refundCreate because of transactions.*refund them in the shop/,
  );
  connected.shop.refusesRefunds = false;
  await visitAgain();
  assert.equal(order.refunds.length, 0, 'not by itself');
  await floor.post(`/shop-orders/${refused.id}/report`);
  await eventually('it is refunded', () => order.refunds.length === 1);
  await until(connected, order.id, isKnown);
});

test('pieces that the shop has taken back itself are neither marked nor refunded', async () => {
  const placed = await place('theirs');
  const { connected, order } = placed;
  for (const line of order.lines.slice(0, 1)) line.currentQuantity = 2;
  await cancelPieces(placed, 1);
  await until(connected, order.id, isKnown);
  assert.deepEqual([timesAsked(placed), [...order.tags]], [0, []]);
});

test('what the shop asks back to send it itself is cancelled here, and its buyer is given nothing back', async () => {
  const connected = await connect('back', 10);
  const path = `/channels/${connected.channelId}`;
  assert.equal((await connected.owner.request('PATCH', path, { body: { refunds_buyers: true } })).status, 200);
  const order = await double.order(connected.shop, [connected.ours, connected.ours]);
  const place = connected.shop.services[0]?.locationId ?? '';
  order.fulfillmentOrders = order.lines.map((line) => ({
    ...fulfillmentOrder([line], place),
    status: 'IN_PROGRESS',
    requestStatus: 'ACCEPTED',
  }));
  await double.changed(connected.shop, order);
  await until(connected, order.id, isPlaced);
  const asked = order.fulfillmentOrders[1] ?? assert.fail();
  asked.requestStatus = 'CANCELLATION_REQUESTED';
  await untilVisited(connected, order.id, () => asked.requestStatus === 'CANCELLATION_ACCEPTED');
  await visitAgain();
  await untilVisited(connected, order.id, isKnown);
  assert.deepEqual(order.refunds, []);
});
