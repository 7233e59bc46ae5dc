import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { OpsChannel } from '../../../src/channels/channel-ops-schema.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { assertSound } from '../../harness/written.ts';
import {
  actsOn,
  closeShops,
  connectShop,
  looked,
  openShops,
  ordersOf,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);
afterEach(() => assertSound(service));

test('an operator has a paused shop go on, and what waited is placed', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  const paused = await floor.request<OpsChannel>('POST', `${path}/pause`);
  assert.deepEqual([paused.status, paused.body.state], [200, 'paused']);
  const waiting = await sendAndLook(shop, shopOrder(shop));
  assert.deepEqual([waiting.state, waiting.reason], ['waiting', 'paused']);
  const resumed = await floor.request<OpsChannel>('POST', `${path}/resume`);
  assert.deepEqual([resumed.status, resumed.body.state], [200, 'active']);
  await eventually('it is placed', async () => (await looked(shop, waiting.id)).state === 'placed');
  assert.equal((await ordersOf(shop)).length, 1);
  assert.deepEqual(await actsOn(shop.channelId), ['pause_shop', 'resume_shop']);
});
