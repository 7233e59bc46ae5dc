import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import type { OpsShopOrder, ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { publicId, type Uuid } from '../../../src/lib/ids.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { ShippedOrder } from '../../../src/shipments/schema.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor } from '../../harness/floor.ts';
import { openRole } from '../../harness/portal.ts';
import type { Handler } from '../../harness/stranger.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
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

/** An order of a shop whose lines are all started. */
async function started(shop: LinkedShop, order: WooOrder): Promise<OpsOrder> {
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const { body } = await shop.owner.api<{ data: { id: string; reference: string }[] }>('GET', '/orders');
  const [placed] = body.data;
  if (placed === undefined) assert.fail('it is placed');
  return start(placed);
}

/** Starts all lines of an order. */
async function start(placed: { readonly id: string; readonly reference: string }): Promise<OpsOrder> {
  await closeWindow(service, placed);
  await floor.post(`/orders/${placed.id}/promote`);
  const { lines } = (await floor.request('GET', `/orders/${placed.id}`)).body;
  for (const { id } of lines) await floor.post(`/orders/${placed.id}/lines/${id}/start`);
  return (await floor.request('GET', `/orders/${placed.id}`)).body;
}

/** Ships so many pieces of each of its first lines. */
async function ship(order: OpsOrder, quantities: readonly number[], number: string): Promise<ShippedOrder> {
  const items = quantities.flatMap((quantity, at) => {
    const line = order.lines[at];
    return line === undefined || quantity === 0 ? [] : [{ line_id: line.id, quantity }];
  });
  const tracking_url = `https://track.example/${number}`;
  const parcel = { carrier: 'Royal Mail', tracking_number: number, tracking_url, items };
  return floor.post<ShippedOrder>(`/orders/${order.id}/shipments`, parcel, 201);
}

const notesOf = (shop: LinkedShop, { id }: WooOrder): string[] =>
  (shop.woo.notes.get(id) ?? []).map(({ note }) => note);

const unreported = async (shop: LinkedShop): Promise<number | undefined> =>
  (await channelOfLinked(shop)).link?.unreported;

async function untilReported(shop: LinkedShop): Promise<void> {
  await eventually('the shop knows all', async () => (await unreported(shop)) === 0);
}

test('each parcel is reported once as a note for the buyer and to tracking plug-ins, and the last completes the order', async () => {
  const shop = await linkShop();
  const others = { tracking_id: 'theirs', tracking_number: 'X' };
  const order = buy(shop, {
    line_items: [wooLine(shop, { quantity: 2 })],
    meta_data: [{ key: '_wc_shipment_tracking_items', value: [others] }],
  });
  const placed = await started(shop, order);
  const first = await ship(placed, [1], 'RM1');
  await eventually('the first is reported', () => notesOf(shop, order).length === 1);
  assert.deepEqual(shop.woo.notes.get(order.id), [
    {
      note: `Sent: 1 × Fern tee. Royal Mail RM1, https://track.example/RM1 (${first.shipment_id})`,
      customer_note: true,
    },
  ]);
  assert.equal(order.status, 'processing');
  const second = await ship(placed, [1], 'RM2');
  await eventually('the order is completed', () => order.status === 'completed');
  await untilReported(shop);
  assert.equal(notesOf(shop, order).length, 2);
  const tracked = order.meta_data.find(({ key }) => key === '_wc_shipment_tracking_items')?.value;
  assert.deepEqual(tracked, [
    others,
    ...[
      [first.shipment_id, 'RM1'],
      [second.shipment_id, 'RM2'],
    ].map(([id, number]) => ({
      tracking_id: id,
      tracking_provider: '',
      custom_tracking_provider: 'Royal Mail',
      custom_tracking_link: `https://track.example/${number}`,
      tracking_number: number,
    })),
  ]);
  // What we wrote comes back as a change of the order, and is none.
  await shop.woo.tell(order);
  passTime();
  await untilReported(shop);
  assert.equal((await inboxOf(shop))[String(order.id)], 'placed');
});

