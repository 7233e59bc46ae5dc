import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import { eventually } from '../../harness/context.ts';
import { rows } from '../../harness/written.ts';
import {
  channelOf,
  closeShops,
  connectShop,
  lookAgain,
  openShops,
  seen,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

before(() => openShops());
after(closeShops);

test('a paused shop is taken from and placed nothing of; once it goes on, that is placed', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  assert.equal((await shop.owner.request<Channel>('PATCH', path, { body: { paused: true } })).body.state, 'paused');
  const view = await sendAndLook(shop, shopOrder(shop));
  assert.deepEqual([view.state, view.reason], ['waiting', 'paused']);
  assert.deepEqual((await channelOf(shop)).waiting, [{ reason: 'paused', orders: 1 }]);
  await shop.owner.request('PATCH', path, { body: { paused: false } });
  await lookAgain();
  await eventually('it is placed', async () => (await seen(shop, view.id)).state === 'placed');
});

test('an order waits for approval where the shop wants that, and for its delay', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  await shop.owner.request('PATCH', path, { body: { needs_approval: true } });
  const first = await sendAndLook(shop, shopOrder(shop));
  assert.equal(first.reason, 'approval');
  await shop.owner.request('POST', `/shop-orders/${first.id}/place`);
  await eventually('it is placed', async () => (await seen(shop, first.id)).state === 'placed');
  await shop.owner.request('PATCH', path, { body: { needs_approval: false, delay_minutes: 30 } });
  const second = await sendAndLook(shop, shopOrder(shop));
  assert.equal(second.reason, 'delayed');
  service.shiftMs(31 * 60_000);
  await lookAgain();
  await eventually('it is placed', async () => (await seen(shop, second.id)).state === 'placed');
});

test('a service of the shop is the one that the rules say', async () => {
  const shop = await connectShop();
  const { body: estimate } = await shop.owner.api<{
    shipping_service: string;
    shipping_options: { service: string }[];
  }>('POST', '/orders/estimate', {
    body: {
      items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 1, print_jobs: [] }],
      shipping_address: { contact_name: 'A', line1: '1', city: 'Leeds', postcode: 'LS1 4DY', country_code: 'GB' },
    },
  });
  const ours = estimate.shipping_options[0]?.service ?? '';
  assert.notEqual(ours, '');
  await shop.owner.request('PATCH', `/channels/${shop.channelId}`, {
    body: { services: [{ theirs: 'Express Delivery', ours }] },
  });
  const view = await sendAndLook(shop, shopOrder(shop, { shipping_method: 'express delivery ' }));
  const [placed] = await rows<{ service: string }>(
    service,
    `select shipping ->> 'service' as service from orders where reference = '${view.order?.reference}'`,
  );
  assert.equal(placed?.service, ours);
});

test('values out of bounds are refused with their fields, and change nothing', async () => {
  const shop = await connectShop();
  const answer = await shop.owner.request('PATCH', `/channels/${shop.channelId}`, {
    body: { delay_minutes: -1, name: '', services: [{ theirs: '', ours: '' }] },
  });
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.errors?.map(({ path }) => path).toSorted(), [
    'delay_minutes',
    'name',
    'services[0].ours',
    'services[0].theirs',
  ]);
  assert.equal((await channelOf(shop)).delay_minutes, 0);
});
