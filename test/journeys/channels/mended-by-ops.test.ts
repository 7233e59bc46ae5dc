import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { OpsChannel } from '../../../src/channels/channel-ops-schema.ts';
import type { ChannelItems, OpsShopOrderWithAddress } from '../../../src/channels/inbox-schema.ts';
import { newId, parseId, publicId } from '../../../src/lib/ids.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import type { ErrorReply } from '../../harness/service.ts';
import { HOME, problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import {
  actsOn,
  closeShops,
  connectShop,
  itemsOf,
  looked,
  mystery,
  openShops,
  ourItem,
  seen,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

// What the people of a shop put right, operators put right for them.

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);
afterEach(() => assertSound(service));

test('an operator changes the rules of a shop, and what waited for one of them is placed', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  const strict = await floor.request<OpsChannel>('PATCH', path, { needs_approval: true, name: ' Fern ' });
  assert.deepEqual([strict.status, strict.body.needs_approval, strict.body.name], [200, true, 'Fern'], strict.text);
  const waiting = await sendAndLook(shop, shopOrder(shop));
  assert.equal(waiting.reason, 'approval');
  assert.equal((await floor.request('PATCH', path, { needs_approval: false })).status, 200);
  await eventually('it is placed', async () => (await seen(shop, waiting.id)).state === 'placed');
  assert.deepEqual(await actsOn(shop.channelId), ['change_shop', 'change_shop']);
  const refused = await floor.request<ErrorReply>('PATCH', path, { refunds_buyers: true });
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'refunds_buyers']);
});

test('an operator says what an item is, for the order that waits for it, and forgets it again', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}/items`;
  const waiting = await sendAndLook(shop, shopOrder(shop, { items: [mystery] }));
  const listed = await floor.request<ChannelItems>('GET', path);
  assert.deepEqual([listed.status, listed.body], [200, await itemsOf(shop)], listed.text);
  assert.deepEqual(
    listed.body.missing.map(({ key, orders }) => [key, orders]),
    [['variant 9001', 1]],
  );
  const item = { key: 'variant 9001', title: 'Fern tee' };
  const other = await connectShop();
  const foreign = { ...item, product_id: other.productId, variant_sku: other.sku };
  const refused = await floor.request<ErrorReply>('POST', path, foreign);
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['product_id unknown_product']], refused.text);
  const mapped = await floor.request<OpsChannel>('POST', path, {
    ...item,
    product_id: shop.productId,
    variant_sku: shop.sku,
  });
  assert.deepEqual([mapped.status, mapped.body.id], [200, shop.channelId], mapped.text);
  await eventually('it is placed', async () => (await seen(shop, waiting.id)).state === 'placed');
  assert.equal((await floor.request('POST', `${path}/forget`, { key: item.key })).status, 200);
  assert.deepEqual((await itemsOf(shop)).known, []);
  const later = await sendAndLook(shop, shopOrder(shop, { items: [mystery] }));
  assert.equal(later.reason, 'needs_mapping');
  assert.deepEqual(await actsOn(shop.channelId), ['map_shop_item', 'forget_shop_item']);
});

test('an operator says that what buyers enter for an item does not matter, and the orders that wait for it go on', async () => {
  const shop = await connectShop();
  const engraved = ourItem(shop, { variant_id: '77', properties: [{ name: 'Engrave', value: 'Anna' }] });
  const waiting = await sendAndLook(shop, shopOrder(shop, { items: [engraved] }));
  assert.equal(waiting.reason, 'needs_personalisation');
  const path = `/channels/${shop.channelId}/items`;
  const item = { key: 'variant 77', title: 'Fern tee', product_id: shop.productId, variant_sku: shop.sku };
  assert.equal((await floor.request('POST', path, item)).status, 200);
  assert.equal((await sendAndLook(shop, shopOrder(shop, { items: [engraved] }))).reason, 'needs_personalisation');
  const refused = await floor.request<ErrorReply>('POST', path, { ...item, ignores_entries: 'yes' });
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'ignores_entries']);
  assert.equal((await floor.request('POST', path, { ...item, ignores_entries: true })).status, 200);
  await eventually('it is placed', async () => (await seen(shop, waiting.id)).state === 'placed');
  assert.deepEqual(
    (await itemsOf(shop)).known.map(({ key, ignores_entries: ignores }) => [key, ignores]),
    [['variant 77', true]],
  );
});

test('a mapping that is sent again is answered as before, though its product is archived meanwhile', async () => {
  const shop = await connectShop();
  const item = { key: 'variant 1', title: 'Fern tee', product_id: shop.productId, variant_sku: shop.sku };
  const map = (headers: Record<string, string>) =>
    floor.request<OpsChannel>('POST', `/channels/${shop.channelId}/items`, item, headers);
  const key = { 'idempotency-key': newId() };
  assert.equal((await map(key)).status, 200);
  await rows(service, `update product set status = 'archived' where id = $1 returning id`, [
    parseId('prod', shop.productId) ?? assert.fail('it is an id'),
  ]);
  const again = await map(key);
  assert.equal(again.status, 200, again.text);
  assert.equal((await map({ 'idempotency-key': newId() })).status, 422);
  assert.deepEqual(await actsOn(shop.channelId), ['map_shop_item']);
});

test('an operator puts the address of an order right that was refused for it, and it is placed with that', async () => {
  const shop = await connectShop();
  const broken = { ...shopOrder(shop).shipping_address, postcode: '' };
  const waiting = await sendAndLook(shop, shopOrder(shop, { shipping_address: broken }));
  assert.equal(waiting.reason, 'address_refused');
  const path = `/shop-orders/${waiting.id}`;
  const found = await floor.request<OpsShopOrderWithAddress>('GET', path);
  assert.equal(found.body.shipping_address?.line1, broken.line1);
  const nowhere = await floor.request<ErrorReply>('POST', `${path}/address`, { ...HOME, country_code: 'XX' });
  assert.equal(nowhere.status, 422, nowhere.text);
  assert.equal((await floor.request('POST', `${path}/address`, HOME)).status, 200);
  const placed = await looked(shop, waiting.id);
  assert.equal(placed.state, 'placed');
  const { body } = await shop.owner.api<Order>('GET', `/orders/${placed.order?.id}`);
  assert.equal(body.shipping_address.line1, HOME.line1);
  const again = await floor.request<ErrorReply>('POST', `${path}/address`, HOME);
  assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
});

test('who may only read puts nothing right, and nothing is put right of what is not there', async () => {
  const shop = await connectShop();
  const viewer = await openFloor(service, 'viewer');
  const waiting = await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  const [channel, order] = [publicId('chan', newId()), publicId('sho', newId())];
  const item = { key: 'variant 1', title: 'A mug', not_ours: true };
  for (const [method, path, unknown, body] of [
    ['PATCH', `/channels/${shop.channelId}`, `/channels/${channel}`, { needs_approval: true }],
    ['POST', `/channels/${shop.channelId}/items`, `/channels/${channel}/items`, item],
    ['POST', `/channels/${shop.channelId}/items/forget`, `/channels/${channel}/items/forget`, { key: item.key }],
    ['POST', `/shop-orders/${waiting.id}/address`, `/shop-orders/${order}/address`, HOME],
  ] as const) {
    assert.equal((await viewer.request(method, path, body)).status, 403, path);
    assert.equal((await floor.request(method, unknown, body)).status, 404, unknown);
  }
  assert.equal((await viewer.request('GET', `/channels/${shop.channelId}/items`)).status, 200);
  assert.equal((await floor.request('GET', `/channels/${channel}/items`)).status, 404);
});
