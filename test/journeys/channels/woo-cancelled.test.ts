import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually } from '../../harness/context.ts';
import type { WooOrder } from '../../harness/woo-double.ts';
import { rows } from '../../harness/written.ts';
import { closeShops, openShops, service } from './shops.ts';
import {
  buy,
  channelOfLinked,
  inboxOf,
  type LinkedShop,
  linkShop,
  passTime,
  switchOff,
  untilInbox,
  wooLine,
} from './woo-shops.ts';

// What becomes of an order that WooCommerce cancels, takes its cancel back of, puts into the bin or deletes.

before(() => openShops());
after(closeShops);

async function placed(shop: LinkedShop): Promise<WooOrder> {
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  return order;
}

async function turn(shop: LinkedShop, order: WooOrder, status: string, wanted: string): Promise<void> {
  service.shiftMs(1_000);
  shop.woo.change(order.id, { status });
  await shop.woo.tell(order);
  await untilInbox(shop, order, wanted);
}

async function wordsOf({ owner }: LinkedShop, order: WooOrder): Promise<string> {
  const { body } = await owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100');
  return body.data.find(({ shop_order_id: id }) => id === String(order.id))?.problems[0]?.message ?? '';
}

test('an order that was cancelled before it was placed, and is to be made again, is placed', async () => {
  const shop = await linkShop();
  const order = buy(shop, { status: 'on-hold' });
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'waiting on_hold');
  await turn(shop, order, 'cancelled', 'ignored cancelled_in_shop');
  await turn(shop, order, 'processing', 'placed');
});

test('an order that is cancelled here and set going again in the shop says so, and nothing of it is made', async () => {
  const shop = await linkShop();
  const order = await placed(shop);
  await turn(shop, order, 'cancelled', 'placed cancelled');
  await turn(shop, order, 'processing', 'placed changed_in_shop');
  assert.match(await wordsOf(shop, order), /here it is cancelled: nothing of it is made/);
  await turn(shop, order, 'cancelled', 'placed cancelled');
});

test('a cancel that was only asked for, and is taken back in the shop, says that it may come yet', async () => {
  const shop = await linkShop();
  const order = await placed(shop);
  service.shiftMs(7_200_000);
  await turn(shop, order, 'cancelled', 'placed asked_to_cancel');
  await turn(shop, order, 'processing', 'placed changed_in_shop');
  assert.match(await wordsOf(shop, order), /Withdraw that request/);
});

test('an order in the bin of which the shop says nothing is cancelled; one that was completed is only put away', async () => {
  const shop = await linkShop(8);
  const waiting = buy(shop, { status: 'on-hold' });
  await shop.woo.tell(waiting);
  await untilInbox(shop, waiting, 'waiting on_hold');
  const made = await placed(shop);
  const done = await placed(shop);
  for (const { id } of [waiting, made]) shop.woo.change(id, { status: 'trash' });
  shop.woo.change(done.id, { status: 'trash', meta_data: [{ key: '_wp_trash_meta_status', value: 'wc-completed' }] });
  passTime();
  await untilInbox(shop, waiting, 'ignored cancelled_in_shop');
  await untilInbox(shop, made, 'placed cancelled');
  assert.equal((await inboxOf(shop))[String(done.id)], 'placed');
  const next = await placed(shop);
  shop.woo.change(next.id, { status: 'trash' });
  passTime();
  await untilInbox(shop, next, 'placed cancelled');
});

test('an order that the shop has deleted is cancelled; one of a shop whose WooCommerce is off is what it was', async () => {
  const shop = await linkShop(8);
  const waiting = buy(shop, { status: 'on-hold' });
  await shop.woo.tell(waiting);
  await untilInbox(shop, waiting, 'waiting on_hold');
  const made = await placed(shop);
  switchOff(shop);
  await shop.woo.tell(made);
  await eventually('the fault shows', async () => (await channelOfLinked(shop)).link?.fault ?? undefined);
  assert.deepEqual(await inboxOf(shop), { [waiting.id]: 'waiting on_hold', [made.id]: 'placed' });
  shop.woo.mend();
  for (const order of [waiting, made]) {
    shop.woo.orders.delete(order.id);
    await shop.woo.tell(order, { topic: 'order.deleted' });
  }
  passTime(20_000);
  await untilInbox(shop, waiting, 'ignored cancelled_in_shop');
  await untilInbox(shop, made, 'placed cancelled');
});

test('a shop that replaces the only line is never written that nothing is sent, whatever dies meanwhile', async () => {
  const shop = await linkShop(10);
  const order = await placed(shop);
  await service.ctx.database.script(`
    create function dies() returns trigger language plpgsql as $$ begin raise exception 'it dies'; end $$;
    create trigger dies before insert on channel_order for each row when (new.supplement_of is not null)
      execute function dies()`);
  service.shiftMs(2_000);
  shop.woo.change(order.id, { line_items: [wooLine(shop, { id: 7 })] });
  await shop.woo.tell(order);
  await eventually('the first is cancelled, and its report was looked at', async () => {
    const seen = await rows(
      service,
      `select 1 from channel_report r join channel_order s on s.id = r.shop_order_id and s.account_id = r.account_id
         join orders o on o.id = s.order_id
       where r.account_id = $1 and o.state = 'cancelled' and (r.due_at is null or r.due_at > $2)`,
      [shop.customer.accountId, service.ctx.clock.now()],
    );
    return seen.length === 1;
  });
  await service.ctx.database.script('drop trigger dies on channel_order; drop function dies()');
  passTime(600_000);
  await untilInbox(shop, order, 'placed');
  const known = async () => (await inboxOf(shop))[`${order.id}:2`] === 'waiting supplement';
  await eventually('the new line waits', known);
  assert.deepEqual(shop.woo.notes.get(order.id) ?? [], []);
});
