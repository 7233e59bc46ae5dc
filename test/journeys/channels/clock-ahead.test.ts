import { after, before, test } from 'node:test';
import { closeShops, openShops, service } from './shops.ts';
import { buy, linkShop, passTime, untilInbox } from './woo-shops.ts';

// A shop whose clock is ahead for a time, and is put right.

before(() => openShops());
after(closeShops);

test('once the clock of a shop is put right, a cancel is taken, and what no notice tells of is found', async () => {
  const shop = await linkShop(8);
  shop.woo.setClock(3_600_000);
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const found = buy(shop);
  passTime();
  await untilInbox(shop, found, 'placed');
  shop.woo.setClock(0);
  service.shiftMs(60_000);
  shop.woo.change(order.id, { status: 'cancelled' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed cancelled');
  const unsaid = buy(shop);
  passTime();
  await untilInbox(shop, unsaid, 'placed');
});
