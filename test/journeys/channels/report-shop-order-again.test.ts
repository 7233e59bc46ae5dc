import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import { closeShops, connectShop, openShops, sendAndLook, service, shopOrder } from './shops.ts';
import { buy, linkShop, untilInbox } from './woo-shops.ts';

before(() => openShops());
after(closeShops);

test('a person whose shop has refused the news of an order has it reported again, once that is mended', async () => {
  const shop = await linkShop();
  const order = buy(shop);
  await shop.woo.tell(order);
  await untilInbox(shop, order, 'placed');
  const { body: list } = await shop.owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders');
  const { id, order: placed } = list.data[0] ?? assert.fail('it is in the inbox');
  const path = `/shop-orders/${id}/report`;
  const reported = async () => (await shop.owner.request<ShopOrderView>('GET', `/shop-orders/${id}`)).body.reported;
  await eventually('the shop knows all', async () => (await reported())?.is_known === true);
  const idle = await shop.owner.request('POST', path);
  assert.deepEqual([idle.status, idle.body.code], [409, 'conflict']);

  shop.woo.fail({
    times: 99,
    only: /^POST .*\/notes$/,
    how: (_hit, response) => void response.writeHead(400).end('{}'),
  });
  assert.equal((await shop.owner.api('POST', `/orders/${placed?.id}/cancel`)).status, 200);
  const isRefused = 'select from channel_report where failed_at is not null';
  const hasRefused = async () => (await rows(service, isRefused)).length === 1;
  await eventuallyLater(service, 'the shop refuses it for good', hasRefused, 1_000_000);
  shop.woo.mend();
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  const stranger = await connectShop();
  assert.equal((await reader.request('POST', path)).status, 403);
  assert.equal((await stranger.owner.request('POST', path)).status, 404);
  const owner = await openRole(service, 'owner', shop.customer.accountId);
  const again = await owner.request<ShopOrderView>('POST', path);
  assert.deepEqual([again.status, again.body.reported?.problem, again.body.reported?.is_known], [200, null, false]);
  await eventually('the shop has its note', () => shop.woo.notes.get(order.id)?.length === 1);
  await eventually('it knows all', async () => (await rows(service, isRefused)).length === 0);
});

test('an order of a shop that sends its orders itself is reported to no one', async () => {
  const shop = await connectShop();
  const { id, state } = await sendAndLook(shop, shopOrder(shop));
  assert.equal(state, 'placed');
  const refused = await shop.owner.request('POST', `/shop-orders/${id}/report`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
});
