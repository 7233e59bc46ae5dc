import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { closeShops, connectShop, openShops, sendAndLook, shopOrder } from './shops.ts';

before(() => openShops());
after(closeShops);

type Page = { data: ShopOrderView[]; has_more: boolean; next_cursor: string | null };

test('all orders of all shops are listed, the newest first, by state and by shop', async () => {
  const shop = await connectShop();
  const { channel } = (
    await shop.owner.request<{ channel: { id: string }; secret: string }>('POST', '/channels', {
      body: { name: 'Two' },
    })
  ).body;
  const sent: ShopOrderView[] = [];
  for (const changes of [{}, { on_hold: true }, { test: true }])
    sent.push(await sendAndLook(shop, shopOrder(shop, changes)));
  const list = async (query: string): Promise<string[]> =>
    (await shop.owner.request<Page>('GET', `/shop-orders${query}`)).body.data.map(({ id }) => id);
  const ids = sent.map(({ id }) => id);
  assert.deepEqual(await list(''), ids.toReversed());
  assert.deepEqual(await list('?state=waiting'), [ids[1]]);
  assert.deepEqual(await list(`?channel=${shop.channelId}&state=placed`), [ids[0]]);
  assert.deepEqual(await list(`?channel=${channel.id}`), []);
  const first = (await shop.owner.request<Page>('GET', '/shop-orders?limit=2')).body;
  assert.deepEqual([first.data.length, first.has_more], [2, true]);
  assert.deepEqual(await list(`?limit=2&cursor=${first.next_cursor}`), [ids[0]]);
  assert.equal((await shop.owner.request('GET', '/shop-orders?state=lost')).status, 422);
});
