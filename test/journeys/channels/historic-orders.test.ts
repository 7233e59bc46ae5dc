import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderPage, ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import type { Static } from '../../../src/lib/typebox.ts';
import { eventually } from '../../harness/context.ts';
import type { PortalClient } from '../../harness/portal.ts';
import { newOrder } from '../../harness/shopify/shop-state.ts';
import { openWooDouble, type WooLine } from '../../harness/woo-double.ts';
import { sellBlanks } from './blanks.ts';
import { closeShopify, connect, double, openShopify, service, until, visitAgain } from './shopify-shops.ts';
import { beginLink } from './woo-shops.ts';

/** Unfinished orders that each shop has when it is connected: PLATEN_NIGHTLY=1 has the 5,000 of an old shop. */
const HISTORIC = process.env.PLATEN_NIGHTLY === '1' ? 5_000 : 250;
/** Of those, the newest are listed to choose from. */
const LISTED_MAX = 1_000;
const LISTED = Math.min(HISTORIC, LISTED_MAX);
const WAIT_MS = 600_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

before(() => openShopify(['old']));
after(closeShopify);

/** When an order of before was made: the newest the day before, each a minute before the last. */
const earlierAt = (at: number): Date => new Date(Date.now() - DAY_MS - at * MINUTE_MS);

/** All orders of a shop by pages of a hundred, as its people go through them. */
async function listedOf(owner: PortalClient, channelId: string): Promise<ShopOrderView[]> {
  const all: ShopOrderView[] = [];
  for (let cursor = ''; ; ) {
    const path = `/shop-orders?channel=${channelId}&limit=100${cursor}`;
    const { body } = await owner.request<Static<typeof ShopOrderPage>>('GET', path);
    assert.ok(body.data.length <= 100);
    all.push(...body.data);
    if (body.next_cursor === null) return all;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

function stateOf({ state, reason }: ShopOrderView): string {
  return `${state} ${reason}`.trim();
}

test('of thousands of orders of before, a test and a real #1001 in each of two shops, exactly two orders are placed', async (t) => {
  const startedMs = performance.now();
  const old = double.shop('old');
  for (let at = 0; at < HISTORIC; at += 1) {
    const time = `${earlierAt(at).toISOString().slice(0, 19)}Z`;
    const of = { createdAt: time, processedAt: time, updatedAt: time, name: `#H${at}` };
    const order = newOrder(old, [{ sku: 'OLD' }], of);
    old.orders.set(order.id, order);
  }
  const shopify = await connect('old', 8);
  const { owner, ours } = shopify;

  const woo = openWooDouble(service);
  const line: WooLine = {
    ...{ id: 1, name: 'Fern tee', product_id: 71, variation_id: 0, sku: ours.sku ?? '', quantity: 1, meta_data: [] },
  };
  for (let at = 0; at < HISTORIC; at += 1) {
    const time = earlierAt(at).toISOString().slice(0, 19);
    woo.order({ date_created_gmt: time, date_modified_gmt: time, line_items: [line] });
  }
  assert.equal(await woo.consent(await beginLink(owner, woo.address)), 200);
  const { body } = await owner.request<{ data: Channel[] }>('GET', '/channels');
  const wooId = body.data.find(({ platform }) => platform === 'woocommerce')?.id ?? assert.fail('it is linked');
  await sellBlanks(service, wooId);
  const isListed = async (channelId: string) =>
    (await owner.request<Channel>('GET', `/channels/${channelId}`)).body.link?.synced_at !== null;
  await eventually('both shops were read', async () => (await isListed(wooId)) && isListed(shopify.channelId), WAIT_MS);

  const real = await double.order(old, [ours], { name: '#1001' });
  const tried = await double.order(old, [ours], { name: '#1002', test: true });
  const sold = woo.order({ number: '1001', line_items: [line] });
  await woo.tell(sold, { topic: 'order.created' });
  for (const id of [real.id, String(sold.id)]) await until(shopify, id, ({ state }) => state === 'placed');
  await until(shopify, tried.id, ({ state }) => state === 'ignored');
  await visitAgain();

  const ofShops = async () =>
    (await Promise.all([shopify.channelId, wooId].map((id) => listedOf(owner, id)))).map((orders) =>
      orders.map(stateOf),
    );
  await eventually(
    'all were looked at',
    async () => (await ofShops()).flat().every((state) => state !== 'new'),
    WAIT_MS,
  );
  const counted = (await ofShops()).map((states) =>
    Object.fromEntries([...new Set(states)].toSorted().map((one) => [one, states.filter((s) => s === one).length])),
  );
  assert.deepEqual(counted, [
    { 'ignored test': 1, placed: 1, 'waiting earlier': LISTED },
    { placed: 1, 'waiting earlier': LISTED },
  ]);
  const here = await owner.api<{ data: { external_reference: string }[] }>('GET', '/orders?limit=100');
  assert.deepEqual(
    here.body.data.map(({ external_reference: reference }) => reference).toSorted(),
    [`${shopify.channelId}:${real.id}`, `${wooId}:${sold.id}`].toSorted(),
  );
  t.diagnostic(`${HISTORIC} orders of before in each shop: ${Math.round((performance.now() - startedMs) / 1_000)} s`);
});
