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
    const early = await refused(`/lines/${line}/finish`, { quantity: 1 }, order, 409, 'conflict');
    const start = `start the line (POST /orders/${order.reference}/lines/${line}/start)`;
    assert.equal(early.body.detail, `This line has not started. Before its pieces are finished, ${start}.`);
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
    assert.equal(over.body.errors?.[0]?.message, 'There are 0 pieces of this line left to finish.');
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

  test('pieces of a line that has not started: the refusal says what comes first in each state of the order', async () => {
    const order = await placeOrder(service);
    const line = order.items.lineItems[0]?.id;
    const at = `/orders/${order.reference}`;
    const start = `start the line (POST ${at}/lines/${line}/start).`;
    const detail = async (what = 'finish') => {
      const body = { quantity: 1, ...(what === 'spoil' ? { reason: 'torn' } : {}) };
      return (await refused(`/lines/${line}/${what}`, body, order, 409, 'conflict')).body.detail ?? '';
    };
    assert.ok((await detail()).endsWith(`promote the order (POST ${at}/promote), then ${start}`));
    await floor.post(`/orders/${order.id}/hold`, { reason: 'a question' });
    assert.ok((await detail()).endsWith(`resume the order (POST ${at}/resume), then ${start}`));
    await floor.post(`/orders/${order.id}/resume`);
    await floor.post(`/orders/${order.id}/promote`);
    assert.match(await detail('spoil'), /Before its pieces are spoiled, start the line/);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'wrong' });
    assert.equal(await detail(), 'This order cannot be worked on: it is cancelled.');
  });

  test('pieces of a line that was cancelled before it started: the refusal says that nothing is left to make', async () => {
    const items = [teeItem(service, { print_jobs: [] }), teeItem(service, { print_jobs: [] })];
    const order = await placeOrder(service, { items });
    const [one, two] = order.items.lineItems.map(({ id }) => id);
    await floor.post(`/orders/${order.id}/promote`);
    await floor.post(`/orders/${order.id}/lines/${one}/start`);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'wrong', line_ids: [two] });
    const answer = await refused(`/lines/${two}/finish`, { quantity: 1 }, order, 409, 'conflict');
    assert.match(answer.body.detail ?? '', /^Nothing of this line is left to make/);
  });
});
