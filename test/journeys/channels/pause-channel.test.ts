import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { OpsChannel } from '../../../src/channels/channel-ops-schema.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { assertSound } from '../../harness/written.ts';
import { actsOn, closeShops, connectShop, openShops, sendAndLook, service, shopOrder } from './shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);
afterEach(() => assertSound(service));

test('an operator pauses a shop, and its orders wait', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  const paused = await floor.request<OpsChannel>('POST', `${path}/pause`);
  assert.deepEqual([paused.status, paused.body.state], [200, 'paused']);
  assert.equal(
    (await floor.request<OpsChannel>('POST', `${path}/pause`)).body.state,
    'paused',
    'again changes nothing',
  );
  const waiting = await sendAndLook(shop, shopOrder(shop));
  assert.deepEqual([waiting.state, waiting.reason], ['waiting', 'paused']);
  assert.deepEqual(await actsOn(shop.channelId), ['pause_shop', 'pause_shop']);
});
