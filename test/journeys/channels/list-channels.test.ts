import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel, ChannelWithSecret } from '../../../src/channels/channel-schema.ts';
import { closeShops, connectShop, openShops, sendAndLook, shopOrder } from './shops.ts';

before(() => openShops());
after(closeShops);

test('the shops of the account are listed with what of their orders waits, the newest first', async () => {
  const shop = await connectShop();
  await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  await sendAndLook(shop, shopOrder(shop, { high_risk: true }));
  const second = await shop.owner.request<ChannelWithSecret>('POST', '/channels', { body: { name: 'Two' } });
  const { body } = await shop.owner.request<{ data: Channel[] }>('GET', '/channels');
  assert.deepEqual(
    body.data.map(({ id, waiting }) => [id, waiting.toSorted((a, b) => a.reason.localeCompare(b.reason))]),
    [
      [second.body.channel.id, []],
      [
        shop.channelId,
        [
          { reason: 'high_risk', orders: 1 },
          { reason: 'on_hold', orders: 2 },
        ],
      ],
    ],
  );
  assert.ok(body.data[1]?.last_order_at !== null);
  const other = await connectShop();
  assert.equal((await other.owner.request<{ data: Channel[] }>('GET', '/channels')).body.data.length, 1);
});