test('an addition is reported to the same order, which is completed once both are sent', async () => {
  const shop = await linkShop(10);
  const order = buy(shop, { line_items: [wooLine(shop)] });
  const placed = await started(shop, order);
  shop.woo.change(order.id, { line_items: [wooLine(shop, { quantity: 3 })] });
  await shop.woo.tell(order);
  const addition = async () =>
    (await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders')).body.data.find(
      ({ shop_order_id: id }) => id === `${order.id}:2`,
    );
  const waiting = await eventually('the addition waits', async () => {
    const found = await addition();
    return found?.reason === 'supplement' ? found : undefined;
  });
  await ship(placed, [1], 'RM1');
  await eventually('the first is reported', () => notesOf(shop, order).length === 1);
  await untilReported(shop);
  assert.equal(order.status, 'processing', 'the addition is not decided yet');
  assert.equal((await shop.owner.request('POST', `/shop-orders/${waiting.id}/place`)).status, 200);
  const { order: added } = await eventually('it is placed', async () => {
    const found = await addition();
    return found?.state === 'placed' && found.order !== null ? found : undefined;
  });
  const made = await start({ id: added?.id ?? '', reference: added?.reference ?? '' });
  await ship(made, [2], 'RM2');
  await eventually('the order is completed', () => order.status === 'completed');
  await untilReported(shop);
  assert.equal(notesOf(shop, order).length, 2);
  passTime();
  await shop.woo.tell(order);
  await untilReported(shop);
  assert.equal((await inboxOf(shop))[String(order.id)], 'placed');
});

test('where the shop has fulfilments, parcels are those, by line and quantity, and a correction corrects them', async () => {
  const shop = await linkShop(10);
  shop.woo.feature(true);
  const order = buy(shop, {
    line_items: [
      wooLine(shop, { quantity: 2 }),
      wooLine(shop, { id: 2, quantity: 1 }),
      wooLine(shop, { id: 3, product_id: 72, sku: 'THEIRS' }),
    ],
  });
  const item = { key: 'variant 72', title: 'Theirs', not_ours: true };
  await shop.owner.request('POST', `/channels/${shop.channelId}/items`, { body: item });
  const placed = await started(shop, order);
  const first = await ship(placed, [1, 1], 'RM1');
  await eventually('it is reported', () => shop.woo.fulfilments.get(order.id)?.length === 1);
  const meta = (name: string): unknown =>
    Object.fromEntries(
      (shop.woo.fulfilments.get(order.id)?.[0]?.meta_data ?? []).map(({ key, value }) => [key, value]),
    )[name];
  assert.deepEqual(meta('_items'), [
    { item_id: 1, qty: 1 },
    { item_id: 2, qty: 1 },
  ]);
  assert.equal(meta('_tracking_number'), 'RM1');
  const path = `/orders/${placed.id}/shipments/${first.shipment_id}`;
  assert.equal((await floor.request('PATCH', path, { tracking_number: 'RM1-NEW' })).status, 200);
  await eventually('the correction is reported', () => meta('_tracking_number') === 'RM1-NEW');
  await ship(placed, [1], 'RM2');
  await eventually('the second is reported', () => shop.woo.fulfilments.get(order.id)?.length === 2);
  await untilReported(shop);
  assert.equal(order.status, 'processing', 'a line of others is left to be sent');
  assert.deepEqual(notesOf(shop, order), []);
});

test('a parcel whose telling was cut off after the shop had heard it is reported once', async () => {
  for (const isOn of [true, false]) {
    const shop = await linkShop();
    shop.woo.feature(isOn);
    const order = buy(shop);
    const placed = await started(shop, order);
    const kept: Map<number, object[]> = isOn ? shop.woo.fulfilments : shop.woo.notes;
    const heard: Handler = (hit, response) => {
      const reported = { id: 900, ...(JSON.parse(hit.body.toString()) as object) };
      kept.set(order.id, [...(kept.get(order.id) ?? []), reported]);
      response.socket?.destroy();
    };
    shop.woo.fail({ times: 1, only: /^POST \/orders\/\d+\/(notes|fulfillments)$/, how: heard });
    await ship(placed, [1], 'RM1');
    await eventually('it was heard', () => kept.get(order.id)?.length === 1);
    await eventuallyLater(service, 'the order is completed', () => order.status === 'completed', 15_000);
    await untilReported(shop);
    assert.equal(kept.get(order.id)?.length, 1);
    const writes = shop.woo.asked.filter((one) => /^P\w+ \/orders\/\d+\/(notes|fulfillments)/.test(one));
    assert.equal(writes.length, 1, 'the buyer is mailed about it once');
  }
});

