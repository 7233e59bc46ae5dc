import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { type DoubleOrder, refundByShop } from '../../harness/shopify/shop-state.ts';
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
} from './shopify-shops.ts';

// A shop of Shopify refunds pieces of a line of which some were sent. All of it in the window, in which pieces that a
// shop wants no more are cancelled by themselves.

let floor: Floor;
before(async () => {
  await openShopify(['returned', 'cancelled', 'both', 'all', 'refunding']);
  floor = await openFloor(service, 'admin');
});
after(closeShopify);

type PartSent = {
  readonly connected: Connected;
  readonly order: DoubleOrder;
  readonly id: string;
  readonly lineId: string;
  readonly shopLineId: string;
};

/** An order of so many pieces in one line, of which one was sent, as its shop knows; in its window yet. */
async function sendOne(name: string, pieces: number): Promise<PartSent> {
  const connected = await connect(name, 10);
  const order = await double.order(connected.shop, [{ ...connected.ours, currentQuantity: pieces }]);
  const { order: here } = await until(connected, order.id, isPlaced);
  const id = here?.id ?? assert.fail('it is placed');
  await floor.post(`/orders/${id}/promote`);
  const { lines } = (await floor.request('GET', `/orders/${id}`)).body;
  const lineId = lines[0]?.id ?? assert.fail('it has a line');
  await floor.post(`/orders/${id}/lines/${lineId}/start`);
  const parcel = { carrier: 'Royal Mail', tracking_number: 'RM1', tracking_url: 'https://track.example/RM1' };
  await floor.post(`/orders/${id}/shipments`, { ...parcel, items: [{ line_id: lineId, quantity: 1 }] }, 201);
  await eventually('its shop knows the parcel', async () => order.fulfillments.length === 1);
  return { connected, order, id, lineId, shopLineId: order.lines[0]?.id ?? '' };
}

/** How many pieces of the line are made, or were. */
async function liveOf({ id }: PartSent): Promise<number> {
  const [line] = await rows<{ live: number }>(
    service,
    'select quantity - quantity_cancelled as live from order_line where order_id = $1',
    [parseId('ord', id) ?? assert.fail()],
  );
  return line?.live ?? assert.fail('it has a line');
}

/** Refunds pieces in the shop, and waits until that was looked at here: another order of it has been placed since. */
async function refund(part: PartSent, ...refunds: Parameters<typeof refundByShop>[]): Promise<void> {
  const { connected, order } = part;
  for (const [, lineId, quantity, type] of refunds) refundByShop(order, lineId, quantity, type);
  order.updatedAt = new Date(Date.now() + 60_000).toISOString();
  await visitAgain();
  const next = await double.order(connected.shop, [connected.ours], { name: '#1002' });
  await untilVisited(connected, next.id, isPlaced);
  await eventually(
    'it was looked at',
    async () => (await rows(service, 'select from channel_order where later is not null')).length === 0,
  );
}

async function saidOf({ connected, order }: PartSent): Promise<readonly string[]> {
  const view = (await inboxOf(connected)).find((one) => one.shop_order_id === order.id);
  return [view?.reason ?? 'gone', ...(view?.problems ?? []).map(({ message }) => message)];
}

test('a piece that was sent and is refunded cancels none that is still to be sent', async () => {
  const part = await sendOne('returned', 2);
  await refund(part, [part.order, part.shopLineId, 1, 'RETURN']);
  assert.equal(await liveOf(part), 2, 'one was sent, and its buyer waits for the other');
  assert.deepEqual(await saidOf(part), ['']);
});

test('a piece that is refunded before it was sent is cancelled, and the one that was sent stays', async () => {
  const part = await sendOne('cancelled', 2);
  await refund(part, [part.order, part.shopLineId, 1, 'CANCEL']);
  assert.equal(await liveOf(part), 1);
  assert.deepEqual(await saidOf(part), ['']);
});

test('of pieces that are refunded, one sent and one not, just the latter is cancelled', async () => {
  const part = await sendOne('both', 3);
  await refund(part, [part.order, part.shopLineId, 1, 'RETURN'], [part.order, part.shopLineId, 1, 'CANCEL']);
  assert.equal(await liveOf(part), 2, 'one was sent, and one is to be sent yet');
  assert.deepEqual(await saidOf(part), ['']);
});

test('where all pieces are refunded, the sent one too, what is still open is cancelled', async () => {
  const part = await sendOne('all', 3);
  await refund(part, [part.order, part.shopLineId, 1, 'RETURN'], [part.order, part.shopLineId, 2, 'CANCEL']);
  assert.equal(await liveOf(part), 1);
});

test('a piece that is cancelled here is refunded though another was sent and came back', async () => {
  const part = await sendOne('refunding', 3);
  const { connected, order } = part;
  await connected.owner.request('PATCH', `/channels/${connected.channelId}`, { body: { refunds_buyers: true } });
  await refund(part, [order, part.shopLineId, 1, 'RETURN']);
  await floor.post(`/orders/${part.id}/cancel`, {
    reason: 'no longer made',
    items: [{ line_id: part.lineId, quantity: 1 }],
  });
  await eventually('its buyer has the money back', () => order.refunds.length === 2);
  assert.deepEqual(
    order.refunds[1]?.lines.map(({ quantity }) => quantity),
    [1],
  );
  await visitAgain();
  await until(connected, order.id, ({ reported }) => reported?.is_known === true);
  assert.equal(order.refunds.length, 2, 'and no more');
  assert.equal(await liveOf(part), 2);
});
