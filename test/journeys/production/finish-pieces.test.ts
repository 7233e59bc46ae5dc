import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { placeOrder, untilReady } from '../../harness/floor.ts';
import { problemsOf, teeItem } from '../../harness/shop.ts';
import { closeProduction, floor, jobsOf, lastMoveOf, lineOf, openProduction, refused, service } from './production.ts';

before(openProduction);
after(closeProduction);

describe('finish and spoil', () => {
  test('finished pieces are counted for all areas or for one, and never more than are to be made', async () => {
    const print_jobs = [
      { area: 'front', method: 'dtg' },
      { area: 'back', method: 'dtg' },
    ];
    const order = await placeOrder(service, { items: [teeItem(service, { quantity: 5, print_jobs })] });
    await floor.post(`/orders/${order.id}/promote`);
    const line = lineOf(await untilReady(floor, order.id));
    await refused(`/lines/${line}/finish`, { quantity: 1 }, order, 409, 'conflict');
    await floor.post(`/orders/${order.id}/lines/${line}/start`);
    assert.deepEqual(
      jobsOf(await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 2, area: 'front' })),
      [
        ['front', 2, 0],
        ['back', 0, 0],
      ],
    );
    const both = await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 3 });
    assert.deepEqual(jobsOf(both), [
      ['front', 5, 0],
      ['back', 3, 0],
    ]);
    assert.deepEqual(lastMoveOf(both), [
      'finish',
      'in_production',
      'in_production',
      `operator ${floor.email}`,
      `3 of ${line}`,
    ]);
    const over = await refused(`/lines/${line}/finish`, { quantity: 1 }, order, 422, 'validation_failed');
    assert.deepEqual(problemsOf(over as never), ['quantity out_of_bounds']);
    await refused(`/lines/${line}/finish`, { quantity: 3, area: 'back' }, order, 422, 'validation_failed');
    const area = await refused(
      `/lines/${line}/finish`,
      { quantity: 1, area: 'sleeve' },
      order,
      422,
      'validation_failed',
    );
    assert.deepEqual(area.body.errors?.[0]?.valid_values, ['front', 'back']);
    const method = await refused(
      `/lines/${line}/finish`,
      { quantity: 1, area: 'back', method: 'dtf' },
      order,
      422,
      'validation_failed',
    );
    assert.deepEqual(problemsOf(method as never), ['method unknown_method']);
    for (const quantity of [0, -1, 1.5, '2', 10_001]) {
      await refused(`/lines/${line}/finish`, { quantity }, order, 422, 'validation_failed');
    }
    assert.deepEqual(
      jobsOf(
        await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 2, area: 'back', method: 'dtg' }),
      ),
      [
        ['front', 5, 0],
        ['back', 5, 0],
      ],
    );
  });
});
