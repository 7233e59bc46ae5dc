import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import type { Order } from '../../../../src/orders/schema.ts';
import { placeOrder, ship } from '../../../harness/floor.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted, service } from '../../production/stations.ts';

before(openStations);
after(closeStations);

describe('what is told', () => {
  test('the audit log of an order by its reference', async () => {
    const order = await promoted([blank()]);
    const seen = async (name: string): Promise<readonly string[]> =>
      (await floor.request<Page<{ action: string }>>('GET', `/audit?order=${name}`)).body.data.map(
        ({ action }) => action,
      );
    assert.deepEqual(await seen(order.id), ['promote']);
    assert.deepEqual(await seen(order.reference.toLowerCase()), ['promote']);
    assert.deepEqual([await seen('PF-22222222'), await seen('nothing')], [[], []]);
  });

  test('the history of a cancel of pieces says which', async () => {
    const order = await placeOrder(service, { items: [blank(5), blank(2), blank()] });
    const [first, second] = linesOf(order);
    const items = [
      { line_id: second, quantity: 2 },
      { line_id: first, quantity: 3 },
    ];
    const { history } = await floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', items });
    const { action, reason } = history.at(-1) ?? assert.fail('no history');
    assert.deepEqual([action, reason], ['cancel_lines', `2 of ${second}, 3 of ${first}: fewer`]);
  });

  test('an order says where it came from and what it makes good for', async () => {
    const order = await promoted([blank()]);
    await floor.post(`/orders/${order.id}/start`, {});
    await ship(floor, order.id, [{ line_id: linesOf(order)[0], quantity: 1 }]);
    const items = [{ line_id: linesOf(order)[0], quantity: 1 }];
    const made = await floor.post(`/orders/${order.id}/replacement`, { items, reason: 'torn' }, 201);
    const read = async (id: string): Promise<Order> =>
      (await service.customer.request<Order>('GET', `/orders/${id}`)).body;
    const [first, second] = [await read(order.id), await read(made.id)];
    assert.deepEqual([first.source, first.replaces], ['api', null]);
    assert.deepEqual([second.source, second.replaces], ['replacement', { id: order.id, reference: order.reference }]);
    const { body } = await service.customer.request<Page<Order>>('GET', '/orders?limit=1');
    assert.equal(body.data[0]?.replaces?.id, order.id);
  });
});