test('parcels that are sent while the shop is away are reported once it is back', async () => {
  const shop = await linkShop();
  const order = buy(shop);
  const placed = await started(shop, order);
  shop.woo.fail({ times: 3, how: (_hit, response) => void response.writeHead(502).end() });
  await ship(placed, [1], 'RM1');
  await eventually('the fault shows', async () => (await channelOfLinked(shop)).link?.fault !== null);
  assert.equal(await unreported(shop), 1);
  for (let at = 0; at < 4 && order.status !== 'completed'; at += 1) {
    passTime(901_000);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
  }
  await eventually('the order is completed', () => order.status === 'completed');
  await untilReported(shop);
  assert.equal(notesOf(shop, order).length, 1);
});

test('an order that is cancelled here is said so in the shop, and comes back as no news', async () => {
  const shop = await linkShop();
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const { body } = await shop.owner.api<{ data: { id: string; reference: string }[] }>('GET', '/orders');
  const [placed] = body.data;
  assert.equal((await shop.owner.api('POST', `/orders/${placed?.id}/cancel`)).status, 200);
  await eventually('it is said', () => notesOf(shop, order).length === 1);
  assert.deepEqual(shop.woo.notes.get(order.id), [
    {
      note: `The print shop has cancelled its order ${placed?.reference}: nothing of it will be sent. Refund your buyer.`,
      customer_note: false,
    },
  ]);
  shop.woo.change(order.id, { status: 'refunded' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed cancelled');
});

test('what the shop refuses to be reported stops no other order, and a person has a task', async () => {
  const shop = await linkShop();
  const refused = buy(shop);
  const first = await started(shop, refused);
  const only = new RegExp(`/orders/${refused.id}/notes`);
  shop.woo.fail({ times: 99, only, how: (_hit, response) => void response.writeHead(400).end('{}') });
  await ship(first, [1], 'RM1');
  const fine = buy(shop);
  const second = await started(shop, fine);
  await ship(second, [1], 'RM2');
  await eventually('the other is reported', () => fine.status === 'completed');
  const failed = async (): Promise<boolean> => {
    const found = await rows<{ n: number }>(
      service,
      `select count(*)::integer as n from ops_task
       where account_id = $1 and kind = 'shop_order_failed' and note like '%refuses the report%'`,
      [shop.customer.accountId],
    );
    return found[0]?.n === 1;
  };
  await eventuallyLater(service, 'a person has a task', failed, 1_000_000);
  const [link] = await rows<{ fault: string | null }>(service, 'select fault from channel_link where account_id = $1', [
    shop.customer.accountId,
  ]);
  assert.equal(link?.fault, null, 'the shop itself is well');
  const [row] = await rows<{ id: Uuid }>(
    service,
    'select id from channel_order where shop_order_id = $1 and account_id = $2',
    [String(refused.id), shop.customer.accountId],
  );
  const id = publicId('sho', row?.id ?? assert.fail('it is in the inbox'));
  const seen = await floor.request<OpsShopOrder>('GET', `/shop-orders/${id}`);
  assert.deepEqual(seen.body.reported?.is_known, false);
  assert.match(seen.body.reported?.problem ?? '', /refuses this request \(400\)/);
  // Its people see it with their shop and in their list, and are mailed; operators have it in theirs.
  const refusedOf = async () => {
    const owner = await openRole(service, 'owner', shop.customer.accountId);
    const { channelId } = shop;
    const ofOwner = async (query: string): Promise<string[]> =>
      idsIn(await owner.request<IdPage>('GET', `/shop-orders?reason=report_refused${query}`));
    const { body } = await owner.request<Channel>('GET', `/channels/${channelId}`);
    const link = body.link ?? assert.fail('it is linked');
    return [
      [link.refused_reports, link.unreported],
      await ofOwner(''),
      await ofOwner(`&channel=${channelId}&state=placed`),
      await ofOwner('&state=waiting'),
      idsIn(await floor.request<IdPage>('GET', '/shop-orders?reason=report_refused')),
    ];
  };
  assert.deepEqual(await refusedOf(), [[1, 0], [id], [id], [], [id]]);
  const due = 'select from channel where account_id = $1 and mail_due_at is not null';
  assert.equal((await rows(service, due, [shop.customer.accountId])).length, 1);
  shop.woo.mend();
  await floor.post(`/shop-orders/${id}/report`);
  await eventually('it is reported after all', () => refused.status === 'completed');
  await eventually('nothing is refused', async () => (await refusedOf())[1]?.length === 0);
  assert.deepEqual(await refusedOf(), [[0, 0], [], [], [], []]);
});

type IdPage = { readonly data: readonly { readonly id: string }[] };
const idsIn = ({ body }: { readonly body: IdPage }): string[] => body.data.map(({ id }) => id);
