import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StockLevels } from '../../../src/catalogue/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { count, placeOrder } from '../../harness/floor.ts';
import { TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { levelOf } from '../../harness/written.ts';
import { closeStock, floor, movementsOf, openStock, overview, SKU, service } from './stock.ts';

before(openStock);
after(closeStock);

test('a count sets what is on hand; the movement keeps the difference and why, and the customers see it at once', async () => {
  await count(floor, SKU, 7);
  const answer = await floor.post<StockLevels>(
    '/stock/counts',
    { items: [{ sku: SKU, on_hand: 5 }], reason: 'two had holes' },
    201,
  );
  assert.equal(answer.items[0]?.on_hand, 5);
  const [movement] = (await movementsOf(`sku=${SKU}`)).data;
  assert.deepEqual([movement?.kind, movement?.on_hand_change, movement?.reason], ['count', -2, 'two had holes']);
  const seen = await service.customer.request<Page<{ available: number }>>('GET', `/stock?variant_sku=${SKU}`);
  assert.equal(seen.body.data[0]?.available, 5);
});

test('a count below what is promised is believed: nothing is available, and it says how many pieces are missing', async () => {
  await count(floor, TEE_WHITE_M, 20);
  const order = await placeOrder(service, { items: [teeItem(service, { quantity: 5 })] });
  await floor.post(`/orders/${order.id}/promote`);
  const { allocated } = await levelOf(service, TEE_WHITE_M);
  await count(floor, TEE_WHITE_M, 1);
  const short = await overview(TEE_WHITE_M);
  assert.deepEqual([short.available, short.missing], [0, allocated - 1]);
  const refused = await service.customer.request('POST', '/orders', {
    items: [teeItem(service)],
    shipping_address: order.items.shippingAddress,
  });
  assert.equal(refused.status, 409);
  await count(floor, TEE_WHITE_M, 100);
});
