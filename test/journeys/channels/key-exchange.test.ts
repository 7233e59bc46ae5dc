import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IN_USE_MS, resealBatch } from '../../../src/app/secrets/reseal.ts';
import { SEALED_CHANNELS } from '../../../src/channels/connected/channel-sql.ts';
import type { ShopOrder } from '../../../src/channels/shop-order.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { createSecrets } from '../../../src/lib/secrets.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { SECRET_KEY } from '../../harness/database.ts';
import { assertSound } from '../../harness/written.ts';
import {
  type ConnectedShop,
  closeShops,
  connectShop,
  lookAgain,
  openShops,
  ourItem,
  runOrderJobs,
  seen,
  send,
  service,
  shopOrder,
} from './shops.ts';

// The secret key is exchanged: what a shop sends again is what it was. The workers are run by hand.

before(() => openShops('api'));
after(closeShops);

const RIGHT = { line1: '99 Right Street', country_code: 'GB' };

async function sendLater(shop: ConnectedShop, order: ShopOrder, changes: Partial<ShopOrder> = {}): Promise<void> {
  service.shiftMs(1_000);
  const sent = { ...order, ...changes, updated_at: isoTime(service.ctx.clock.now()) };
  assert.equal((await send(shop, sent)).status, 202);
  await runOrderJobs();
}

async function correct(shop: ConnectedShop, id: string, { shipping_address: address }: ShopOrder): Promise<void> {
  const { status, text } = await shop.owner.request('POST', `/shop-orders/${id}/address`, {
    body: { ...address, ...RIGHT },
  });
  assert.equal(status, 200, text);
  await runOrderJobs();
}

const lineOf = async ({ owner }: ConnectedShop, id: string): Promise<string> =>
  (await owner.api<Order>('GET', `/orders/${id}`)).body.shipping_address.line1;

async function received(shop: ConnectedShop, order: ShopOrder): Promise<string> {
  const { body } = await send(shop, order);
  await runOrderJobs();
  return body.id;
}

test('what people have answered and what is placed stays as it is once the secret key was exchanged', async () => {
  const shop = await connectShop();
  const [waiting, approved, placed, changed] = [
    shopOrder(shop, { on_hold: true }),
    shopOrder(shop, { high_risk: true, items: [ourItem(shop, { quantity: 2 })] }),
    shopOrder(shop, { on_hold: true }),
    shopOrder(shop),
  ];
  const ids = { waiting: '', approved: '', placed: '', changed: '' };
  ids.waiting = await received(shop, waiting);
  await correct(shop, ids.waiting, waiting);
  ids.approved = await received(shop, approved);
  await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: { paused: true } });
  assert.equal((await shop.owner.request('POST', `/shop-orders/${ids.approved}/place`)).status, 200);
  await runOrderJobs();
  await shop.owner.request('PATCH', `/channels/${shop.channelId}`, { body: { paused: false } });
  ids.placed = await received(shop, placed);
  await correct(shop, ids.placed, placed);
  await sendLater(shop, placed, { on_hold: false });
  ids.changed = await received(shop, changed);
  assert.deepEqual([(await seen(shop, ids.placed)).state, (await seen(shop, ids.changed)).state], ['placed', 'placed']);

  Object.assign(service.ctx.secrets, createSecrets('the next key of the tests, long enough', [SECRET_KEY]));
  await sendLater(shop, waiting, { on_hold: false });
  await sendLater(shop, approved, { items: [ourItem(shop)] });
  await sendLater(shop, placed, { on_hold: false });
  await sendLater(shop, placed, { on_hold: true });
  await sendLater(shop, placed, { on_hold: false });
  await sendLater(shop, changed);
  await lookAgain();
  await runOrderJobs();
  for (const [what, line] of [
    [ids.waiting, '99 Right Street'],
    [ids.approved, '12 Mill Lane'],
    [ids.placed, '99 Right Street'],
    [ids.changed, '12 Mill Lane'],
  ] as const) {
    const { state, reason, order } = await seen(shop, what);
    assert.deepEqual([state, reason, await lineOf(shop, order?.id ?? '')], ['placed', '', line]);
  }

  service.shiftMs(IN_USE_MS + 1_000);
  while ((await resealBatch(service.ctx, SEALED_CHANNELS)) > 0);
  // All of it is by the present key by now: the former one is not needed any more.
  Object.assign(service.ctx.secrets, createSecrets('the next key of the tests, long enough'));
  await sendLater(shop, placed, { on_hold: false });
  await sendLater(shop, changed);
  for (const id of [ids.placed, ids.changed]) assert.equal((await seen(shop, id)).reason, '');
  await assertSound(service);
});
