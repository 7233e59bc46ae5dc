import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { placeOrder } from '../../harness/floor.ts';
import { closeProduction, floor, openProduction, refused, service, started } from './production.ts';

before(openProduction);
after(closeProduction);

describe('hold and resume', () => {
  test('an order that is held before its promotion returns to where it was, and can be held again', async () => {
    const order = await placeOrder(service);
    for (const reason of ['first', 'second']) {
      assert.equal((await floor.post(`/orders/${order.id}/hold`, { reason })).hold?.code, 'other');
      assert.equal((await floor.post(`/orders/${order.id}/resume`)).state, 'placed');
    }
    assert.equal((await floor.post(`/orders/${order.id}/promote`)).state, 'released');
  });

  test('only a paid order whose first line has not started is held, and only a held one resumed', async () => {
    const order = await started();
    await refused('/hold', { reason: 'too late' }, order, 409, 'conflict');
    await refused('/resume', undefined, order, 409, 'conflict');
    const held = await placeOrder(service);
    await floor.post(`/orders/${held.id}/hold`, { reason: 'once' });
    await refused('/hold', { reason: 'twice' }, held, 409, 'conflict');
    const [line] = (await floor.request('GET', `/orders/${held.id}`)).body.lines;
    await refused(`/lines/${line?.id}/start`, undefined, held, 409, 'conflict');
    for (const body of [
      {},
      { reason: '' },
      { reason: '  ' },
      { reason: 'x', code: 'No Code' },
      { reason: 'x'.repeat(501) },
    ]) {
      await refused('/hold', body, held, 422, 'validation_failed');
    }
  });
});
