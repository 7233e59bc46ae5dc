import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { count, placeOrder, untilReady } from '../../harness/floor.ts';
import { TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { eventsOf, levelOf, rows } from '../../harness/written.ts';
import { closeProduction, floor, lineOf, openProduction, refused, service, started } from './production.ts';

before(openProduction);
after(closeProduction);

describe('start', () => {
  test('6.3 order.in_production: the first line that starts emits it once, and each takes its pieces off the shelf (3.1 order.in_production, 6.1 order.in_production)', async () => {
    const before = await levelOf(service, TEE_WHITE_M);
    const order = await placeOrder(service, {
      items: [teeItem(service, { quantity: 3 }), teeItem(service, { quantity: 2 })],
    });
    await floor.post(`/orders/${order.id}/promote`);
    const ready = await untilReady(floor, order.id);
    const first = await floor.post(`/orders/${order.id}/lines/${lineOf(ready)}/start`);
    assert.deepEqual([first.state, first.status], ['in_production', 'in_production']);
    assert.deepEqual(
      first.lines.map(({ status, allocation }) => [status, allocation?.consumed]),
      [
        ['printing', 3],
        ['queued', 0],
      ],
    );
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), {
      on_hand: before.on_hand - 3,
      allocated: before.allocated + 2,
    });
    await floor.post(`/orders/${order.id}/lines/${lineOf(ready, 1)}/start`);
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), { on_hand: before.on_hand - 5, allocated: before.allocated });
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.in_production']);
    const [event] = await rows<{ data: object }>(
      service,
      `select e.data from event e join orders o on o.id = e.order_id
       where o.reference = $1 and e.event = 'order.in_production'`,
      [order.reference],
    );
    assert.deepEqual(event?.data, { order_id: order.id, reference: order.reference, status: 'in_production' });
  });

  test('3.2 routing: a line waits for its artwork: 409 artwork_not_ready names the areas, and once the files are made it starts', async () => {
    const order = await placeOrder(service);
    await floor.post(`/orders/${order.id}/promote`);
    const ready = await untilReady(floor, order.id);
    const key = `(select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1)`;
    const [file] = await rows<{ output_hash: Buffer; ready_at: Date }>(
      service,
      `select output_hash, ready_at from print_file where key = ${key}`,
      [order.reference],
    );
    assert.ok(file);
    for (const state of ['pending', 'failed']) {
      await rows(service, `update print_file set state = $2, output_hash = null where key = ${key}`, [
        order.reference,
        state,
      ]);
      const answer = await refused(`/lines/${lineOf(ready)}/start`, undefined, order, 409, 'artwork_not_ready');
      assert.match(answer.text, /"print_areas":\["front"\]/);
    }
    await rows(service, `update print_file set state = 'ready', output_hash = $2 where key = ${key}`, [
      order.reference,
      file.output_hash,
    ]);
    assert.equal((await floor.post(`/orders/${order.id}/lines/${lineOf(ready)}/start`)).state, 'in_production');
  });

  test('a blank line is ready at once', async () => {
    const order = await placeOrder(service, { items: [teeItem(service, { print_jobs: [] })] });
    const promoted = await floor.post(`/orders/${order.id}/promote`);
    assert.equal((await floor.post(`/orders/${order.id}/lines/${lineOf(promoted)}/start`)).state, 'in_production');
  });

  test('a line starts once, after its promotion, while something of it is left, and under its own order', async () => {
    const order = await started();
    await refused(`/lines/${lineOf(order)}/start`, undefined, order, 409, 'conflict');
    const placed = await placeOrder(service);
    const [line] = (await floor.request('GET', `/orders/${placed.id}`)).body.lines;
    await refused(`/lines/${line?.id}/start`, undefined, placed, 409, 'conflict');
    await floor.post(`/orders/${placed.id}/promote`);
    await refused(`/lines/${lineOf(order)}/start`, undefined, placed, 404, 'not_found');
    await refused('/lines/line_nothing/start', undefined, placed, 404, 'not_found');
  });

  test('when a count has found fewer pieces than were promised, the line that comes too late does not start', async () => {
    const sku = 'TEE-CLASSIC-BLK-XL';
    await count(floor, sku, 2);
    const items = [teeItem(service, { variant_sku: sku, print_jobs: [] })];
    const orders = [await placeOrder(service, { items }), await placeOrder(service, { items })];
    const [first, second] = await Promise.all(orders.map(({ id }) => floor.post(`/orders/${id}/promote`)));
    assert.ok(first && second);
    await count(floor, sku, 1);
    await floor.post(`/orders/${first.id}/lines/${lineOf(first)}/start`);
    const answer = await refused(`/lines/${lineOf(second)}/start`, undefined, second, 409, 'out_of_stock');
    assert.deepEqual(answer.body.oversold, [{ variant_sku: sku, requested: 1, available: 0, lines: [0] }]);
    await count(floor, sku, 1);
    await floor.post(`/orders/${second.id}/lines/${lineOf(second)}/start`);
    assert.deepEqual(await levelOf(service, sku), { on_hand: 0, allocated: 0 });
  });
});
