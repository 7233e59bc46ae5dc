import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChannelWithSecret } from '../../../src/channels/channel-schema.ts';
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

test('a list is narrowed to a reason, page by page, and one that is not known is refused by its name', async () => {
  const shop = await connectShop();
  const connected = await shop.owner.request<ChannelWithSecret>('POST', '/channels', { body: { name: 'Two' } });
  const other = { ...shop, channelId: connected.body.channel.id, secret: connected.body.secret };
  const held: string[] = [];
  for (let count = 0; count < 3; count += 1)
    held.push((await sendAndLook(shop, shopOrder(shop, { on_hold: true }))).id);
  const ofOther = (await sendAndLook(other, shopOrder(other, { on_hold: true }))).id;
  const risky = (await sendAndLook(shop, shopOrder(shop, { high_risk: true }))).id;
  const ignored = (await sendAndLook(shop, shopOrder(shop, { test: true }))).id;
  const foreign = await connectShop();
  await sendAndLook(foreign, shopOrder(foreign, { on_hold: true }));
  const list = async (query: string): Promise<Page> =>
    (await shop.owner.request<Page>('GET', `/shop-orders?${query}`)).body;
  const idsOf = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }) => id);
  const [first = '', second = '', third = ''] = held;
  assert.deepEqual(await idsOf('reason=on_hold'), [ofOther, third, second, first]);
  assert.deepEqual(await idsOf(`reason=on_hold&channel=${shop.channelId}`), [third, second, first]);
  assert.deepEqual(await idsOf('reason=high_risk&state=waiting'), [risky]);
  assert.deepEqual(await idsOf('reason=test'), [ignored]);
  assert.deepEqual(await list('reason=test&state=waiting'), { data: [], has_more: false, next_cursor: null });
  const page = await list('reason=on_hold&limit=2');
  assert.deepEqual([page.data.map(({ id }) => id), page.has_more], [[ofOther, third], true]);
  assert.deepEqual(await idsOf(`reason=on_hold&limit=2&cursor=${page.next_cursor}`), [second, first]);
  for (const unknown of ['lost', '']) {
    const refused = await shop.owner.request<{ errors: { path: string; valid_values: string[] }[] }>(
      'GET',
      `/shop-orders?reason=${unknown}`,
    );
    assert.equal(refused.status, 422);
    assert.equal(refused.body.errors[0]?.path, 'reason');
    assert.ok(refused.body.errors[0]?.valid_values.includes('on_hold'));
  }
});
