import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import { count, placeOrder } from '../../../harness/floor.ts';
import { TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';
import { closeStock, floor, openStock, overview, service } from '../../catalogue/stock.ts';

before(openStock);
after(closeStock);

test('stock as ops sees it: what is promised, what is available, and what is paid for and waits to be promoted', async () => {
  await count(floor, TEE_WHITE_M, 50);
  const before = await overview(TEE_WHITE_M);
  const waiting = await placeOrder(service, { items: [teeItem(service, { quantity: 4 })] });
  const promoted = await placeOrder(service, { items: [teeItem(service, { quantity: 3 })] });
  await floor.post(`/orders/${promoted.id}/promote`);
  const level = await overview(TEE_WHITE_M);
  assert.deepEqual(
    [level.on_hand, level.allocated, level.available, level.missing, level.awaiting - before.awaiting],
    [50, before.allocated + 3, 47 - before.allocated, 0, 4],
  );
  await floor.post(`/orders/${waiting.id}/hold`, { reason: 'address' });
  assert.equal(
    (await overview(TEE_WHITE_M)).awaiting - before.awaiting,
    4,
    'held before its promotion, it still waits',
  );
  const seen = await service.customer.request<Page<{ available: number }>>('GET', `/stock?variant_sku=${TEE_WHITE_M}`);
  assert.equal(seen.body.data[0]?.available, level.available, 'customers see what is available, not what is on hand');
});
