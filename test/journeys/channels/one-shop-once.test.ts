import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { openShop } from '../../harness/shop.ts';
import type { Handler } from '../../harness/stranger.ts';
import { openWooDouble } from '../../harness/woo-double.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeShops, openShops, ordersOf, service } from './shops.ts';
import { beginLink, buy, channelOfLinked, type LinkedShop, linkShop, passTime, untilInbox } from './woo-shops.ts';

// A shop has one connection with an account, however it is addressed: with two, its orders would be made twice.

before(() => openShops());
after(closeShops);

/** Connects a shop of the same account by another address, as its people consent there; its channel. */
async function connectAlso({ owner, ...shop }: LinkedShop, woo = openWooDouble(service)): Promise<LinkedShop> {
  const before = await channelsOf({ owner });
  assert.equal(await woo.consent(await beginLink(owner, woo.address, { name: 'Once more' })), 200);
  const [channelId] = (await channelsOf({ owner })).filter((id) => !before.includes(id));
  return { ...shop, owner, woo, channelId: channelId ?? assert.fail('it is connected') };
}

async function channelsOf({ owner }: Pick<LinkedShop, 'owner'>): Promise<string[]> {
  return (await owner.request<{ data: Channel[] }>('GET', '/channels')).body.data.map(({ id }) => id);
}

const faultOf = async (shop: LinkedShop): Promise<string> => {
  const { message } = await eventually(
    'it has a fault',
    async () => (await channelOfLinked(shop)).link?.fault ?? undefined,
  );
  return message;
};

const www = (address: string): string => address.replace('https://', 'https://www.');

test('a shop that is connected is not connected again with www before its name: that is refused before its people consent', async () => {
  const { owner, woo, channelId } = await linkShop();
  const body = { platform: 'woocommerce', name: 'Again', address: `${www(woo.address)}/wp-admin/` };
  const { status, text } = await owner.request('POST', '/channels/links', { body });
  assert.equal(status, 409, text);
  assert.match(text, /This is the shop “Fern and Thread”, which is connected already by https:\/\/art\./);
  assert.deepEqual(await channelsOf({ owner }), [channelId]);
});

test('the same the other way round, and a shop of another name beside it is connected', async () => {
  const { customer, productId, sku } = await openShop(service, 5);
  const owner = await openRole(service, 'owner', customer.accountId);
  const woo = openWooDouble(service);
  assert.equal(await woo.consent(await beginLink(owner, www(woo.address))), 200);
  const [channelId = ''] = await channelsOf({ owner });
  const shop = { customer, productId, sku, owner, woo, channelId };
  await eventually('it was read', async () => (await channelOfLinked(shop)).link?.synced_at !== null);
  const { status } = await owner.request('POST', '/channels/links', {
    body: { platform: 'woocommerce', name: 'Again', address: woo.address },
  });
  assert.equal(status, 409);
  const other = await connectAlso(shop);
  await eventually('it was read', async () => (await channelOfLinked(other)).link?.synced_at !== null);
});

test('a shop that says that it is one which is connected already is not read: its orders are made once', async () => {
  const shop = await linkShop();
  // Another host of the same site, as it answers there.
  const alias = openWooDouble(service);
  alias.setIndex({ home: `${www(shop.woo.address).replace('https', 'http')}/` });
  const also = await connectAlso(shop, alias);
  assert.equal(
    await faultOf(also),
    `This is the shop “Fern and Thread”, which is connected already by ${shop.woo.address}. Disconnect one of the two: it is read by that alone.`,
  );
  assert.equal(alias.hooks.size, 0, 'nothing was set up');
  const order = buy(shop);
  alias.orders.set(order.id, order);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  passTime(3_600_000);
  await eventually('it was asked again', async () => alias.asked.filter((one) => one === 'GET /wp-json/').length >= 2);
  assert.equal((await ordersOf({ ...shop, secret: '' })).length, 1);
  assert.equal((await channelOfLinked(shop)).link?.fault, null);

  const { status } = await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`);
  assert.equal(status, 200);
  const isWell = async () => (await channelOfLinked(also)).link?.fault === null;
  await eventuallyLater(service, 'the other is read now', isWell, 601_000);
  await assertSound(service);
});

const closed: Record<string, Handler> = {
  'it is closed to who is not signed in': (_hit, response) =>
    void response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"code":"rest_not_logged_in","message":"You are not currently logged in."}'),
  'it is no JSON': (_hit, response) => void response.end('<!doctype html><p>Please sign in'),
  'it is a list': (_hit, response) => void response.writeHead(200).end('[]'),
  'its names are none': (_hit, response) => void response.end('{"home":7,"url":"../shop"}'),
  'it ends with an error': (_hit, response) => void response.writeHead(500).end('{}'),
  'there is none': (_hit, response) => void response.writeHead(404).end('{"code":"rest_no_route"}'),
};

test('a shop whose index says nothing is known by the address that was typed, and its orders come in', async () => {
  for (const [what, how] of Object.entries(closed)) {
    const shop = await linkShop(5, ({ woo }) => woo.setIndex(how));
    const order = buy(shop);
    await shop.woo.tell(order);
    await untilInbox(shop, order, 'placed');
    const [{ shop: name } = {}] = await rows<{ shop: string }>(
      service,
      "select facts ->> 'shop' as shop from channel_link where address = $1",
      [shop.woo.address],
    );
    assert.equal(name, shop.woo.address.replace('https://', ''), what);
    const { status } = await shop.owner.request('POST', '/channels/links', {
      body: { platform: 'woocommerce', name: 'Again', address: www(shop.woo.address) },
    });
    assert.equal(status, 409, what);
  }
});

test('a shop that does not say its name today keeps the one of before', async () => {
  const shop = await linkShop(5, ({ woo }) => woo.setIndex({ home: 'https://fern.example.test' }));
  shop.woo.setIndex((_hit, response) => void response.writeHead(500).end('{}'));
  passTime(90_000_000);
  const asked = shop.woo.asked.length;
  await eventually('it was asked', () => shop.woo.asked.slice(asked).includes('GET /wp-json/'));
  const named = await rows(service, "select from channel_link where facts ->> 'shop' = 'fern.example.test'");
  assert.equal(named.length, 1);
});

test('another account may connect the same shop: its products are other ones', async () => {
  const { woo } = await linkShop();
  const { customer, productId, sku } = await openShop(service, 5);
  const owner = await openRole(service, 'owner', customer.accountId);
  assert.equal(await woo.consent(await beginLink(owner, woo.address)), 200);
  const [channelId = ''] = await channelsOf({ owner });
  const other = { customer, productId, sku, owner, woo, channelId };
  await eventually('it was read', async () => (await channelOfLinked(other)).link?.synced_at !== null);
  assert.equal((await channelOfLinked(other)).link?.fault, null);
});
