import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor } from '../../harness/floor.ts';
import type { ErrorReply } from '../../harness/service.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, connectShop, openShops, service } from './shops.ts';
import {
  buy,
  channelOfLinked,
  inboxOf,
  type LinkedShop,
  linkShop,
  passTime,
  untilInbox,
  wooLine,
} from './woo-shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service);
});
after(closeShops);
afterEach(() => assertSound(service));

const REFUNDS = /^POST \/orders\/\d+\/refunds$/;
/** Longer than a shop is given to do yet what it was asked. */
const SETTLED_MS = 601_000;

async function switchRule(shop: LinkedShop, isOn: boolean): Promise<void> {
  const { status, body, text } = await shop.owner.request<Channel>('PATCH', `/channels/${shop.channelId}`, {
    body: { refunds_buyers: isOn },
  });
  assert.deepEqual([status, body.refunds_buyers], [200, isOn], text);
}

type Placed = { readonly order: WooOrder; readonly id: string; readonly reference: string; readonly lineId: string };

/** Three pieces of ours that cost the buyer 60.00 and 12.00 of tax, and a line of others, placed here. */
async function place(shop: LinkedShop): Promise<Placed> {
  const others = { key: 'variant 72', title: 'Theirs', not_ours: true };
  await shop.owner.request('POST', `/channels/${shop.channelId}/items`, { body: others });
  const taxes = [{ id: 1, total: '12.00' }];
  const order = buy(shop, {
    total: '97.00',
    line_items: [
      wooLine(shop, { quantity: 3, total: '60.00', taxes }),
      wooLine(shop, { id: 2, product_id: 72, sku: 'THEIRS', quantity: 2, total: '20.00', taxes: [] }),
    ],
  });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const view = await viewOf(shop, order);
  const { id = '', reference = '' } = view.order ?? {};
  await closeWindow(service, { reference });
  const { lines } = (await floor.request('GET', `/orders/${id}`)).body;
  return { order, id, reference, lineId: lines[0]?.id ?? '' };
}

async function cancelPieces({ id, lineId }: Placed, quantity: number): Promise<void> {
  const items = [{ line_id: lineId, quantity }];
  await floor.post(`/orders/${id}/cancel`, { reason: 'no longer made', items });
}

async function viewOf(shop: LinkedShop, { id }: WooOrder): Promise<ShopOrderView> {
  const { body } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
  return body.data.find((one) => one.shop_order_id === String(id)) ?? assert.fail('it is in the inbox');
}

const isKnown = async (shop: LinkedShop, order: WooOrder): Promise<boolean> =>
  (await viewOf(shop, order)).reported?.is_known === true;

async function untilKnown(shop: LinkedShop, order: WooOrder): Promise<void> {
  await eventually('the shop knows all', () => isKnown(shop, order));
}

/** Waits until what the shop did not answer waits to be looked at again. */
async function untilPutOff({ customer }: LinkedShop): Promise<void> {
  await eventually('it waits', async () => {
    const waiting = await rows(service, 'select from channel_report where account_id = $1 and failures = 1', [
      customer.accountId,
    ]);
    return waiting.length === 1;
  });
}

const refundsOf = (shop: LinkedShop, { id }: WooOrder) => shop.woo.refunds.get(id) ?? [];
const notesOf = (shop: LinkedShop, { id }: WooOrder) => (shop.woo.notes.get(id) ?? []).map(({ note }) => note);
const askedFor = (shop: LinkedShop): number => shop.woo.asked.filter((one) => REFUNDS.test(one)).length;

/** What was refunded, as pieces and money of each line. */
const partsOf = (shop: LinkedShop, order: WooOrder) =>
  refundsOf(shop, order).map(({ amount, line_items: lines }) => [
    amount,
    ...lines.map(({ quantity, total, taxes }) => `${-quantity} for ${total.slice(1)} and ${taxes[0]?.total.slice(1)}`),
  ]);

test('without the rule the shop is told of cancelled pieces, and refunds nothing', async () => {
  const shop = await linkShop(10);
  assert.equal((await channelOfLinked(shop)).refunds_buyers, false);
  const placed = await place(shop);
  await cancelPieces(placed, 1);
  await untilKnown(shop, placed.order);
  const said = `The print shop has cancelled 1 × Fern tee of its order ${placed.reference}: not to be sent. Refund your buyer.`;
  assert.deepEqual(notesOf(shop, placed.order), [said]);
  // What was cancelled before is not given back once the rule is switched on.
  await switchRule(shop, true);
  const { id } = await viewOf(shop, placed.order);
  await floor.post(`/shop-orders/${id}/report`);
  await untilKnown(shop, placed.order);
  assert.equal(askedFor(shop), 0);
  // Of what is cancelled later, it is.
  await cancelPieces(placed, 1);
  await eventually('it is refunded', () => refundsOf(shop, placed.order).length === 1);
  await untilKnown(shop, placed.order);
  assert.deepEqual(partsOf(shop, placed.order), [['24.00', '1 for 20.00 and 4.00']]);
});

