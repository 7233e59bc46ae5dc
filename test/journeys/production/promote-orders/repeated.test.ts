import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PromoteResults } from '../../../../src/production/schema.ts';
import { placeOrder } from '../../../harness/floor.ts';
import { blank, closeStations, floor, openStations, service } from '../stations.ts';

before(openStations);
after(closeStations);

describe('what is told', () => {
  test('a repeated promotion of many says what it did then and how the order stands now', async () => {
    const order = await placeOrder(service, { items: [blank()] });
    const headers = { 'idempotency-key': `many-${order.id}` };
    const promote = async () =>
      (await floor.request<PromoteResults>('POST', '/orders/promote', { ids: [order.id] }, headers)).body.results[0];
    const first = await promote();
    assert.deepEqual(
      [first?.ok, first?.state, first?.repeated, first?.state_now],
      [true, 'released', undefined, undefined],
    );
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'asked for' });
    const again = await promote();
    assert.deepEqual(
      [again?.ok, again?.state, again?.repeated, again?.state_now],
      [true, 'released', true, 'cancelled'],
    );
  });
});
