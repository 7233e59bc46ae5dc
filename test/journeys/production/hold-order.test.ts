import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Order } from '../../../src/orders/schema.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { placeOrder } from '../../harness/floor.ts';
import { TEE_WHITE_M } from '../../harness/shop.ts';
import { balancePence, eventsOf, levelOf, rows } from '../../harness/written.ts';
import { closeProduction, floor, lastMoveOf, openProduction, refused, service } from './production.ts';

before(openProduction);
after(closeProduction);

describe('hold and resume', () => {
  test('6.3 order.on_hold: a hold keeps what is allocated, tells the owner why, and resume goes back without an event (3.1 order.on_hold, 6.1 order.on_hold)', async () => {
    const order = await placeOrder(service);
    await floor.post(`/orders/${order.id}/promote`);
    const before = await levelOf(service, TEE_WHITE_M);
    const held = await floor.post(`/orders/${order.id}/hold`, { reason: 'The flat has no number.', code: 'address' });
    assert.deepEqual([held.state, held.status], ['on_hold', 'pending']);
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), before);
    const seen = await service.customer.request<Order>('GET', `/orders/${order.id}`);
    assert.deepEqual(Object.keys(seen.body.hold ?? {}), ['code', 'reason', 'opened_at']);
    assert.deepEqual([seen.body.hold?.code, seen.body.hold?.reason], ['address', 'The flat has no number.']);
    const [event] = await rows<{ data: object }>(
      service,
      `select e.data from event e join orders o on o.id = e.order_id where o.reference = $1 and e.event = 'order.on_hold'`,
      [order.reference],
    );
    assert.deepEqual(event?.data, { reference: order.reference, status: 'pending', reason: 'The flat has no number.' });
    const resumed = await floor.post(`/orders/${order.id}/resume`);
    assert.deepEqual([resumed.state, resumed.hold], ['released', null]);
    assert.deepEqual(lastMoveOf(resumed).slice(0, 3), ['resume', 'on_hold', 'released']);
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.on_hold']);
  });

  test('3.1 cancel: a held order is cancelled in its window; its money and its stock go back, and it is held no longer', async () => {
    const before = await levelOf(service, TEE_WHITE_M);
    const balance = await balancePence(service, service.customer);
    const order = await placeOrder(service);
    await floor.post(`/orders/${order.id}/promote`);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'a question' });
    const answer = await service.customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual([answer.status, answer.body.refunded_gbp], [200, order.charged.total]);
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), before);
    assert.equal(await balancePence(service, service.customer), balance);
    assert.equal((await service.customer.request<Order>('GET', `/orders/${order.id}`)).body.hold, null);
    await refused('/resume', undefined, order, 409, 'conflict');
  });
});