test('with the rule just the cancelled pieces are refunded, once, and the rest of the line with its last piece', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const placed = await place(shop);
  await cancelPieces(placed, 1);
  await eventually('it is refunded', () => refundsOf(shop, placed.order).length === 1);
  await untilKnown(shop, placed.order);
  assert.deepEqual(partsOf(shop, placed.order), [['24.00', '1 for 20.00 and 4.00']]);
  const [refund] = refundsOf(shop, placed.order);
  assert.deepEqual([refund?.isPaid, refund?.reason], [true, `Cancelled by the print shop (${placed.reference})`]);
  const said = `The print shop has cancelled 1 × Fern tee of its order ${placed.reference}: not to be sent.`;
  assert.deepEqual(notesOf(shop, placed.order), [said]);
  // The refund comes back as a change of the order, and is none here.
  await shop.woo.tell(placed.order);
  passTime();
  await untilInbox(shop, placed.order, 'placed');
  await floor.post(`/orders/${placed.id}/cancel`, { reason: 'the printer is broken' });
  await eventually('the rest is refunded', () => refundsOf(shop, placed.order).length === 2);
  await untilKnown(shop, placed.order);
  assert.deepEqual(partsOf(shop, placed.order)[1], ['48.00', '2 for 40.00 and 8.00']);
  assert.equal(askedFor(shop), 2);
  assert.equal(placed.order.status, 'processing', 'the line of others goes on');
  await shop.woo.tell(placed.order);
  passTime();
  await eventually('it is no news', async () => /^placed/.test((await inboxOf(shop))[String(placed.order.id)] ?? ''));
});

test('pieces that the shop has taken back or refunded itself are not refunded again', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const placed = await place(shop);
  // Its people have refunded one piece by hand, which is read only after the cancel here.
  const byHand = {
    ...{ id: 9_001, amount: '24.00', reason: 'a gift', isPaid: true },
    line_items: [
      {
        ...{ quantity: -1, total: '-20.00', taxes: [{ id: 1, total: '-4.00' }] },
        meta_data: [{ key: '_refunded_item_id', value: '1' }],
      },
    ],
  };
  shop.woo.refunds.set(placed.order.id, [byHand]);
  shop.woo.change(placed.order.id, { refunds: [{ id: 9_001 }] });
  await cancelPieces(placed, 1);
  await untilKnown(shop, placed.order);
  assert.deepEqual([askedFor(shop), notesOf(shop, placed.order)], [0, []]);
});

test('an order that the shop has cancelled is not refunded by us', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const order = buy(shop, { total: '24.00', line_items: [wooLine(shop, { total: '20.00', taxes: [] })] });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  shop.woo.change(order.id, { status: 'cancelled' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed cancelled');
  await untilKnown(shop, order);
  assert.equal(askedFor(shop), 0);
});

test('a refund whose answer is lost is looked for before it is asked for again, and made once', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const placed = await place(shop);
  shop.woo.lose(1, REFUNDS);
  await cancelPieces(placed, 1);
  await eventually('the shop has done it', () => refundsOf(shop, placed.order).length === 1);
  await untilPutOff(shop);
  passTime(31_000);
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop itself is well');
  assert.equal(await isKnown(shop, placed.order), false);
  passTime(SETTLED_MS);
  await untilKnown(shop, placed.order);
  assert.deepEqual([askedFor(shop), refundsOf(shop, placed.order).length], [1, 1]);
});

test('a refund that the shop does late, after its answer was lost, is not made twice', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const placed = await place(shop);
  let late: (() => void) | undefined;
  shop.woo.fail({
    times: 1,
    only: REFUNDS,
    how: (hit, response) => {
      const { amount, reason } = JSON.parse(hit.body.toString()) as { amount: string; reason: string };
      const taxes = [{ id: 1, total: '-4.00' }];
      const line = { quantity: -1, total: '-20.00', taxes, meta_data: [{ key: '_refunded_item_id', value: '1' }] };
      late = () => {
        shop.woo.refunds.set(placed.order.id, [{ id: 9_002, amount, reason, isPaid: true, line_items: [line] }]);
        shop.woo.change(placed.order.id, { refunds: [{ id: 9_002 }] });
      };
      response.socket?.destroy();
    },
  });
  await cancelPieces(placed, 1);
  await eventually('it was asked for', () => late !== undefined);
  for (let sync = 0; sync < 3; sync += 1) {
    passTime(130_000);
    await shop.woo.tell(placed.order);
    await eventually('the shop is well', async () => (await channelOfLinked(shop)).link?.fault === null);
  }
  assert.equal(askedFor(shop), 1, 'it may be done yet');
  late?.();
  passTime(SETTLED_MS);
  await untilKnown(shop, placed.order);
  assert.deepEqual([askedFor(shop), refundsOf(shop, placed.order).length], [1, 1]);
});

test('a refund that was never done is asked for again, and done', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const placed = await place(shop);
  shop.woo.fail({ times: 1, only: REFUNDS, how: (_hit, response) => void response.socket?.destroy() });
  await cancelPieces(placed, 1);
  await untilPutOff(shop);
  passTime(SETTLED_MS);
  await eventually('it is refunded', () => refundsOf(shop, placed.order).length === 1);
  await untilKnown(shop, placed.order);
  assert.equal(askedFor(shop), 2);
});

