import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor } from '../../harness/floor.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { assertSound } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { buy, type LinkedShop, linkShop, passTime, untilInbox, wooLine } from './woo-shops.ts';

// By the rule of a shop buyers have their money back for what is cancelled: not for what the shop sends them itself.

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service);
});
after(closeShops);
afterEach(() => assertSound(service));

type Placed = { readonly shop: LinkedShop; readonly order: WooOrder; readonly id: string; readonly lineId: string };

/** A shop with the rule on, and an order of so many pieces of 20.00, placed here; `before` changes it before that. */
async function place(
  quantity: number,
  {
    hasFeature,
    before: change = () => {},
  }: { hasFeature: boolean; before?: (shop: LinkedShop, order: WooOrder) => void },
): Promise<Placed> {
  const shop = await linkShop(10);
  shop.woo.feature(hasFeature);
  const rule = await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: { refunds_buyers: true } });
  assert.equal(rule.status, 200, rule.text);
  const total = `${quantity * 20}.00`;
  const order = buy(shop, { total, line_items: [wooLine(shop, { quantity, total, taxes: [] })] });
  change(shop, order);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const { id = '', reference = '' } = (await viewOf(shop, order)).order ?? {};
  await closeWindow(service, { reference });
  const { lines } = (await floor.request('GET', `/orders/${id}`)).body;
  return { shop, order, id, lineId: lines[0]?.id ?? '' };
}

async function viewOf(shop: LinkedShop, { id }: WooOrder): Promise<ShopOrderView> {
  const { body } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
  return body.data.find((one) => one.shop_order_id === String(id)) ?? assert.fail('it is in the inbox');
}

async function cancel({ id, lineId }: Placed, quantity: number): Promise<void> {
  await floor.post(`/orders/${id}/cancel`, { reason: 'asked for', items: [{ line_id: lineId, quantity }] });
}

async function untilKnown({ shop, order }: Placed): Promise<void> {
  await eventually('the shop knows all', async () => (await viewOf(shop, order)).reported?.is_known === true);
}

/** The pieces of each refund that we made; what the shop's people refund themselves has no reason. */
const givenBack = ({ shop, order }: Placed): number[] =>
  (shop.woo.refunds.get(order.id) ?? [])
    .filter(({ reason }) => reason !== '')
    .flatMap(({ line_items: lines }) => lines.map(({ quantity }) => -quantity));

test('a piece that the shop has sent itself, and that is then cancelled here, is not given back', async () => {
  const placed = await place(1, { hasFeature: true });
  const { shop, order } = placed;
  shop.woo.sendByShop(order, 1, 1);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed changed_in_shop');
  await floor.post(`/orders/${placed.id}/cancel`, { reason: 'the shop has sent it' });
  passTime();
  await untilKnown(placed);
  assert.deepEqual(givenBack(placed), []);
});

test('of two pieces of which the shop has sent one, the other is given back', async () => {
  const placed = await place(2, { hasFeature: true });
  const { shop, order } = placed;
  shop.woo.sendByShop(order, 1, 1);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed changed_in_shop');
  await floor.post(`/orders/${placed.id}/cancel`, { reason: 'no longer made' });
  passTime();
  await untilKnown(placed);
  assert.deepEqual(givenBack(placed), [1]);
});

test('where a piece was sent before its order was placed, what the shop has refunded of the rest is not given back again', async () => {
  const placed = await place(3, { hasFeature: true, before: (shop, order) => shop.woo.sendByShop(order, 1, 1) });
  const { shop, order } = placed;
  shop.woo.refundByShop(order, 1, 1);
  await cancel(placed, 1);
  passTime();
  await untilKnown(placed);
  assert.deepEqual(givenBack(placed), [], 'the shop has given back the one that was cancelled');
});

test('of an order that the shop’s people have completed themselves a person says whether its buyer has all', async () => {
  const placed = await place(1, { hasFeature: false });
  const { shop, order } = placed;
  shop.woo.change(order.id, { status: 'completed' });
  await floor.post(`/orders/${placed.id}/cancel`, { reason: 'no longer made' });
  passTime();
  const problem = await eventually(
    'it is refused',
    async () => (await viewOf(shop, order)).reported?.problem ?? undefined,
  );
  assert.match(
    problem,
    /was completed in the shop, and not by the print shop.* Refund the buyer in the shop if not\.$/,
  );
  assert.deepEqual(givenBack(placed), []);
});
