import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StockLevels } from '../../../src/catalogue/ops-schema.ts';
import { count } from '../../harness/floor.ts';
import { problemsOf } from '../../harness/shop.ts';
import { levelOf } from '../../harness/written.ts';
import { closeStock, floor, movementsOf, openStock, SKU, service } from './stock.ts';

before(openStock);
after(closeStock);

test('an adjustment adds or takes some pieces with a reason, and leaves alone what changes meanwhile', async () => {
  await count(floor, SKU, 10);
  const adjust = (change: number) =>
    floor.post<StockLevels>('/stock/adjustments', { items: [{ sku: SKU, change }], reason: 'moth' }, 201);
  // At once, so that one does not know of the others.
  await Promise.all([-3, 2, -1, -1].map(adjust));
  assert.equal((await levelOf(service, SKU)).on_hand, 7);
  const [movement] = (await movementsOf(`sku=${SKU}`)).data;
  assert.deepEqual([movement?.kind, movement?.reason, movement?.actor], ['count', 'moth', `operator ${floor.email}`]);
  assert.equal((await adjust(-7)).items[0]?.on_hand, 0, 'down to none');
});

test('an adjustment below nothing, of nothing, or without a reason is refused, and nothing is changed', async () => {
  await count(floor, SKU, 4);
  const ask = async (item: object, more: object = { reason: 'moth' }) => {
    const answer = await floor.request('POST', '/stock/adjustments', { items: [item], ...more });
    return [answer.status, problemsOf(answer as never)];
  };
  assert.deepEqual(await ask({ sku: SKU, change: -5 }), [422, ['items[0].change out_of_bounds']]);
  assert.deepEqual(await ask({ sku: SKU, change: 10_000_000 }), [422, ['items[0].change out_of_bounds']]);
  assert.deepEqual(await ask({ sku: 'TEE-CLASSIC-PNK-M', change: 1 }), [422, ['items[0].sku unknown_variant']]);
  for (const change of [0, 1.5, '1', null, -10_000_001]) {
    const [status, problems] = await ask({ sku: SKU, change });
    assert.equal(status, 422, String(change));
    assert.match(String(problems), /^items\[0\]\.change /);
  }
  for (const reason of [undefined, '', '  ', 'x'.repeat(501)]) {
    const [status, problems] = await ask({ sku: SKU, change: 1 }, { reason });
    assert.equal(status, 422, String(reason));
    assert.match(String(problems), /^reason /);
  }
  assert.equal((await levelOf(service, SKU)).on_hand, 4);
});
