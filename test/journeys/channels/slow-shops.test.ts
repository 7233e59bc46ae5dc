import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parseId } from '../../../src/lib/ids.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { closeWindow, type Floor, openFloor } from '../../harness/floor.ts';
import { openSlowDrip } from '../../harness/shop-knobs.ts';
import type { Handler } from '../../harness/stranger.ts';
import { openWooDouble, type WooOrder } from '../../harness/woo-double.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import { beginLink, buy, inboxOf, type LinkedShop, linkShop, passTime, untilInbox } from './woo-shops.ts';

// Shops that answer slowly, or not at all, beside one that is well.

/** More than begin at a time, and fewer than may wait for their shops. */
const HANGING = 24;
/** The same of one account. */
const OF_ONE = 12;
/** From what a shop says to its order, and from a parcel to its shop. */
const ORDER_MS_MAX = 3_000;
const PARCEL_MS_MAX = 5_000;
/** A call of a shop has 20 s in all. */
const DRIP_MS_MAX = 25_000;

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service);
});
after(closeShops);
afterEach(() => assertSound(service));

const waiting: ServerResponse[] = [];
/** Ends what waits for an answer, so that a test waits for none of it. */
afterEach(() => {
  for (const response of waiting.splice(0)) response.socket?.destroy();
});

/** Has shops answer nothing from now on, and waits until syncs wait for them. */
async function hangAll(shops: readonly Pick<LinkedShop, 'woo'>[]): Promise<void> {
  for (const { woo } of shops) {
    woo.asked.length = 0;
    woo.fail({ times: Number.POSITIVE_INFINITY, how: (_hit, response) => void waiting.push(response) });
  }
  passTime();
  await eventually('their places are taken', async () => shops.filter(({ woo }) => woo.asked.length > 0).length >= 4);
}

/** How long it takes from what a shop says until its order is placed. */
async function placedMs(shop: LinkedShop, order: WooOrder): Promise<number> {
  const startedMs = performance.now();
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  return performance.now() - startedMs;
}

/** How long it takes from a parcel of its newest order until the shop knows it. */
async function reportedMs(shop: LinkedShop, { id: shopOrderId }: WooOrder): Promise<number> {
  const { body } = await shop.owner.api<{ data: { id: string; reference: string }[] }>('GET', '/orders');
  const placed = body.data[0] ?? assert.fail('it is placed');
  await closeWindow(service, placed);
  await floor.post(`/orders/${placed.id}/promote`);
  const { lines } = (await floor.request('GET', `/orders/${placed.id}`)).body;
  for (const { id } of lines) await floor.post(`/orders/${placed.id}/lines/${id}/start`);
  const items = lines.map(({ id, quantity }) => ({ line_id: id, quantity }));
  const tracking_url = 'https://track.example/RM1';
  const startedMs = performance.now();
  const parcel = { carrier: 'Royal Mail', tracking_number: 'RM1', tracking_url, items };
  await floor.post(`/orders/${placed.id}/shipments`, parcel, 201);
  await eventually('its shop knows the parcel', async () => (shop.woo.notes.get(shopOrderId) ?? []).length > 0);
  return performance.now() - startedMs;
}

async function assertPrompt(t: TestContext, shop: LinkedShop): Promise<void> {
  const order = buy(shop);
  const orderMs = await placedMs(shop, order);
  const parcelMs = await reportedMs(shop, order);
  t.diagnostic(`an order after ${Math.round(orderMs)} ms, a parcel after ${Math.round(parcelMs)} ms`);
  assert.ok(orderMs < ORDER_MS_MAX, `its order is placed after ${Math.round(orderMs)} ms`);
  assert.ok(parcelMs < PARCEL_MS_MAX, `its shop knows the parcel after ${Math.round(parcelMs)} ms`);
}

const SLOW = "select facts ->> 'is_slow' as slow from channel_link where channel_id = $1";

/** Answers with a fault of its own, after longer than a slow answer takes. */
const slowly: Handler = async (_hit, response) => {
  await delay(5_200);
  response.writeHead(502).end();
};

test('a shop that answered slowly has a place of its own the next time, until it answers quickly again', async () => {
  const shop = await linkShop();
  const id = parseId('chan', shop.channelId) ?? assert.fail();
  const isSlow = async () => (await rows<{ slow: string | null }>(service, SLOW, [id]))[0]?.slow === 'true';
  shop.woo.fail({ times: 1, how: slowly });
  passTime();
  await eventually('it counts as slow', isSlow);
  shop.woo.fail({ times: 1, how: slowly });
  passTime();
  const SYNCS = 'select kind from job where key = $1 and lease_token is not null';
  const running = async () => (await rows<{ kind: string }>(service, SYNCS, [id])).map(({ kind }) => kind);
  await eventually('it is synchronised', async () => (await running()).length > 0);
  assert.deepEqual(await running(), ['slow_shop_sync']);
  shop.woo.mend();
  await eventually('it is over', async () => (await running()).length === 0);
  passTime();
  await eventually('it is quick', async () => !(await isSlow()));
  const order = buy(shop);
  await placedMs(shop, order);
});

test('an answer that drips without end is cut off, and the order that it was about is placed once', async (t) => {
  const shop = await linkShop();
  const drip = openSlowDrip();
  shop.woo.fail({ times: 1, how: drip.handler, only: /^GET \/orders/ });
  const order = buy(shop);
  await shop.woo.tell(order);
  await eventually('it is cut off', () => drip.cutAfterMs.length === 1);
  t.diagnostic(`cut off after ${Math.round(drip.cutAfterMs[0] ?? 0)} ms`);
  assert.ok((drip.cutAfterMs[0] ?? 0) < DRIP_MS_MAX);
  await eventuallyLater(
    service,
    'it is placed',
    async () => (await inboxOf(shop))[String(order.id)] === 'placed',
    121_000,
  );
  const { body } = await shop.owner.api<{ data: object[] }>('GET', '/orders');
  assert.equal(body.data.length, 1);
});

test('shops of many accounts that answer nothing delay neither an order nor a parcel of another’s', async (t) => {
  const hanging: LinkedShop[] = [];
  for (let at = 0; at < HANGING; at += 1) hanging.push(await linkShop());
  const well = await linkShop();
  await hangAll(hanging);
  await assertPrompt(t, well);
  for (const { woo } of hanging) woo.mend();
});

test('one account with many shops that answer nothing delays neither an order nor a parcel of another’s', async (t) => {
  const first = await linkShop();
  const hanging: Pick<LinkedShop, 'woo'>[] = [first];
  for (let at = 1; at < OF_ONE; at += 1) {
    const woo = openWooDouble(service);
    assert.equal(await woo.consent(await beginLink(first.owner, woo.address)), 200);
    hanging.push({ woo });
  }
  const well = await linkShop();
  await hangAll(hanging);
  await assertPrompt(t, well);
  for (const { woo } of hanging) woo.mend();
});
