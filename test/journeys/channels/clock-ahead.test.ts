import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { closeShops, openShops, service } from './shops.ts';
import { buy, channelOfLinked, inboxOf, linkShop, passTime, untilInbox } from './woo-shops.ts';

// A shop whose clock is off, for a time or for good.

before(() => openShops());
after(closeShops);

test('once the clock of a shop is put right, a cancel is taken, and what no notice tells of is found', async () => {
  const shop = await linkShop(8);
  shop.woo.clock.setSkew(3_600_000);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const found = buy(shop);
  passTime();
  await untilInbox(shop, found, 'placed');
  shop.woo.clock.setSkew(0);
  service.shiftMs(60_000);
  shop.woo.change(order.id, { status: 'cancelled' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed cancelled');
  const unsaid = buy(shop);
  passTime();
  await untilInbox(shop, unsaid, 'placed');
});

test('a cancel of an order that waits is taken though the clock of its shop went back since it was read', async () => {
  const shop = await linkShop(8);
  const order = buy(shop, { status: 'on-hold' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'waiting on_hold');
  shop.woo.clock.setSkew(-3_600_000);
  shop.woo.change(order.id, { status: 'cancelled' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'ignored cancelled_in_shop');
});

for (const [way, skewMs] of [
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
] as const) {
  test(`of a shop whose clock is an hour ${way} each order is placed once, told of or found`, async () => {
    const shop = await linkShop(8, ({ woo }) => woo.clock.setSkew(skewMs));
    const orders = [];
    for (let at = 0; at < 2; at += 1) {
      const said = buy(shop);
      await shop.woo.tell(said);
      await untilInbox(shop, said, 'placed');
      const found = buy(shop);
      passTime();
      await untilInbox(shop, found, 'placed');
      // Told of late, it is one order all the same.
      await shop.woo.tell(found);
      orders.push(said, found);
    }
    passTime();
    for (const order of orders) await untilInbox(shop, order, 'placed');
    const { body } = await shop.owner.api<{ data: object[] }>('GET', '/orders');
    assert.equal(body.data.length, orders.length);
  });
}

test('of a shop that was linked while its clock was ahead, an order of the time after it is put right waits, and is not lost', async () => {
  const shop = await linkShop(8, ({ woo }) => woo.clock.setSkew(3_600_000));
  shop.woo.clock.setSkew(0);
  const order = buy(shop);
  passTime();
  await shop.woo.tell(order);
  // It reads as of before the link, which no person has answered for.
  await untilInbox(shop, order, 'waiting earlier');
  service.shiftMs(3_600_000);
  const later = buy(shop);
  const isPlaced = async () => (await inboxOf(shop))[String(later.id)] === 'placed';
  await eventuallyLater(service, 'one of the hour after is placed', isPlaced, 121_000);
});

test('a shop that changed more than a page of orders while its clock was ahead is listed to an end once it is put right', async () => {
  const shop = await linkShop(8);
  shop.woo.clock.setSkew(3_600_000);
  for (let at = 0; at < 60; at += 1) buy(shop, { status: 'pending' });
  shop.woo.clock.setSkew(0);
  const syncedAt = async () => (await channelOfLinked(shop)).link?.synced_at;
  const before = await syncedAt();
  passTime();
  await eventually('its list has an end', async () => (await syncedAt()) !== before);
  const found = buy(shop);
  passTime();
  await untilInbox(shop, found, 'placed');
});
