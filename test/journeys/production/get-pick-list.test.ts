import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PickList } from '../../../src/production/station-schema.ts';
import { count, placeOrder } from '../../harness/floor.ts';
import { problemsOf, TEE_WHITE_M } from '../../harness/shop.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted, service } from './stations.ts';

before(openStations);
after(closeStations);

describe('a pick list', () => {
  const pick = (names: readonly string[]) => floor.request<PickList>('GET', `/pick-list?ids=${names.join(',')}`);

  test('sums what to take by blank, says for which orders, and leaves out what is taken already', async () => {
    const black = 'TEE-CLASSIC-BLK-M';
    await count(floor, black, 10);
    const first = await promoted([blank(2), blank(1, black), blank(3)]);
    const second = await promoted([blank(4)]);
    const waiting = await placeOrder(service, { items: [blank(7)] });
    await floor.post(`/orders/${first.id}/lines/${linesOf(first)[0]}/start`);
    const answer = await pick([first.id, second.reference.toLowerCase(), waiting.id, first.reference]);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, {
      blanks: [
        {
          variant_sku: black,
          product_title: 'Classic tee',
          colour: 'Black',
          size: 'M',
          quantity: 1,
          orders: [{ id: first.id, reference: first.reference, quantity: 1 }],
        },
        {
          variant_sku: TEE_WHITE_M,
          product_title: 'Classic tee',
          colour: 'White',
          size: 'M',
          quantity: 7,
          orders: [
            { id: first.id, reference: first.reference, quantity: 3 },
            { id: second.id, reference: second.reference, quantity: 4 },
          ],
        },
      ],
      nothing_to_take: [{ id: waiting.id, reference: waiting.reference, state: 'placed' }],
    });
  });

  test('of an unknown order, of none and of more than a hundred is 422', async () => {
    const order = await placeOrder(service);
    const unknown = await floor.request('GET', `/pick-list?ids=${order.id},PF-22222222,ord_nothing`);
    assert.deepEqual([unknown.status, problemsOf(unknown as never)], [422, ['ids unknown_order']]);
    assert.match(unknown.body.detail ?? '', /PF-22222222, ord_nothing/);
    for (const names of [[], [''], Array.from({ length: 101 }, () => order.reference)]) {
      assert.equal((await pick(names)).status, 422, `${names.length}`);
    }
    assert.equal((await pick(Array.from({ length: 100 }, () => order.reference))).status, 200);
  });
});
