import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChannelWithSecret } from '../../../src/channels/channel-schema.ts';
import { runInbox } from '../../../src/channels/inbox/run-inbox.ts';
import { rows } from '../../harness/written.ts';
import { closeShops, connectShop, openShops, send, service, shopOrder } from './shops.ts';

before(() => openShops());
after(closeShops);

test('that is replaced is taken for a day more, and then refused and gone', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}/secret`;
  const { body } = await shop.owner.request<ChannelWithSecret>('POST', path);
  const order = shopOrder(shop);
  assert.deepEqual(
    [(await send(shop, order)).status, (await send({ ...shop, secret: body.secret }, order)).status],
    [202, 202],
  );
  service.shiftMs(86_401_000);
  await runInbox(service.ctx);
  const now = shopOrder(shop);
  assert.equal((await send(shop, now)).status, 401);
  assert.equal((await send({ ...shop, secret: body.secret }, now)).status, 202);
  const kept = await rows(service, 'select from channel_secret where valid_until is not null');
  assert.equal(kept.length, 0);
});