test('money that was given back as its answer was lost, and the rule was switched off, counts once it is on again', async () => {
  for (const isDone of [true, false]) {
    const shop = await linkShop(10);
    await switchRule(shop, true);
    const placed = await place(shop);
    if (isDone) shop.woo.lose(1, REFUNDS);
    else shop.woo.fail({ times: 1, only: REFUNDS, how: (_hit, response) => void response.socket?.destroy() });
    await cancelPieces(placed, 1);
    await untilPutOff(shop);
    await switchRule(shop, false);
    passTime(SETTLED_MS);
    await untilKnown(shop, placed.order);
    const before = isDone ? 1 : 0;
    assert.deepEqual(
      [askedFor(shop), refundsOf(shop, placed.order).length],
      [1, before],
      'nothing is asked for while it is off',
    );
    await switchRule(shop, true);
    await cancelPieces(placed, 1);
    await untilKnown(shop, placed.order);
    assert.equal(refundsOf(shop, placed.order).length, before + 1, 'the second piece is given back');
  }
});

test('money of which the answer is lost counts as what was asked for, though more is due when the rule is switched off', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const placed = await place(shop);
  shop.woo.lose(1, REFUNDS);
  await cancelPieces(placed, 1);
  await eventually('the shop has done it', () => refundsOf(shop, placed.order).length === 1);
  await untilPutOff(shop);
  await cancelPieces(placed, 1);
  passTime(31_000);
  await eventually('the second piece is known to be due', async () => {
    const [row] = await rows<{ reported: { toRefund?: Record<string, number> } }>(
      service,
      'select reported from channel_report where account_id = $1',
      [shop.customer.accountId],
    );
    return row?.reported.toRefund?.['1'] === 2;
  });
  await switchRule(shop, false);
  passTime(SETTLED_MS);
  await untilKnown(shop, placed.order);
  assert.deepEqual(
    [askedFor(shop), refundsOf(shop, placed.order).length],
    [1, 1],
    'nothing is asked for while it is off',
  );
  await switchRule(shop, true);
  await cancelPieces(placed, 1);
  await untilKnown(shop, placed.order);
  assert.equal(refundsOf(shop, placed.order).length, 2, 'the third piece is given back');
});

test('a refund that the payment provider refuses is said in the inbox with a task, and stops nothing else', async () => {
  const shop = await linkShop(10);
  await switchRule(shop, true);
  const placed = await place(shop);
  const refusal = { code: 'woocommerce_rest_cannot_create_order_refund', message: 'The gateway takes no refunds.' };
  shop.woo.fail({
    times: 99,
    only: REFUNDS,
    how: (_hit, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(refusal));
    },
  });
  await cancelPieces(placed, 1);
  const problem = async () => (await viewOf(shop, placed.order)).reported?.problem ?? undefined;
  assert.match((await eventually('it is said', problem)) ?? '', /gives the buyer no money back/);
  const tasks = await rows<{ note: string }>(
    service,
    `select note from ops_task where account_id = $1 and kind = 'shop_order_failed' and closed_at is null`,
    [shop.customer.accountId],
  );
  assert.deepEqual([tasks.length, tasks[0]?.note.includes('does not give the money of a cancel back')], [1, true]);
  assert.equal((await channelOfLinked(shop)).link?.fault, null, 'the shop itself is well');
  // What comes later is reported, and the money is not asked for again by itself.
  await floor.post(`/orders/${placed.id}/promote`, {});
  await floor.post(`/orders/${placed.id}/lines/${placed.lineId}/start`);
  const items = [{ line_id: placed.lineId, quantity: 2 }];
  await floor.post(`/orders/${placed.id}/shipments`, { carrier: 'Royal Mail', tracking_number: 'RM1', items }, 201);
  await eventually('the parcel is reported', () => notesOf(shop, placed.order).some((note) => note.includes('RM1')));
  const failed = async () => (await viewOf(shop, placed.order)).reported?.problem !== null;
  await eventually('the refusal still stands', failed);
  assert.equal(askedFor(shop), 1);
  shop.woo.mend();
  const { id } = await viewOf(shop, placed.order);
  await floor.post(`/shop-orders/${id}/report`);
  await eventually('it is refunded after all', () => refundsOf(shop, placed.order).length === 1);
  await untilKnown(shop, placed.order);
  assert.deepEqual(partsOf(shop, placed.order), [['24.00', '1 for 20.00 and 4.00']]);
});

test('a shop that takes no refunds from us has no such rule', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  assert.equal((await shop.owner.request<Channel>('GET', path)).body.refunds_buyers, null);
  const refused = await shop.owner.request<ErrorReply & { errors: { path: string; code: string }[] }>('PATCH', path, {
    body: { refunds_buyers: true },
  });
  assert.deepEqual(
    [refused.status, refused.body.errors.map((one) => [one.path, one.code])],
    [422, [['refunds_buyers', 'not_available']]],
  );
});
