import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId } from '../../../../src/lib/ids.ts';
import type { Order } from '../../../../src/orders/schema.ts';
import { rows } from '../../../harness/written.ts';
import { closeLists, customer, openLists, pageOf, place, service } from '../../http/lists.ts';

before(openLists);
after(closeLists);

test('3.1 statuses: each internal state shows as its public status, and the filter finds it there and nowhere else (4.1 status)', async () => {
  const states = [
    ['awaiting_payment', 'pending'],
    ['placed', 'pending'],
    ['on_hold', 'pending'],
    ['released', 'confirmed'],
    ['in_production', 'in_production'],
    ['dispatched', 'dispatched'],
    ['cancelled', 'cancelled'],
  ] as const;
  const shown = new Map<string, string>();
  for (const [state, status] of states) {
    const { id } = await place();
    await rows(service, 'update orders set changed_by = transaction_number(), state = $1 where id = $2', [
      state,
      parseId('ord', id) ?? '',
    ]);
    shown.set(id, status);
  }
  for (const status of ['pending', 'confirmed', 'in_production', 'dispatched', 'cancelled']) {
    const { data } = await pageOf<Order>(`/orders?limit=100&status=${status}`);
    assert.ok(data.every((order) => order.status === status));
    const expected = [...shown].filter(([, wanted]) => wanted === status).map(([id]) => id);
    assert.deepEqual(
      data.map(({ id }) => id).filter((id) => shown.has(id)),
      expected.toReversed(),
    );
    const byOne = await pageOf<Order>(`/orders?limit=1&status=${status}`);
    assert.deepEqual(byOne.data, data.slice(0, 1));
    const beyond = await pageOf<Order>(`/orders?limit=100&status=${status}&cursor=${byOne.data[0]?.id}`);
    assert.deepEqual(beyond.data, data.slice(1));
  }
  assert.deepEqual(await pageOf('/orders?status=delivered'), { data: [], has_more: false, next_cursor: null });
});

for (const query of ['status=PENDING', 'status=placed', 'status=', 'status=pending&status=confirmed', 'status=%00']) {
  test(`/orders?${query} is refused: 422 at status (4.1 status, C44)`, async () => {
    const answer = await customer.request('GET', `/orders?${query}`);
    assert.equal(answer.status, 422);
    assert.deepEqual(new Set(answer.body.errors?.map(({ path }) => path)), new Set(['status']));
  });
}
