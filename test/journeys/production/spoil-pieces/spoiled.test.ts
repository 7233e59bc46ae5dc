import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { count, placeOrder } from '../../../harness/floor.ts';
import { TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';
import { balancePence, eventsOf, levelOf, rows } from '../../../harness/written.ts';
import {
  closeProduction,
  floor,
  jobsOf,
  lastMoveOf,
  lineOf,
  openProduction,
  refused,
  service,
  started,
} from '../production.ts';

before(openProduction);
after(closeProduction);

describe('finish and spoil', () => {
  test('a spoiled piece takes stock again and charges nobody; what was done of it is to be done anew', async () => {
    const order = await started(4);
    const line = lineOf(order);
    await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 4 });
    const before = await levelOf(service, TEE_WHITE_M);
    const balance = await balancePence(service, service.customer);
    const postings = await rows(service, 'select count(*) as count from posting');
    const spoiled = await floor.post(`/orders/${order.id}/lines/${line}/spoil`, { quantity: 1, reason: 'scorched' });
    assert.deepEqual(jobsOf(spoiled), [['front', 3, 1]]);
    assert.equal(spoiled.lines[0]?.quantity_spoiled, 1);
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), { ...before, on_hand: before.on_hand - 1 });
    assert.equal(await balancePence(service, service.customer), balance);
    assert.deepEqual(await rows(service, 'select count(*) as count from posting'), postings);
    assert.deepEqual(lastMoveOf(spoiled).at(-1), `1 of ${line}: scorched`);
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.in_production']);
    await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 1 });
    await refused(`/lines/${line}/spoil`, { quantity: 5, reason: 'all of them' }, order, 422, 'validation_failed');
    await refused(`/lines/${line}/spoil`, { quantity: 1 }, order, 422, 'validation_failed');
  });

  test('a spoiled piece does not take what is promised to another line: the line is short of it', async () => {
    const sku = 'TEE-CLASSIC-BLK-2XL';
    await count(floor, sku, 3);
    const items = [teeItem(service, { variant_sku: sku, quantity: 2, print_jobs: [] })];
    const order = await placeOrder(service, { items });
    const promoted = await floor.post(`/orders/${order.id}/promote`);
    await floor.post(`/orders/${order.id}/lines/${lineOf(promoted)}/start`);
    const other = await placeOrder(service, { items: [teeItem(service, { variant_sku: sku })] });
    await floor.post(`/orders/${other.id}/promote`);
    const spoiled = await floor.post(`/orders/${order.id}/lines/${lineOf(promoted)}/spoil`, {
      quantity: 1,
      reason: 'a hole',
    });
    assert.equal(spoiled.quantity_short, 1);
    const { body } = await floor.request('GET', `/orders/${other.id}`);
    assert.deepEqual(body.lines[0]?.allocation, { allocated: 1, consumed: 0, released: 0 });
  });

  test('what stock moved for an order is all there is to read: allocated, consumed, spoiled, each with its line', async () => {
    const order = await started(2);
    await floor.post(`/orders/${order.id}/lines/${lineOf(order)}/spoil`, { quantity: 1, reason: 'smudged' });
    const found = await rows<{ kind: string; quantity: number; actor: string; reason: string }>(
      service,
      `select m.kind, m.quantity, m.actor, m.reason from stock_movement m join orders o on o.id = m.order_id
       join order_line l on l.id = m.line_id and l.order_id = o.id where o.reference = $1 order by m.id`,
      [order.reference],
    );
    assert.deepEqual(
      found.map(({ kind, quantity, reason }) => [kind, quantity, reason]),
      [
        ['allocate', 2, ''],
        ['consume', -2, ''],
        ['spoil', -1, 'smudged'],
      ],
    );
    assert.ok(found.every(({ actor }) => actor === `operator ${floor.email}`));
  });
});
