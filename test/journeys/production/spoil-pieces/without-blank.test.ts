import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { count } from '../../../harness/floor.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted } from '../stations.ts';

before(openStations);
after(closeStations);

describe('what is told', () => {
  test('a spoiled piece for which there is no blank is refused with what to do about it, and changes nothing', async () => {
    const sku = 'TEE-CLASSIC-NVY-XL';
    await count(floor, sku, 1);
    const order = await promoted([blank(1, sku)]);
    await floor.post(`/orders/${order.id}/start`, {});
    const spoil = () =>
      floor.request('POST', `/orders/${order.id}/lines/${linesOf(order)[0]}/spoil`, { quantity: 1, reason: 'torn' });
    const refused = await spoil();
    assert.deepEqual([refused.status, refused.body.code], [409, 'out_of_stock']);
    assert.match(
      refused.body.detail ?? '',
      /Nothing was recorded\. Keep the spoiled piece out of the parcel: .* cancel/,
    );
    assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.lines[0]?.quantity_spoiled, 0);
    await floor.post('/stock/receipts', { items: [{ sku, quantity: 1 }] }, 201);
    assert.equal((await spoil()).status, 200);
  });
});
