import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PromoteResults } from '../../../../src/production/schema.ts';
import { count, placeOrder } from '../../../harness/floor.ts';
import { teeItem } from '../../../harness/shop.ts';
import { closeProduction, floor, openProduction, service } from '../production.ts';

before(openProduction);
after(closeProduction);

describe('promotion', () => {
  test('many at once: an answer for each in the order of the list, and one that cannot be promoted keeps none back', async () => {
    const sku = 'TEE-CLASSIC-BLK-S';
    await count(floor, sku, 1);
    const items = [teeItem(service, { variant_sku: sku })];
    const good = await placeOrder(service);
    const last = await placeOrder(service, { items });
    const short = await placeOrder(service, { items });
    const ids = [good.id, 'ord_nothing', last.reference, short.id, good.id];
    const key = { 'idempotency-key': 'morning' };
    const { status, body } = await floor.request<PromoteResults>('POST', '/orders/promote', { ids }, key);
    assert.equal(status, 200);
    assert.deepEqual(
      body.results.map(({ id, ok, state, code }) => [id, ok, state ?? code]),
      [
        [good.id, true, 'released'],
        ['ord_nothing', false, 'not_found'],
        [last.reference, true, 'released'],
        [short.id, false, 'out_of_stock'],
        [good.id, true, 'released'],
      ],
    );
    await count(floor, sku, 2);
    const again = await floor.request<PromoteResults>('POST', '/orders/promote', { ids }, key);
    assert.deepEqual(
      again.body.results.map(({ ok }) => ok),
      [true, false, true, true, true],
      'a repeat finds what was done done, and tries the rest again',
    );
    assert.equal((await floor.request('POST', '/orders/promote', { ids: [short.id] }, key)).status, 409);
    const tooMany = Array.from({ length: 101 }, () => good.id);
    for (const wrong of [{ ids: [] }, { ids: tooMany }, {}, { ids: [''] }]) {
      assert.equal((await floor.request('POST', '/orders/promote', wrong)).status, 422);
    }
  });
});
