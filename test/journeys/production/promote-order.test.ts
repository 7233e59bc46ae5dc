import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Order } from '../../../src/orders/schema.ts';
import { count, openFloor, placeOrder, untilReady } from '../../harness/floor.ts';
import { startTestService } from '../../harness/service.ts';
import { addProduct, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { eventsOf, levelOf, rows } from '../../harness/written.ts';
import { closeProduction, floor, lastMoveOf, openProduction, refused, service } from './production.ts';

before(openProduction);
after(closeProduction);

describe('promotion', () => {
  test('3.1 stock is checked when ops promote: all pieces are allocated, each print job gets its station, and the owner sees confirmed', async () => {
    const before = await levelOf(service, TEE_WHITE_M);
    const order = await placeOrder(service, {
      items: [teeItem(service, { quantity: 3 }), teeItem(service, { quantity: 2 })],
    });
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), before, 'placing allocates nothing');
    const promoted = await floor.post(`/orders/${order.id}/promote`);
    assert.deepEqual([promoted.state, promoted.status], ['released', 'confirmed']);
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), { ...before, allocated: before.allocated + 5 });
    assert.deepEqual(
      promoted.lines.map(({ allocation, print_jobs: jobs }) => [allocation, jobs.map(({ station }) => station)]),
      [3, 2].map((allocated) => [{ allocated, consumed: 0, released: 0 }, ['dtg']]),
    );
    assert.deepEqual(lastMoveOf(promoted), ['promote', 'placed', 'released', `operator ${floor.email}`, '']);
    assert.deepEqual(await eventsOf(service, order), ['order.created'], 'a promotion is no event');
    const seen = await service.customer.request<Order>('GET', `/orders/${order.id}`);
    assert.equal(seen.body.status, 'confirmed');
  });

  test('print jobs go to the station that the catalogue names for their method, and stay there whatever is imported later', async () => {
    await rows(service, "insert into station (id, title, methods) values ('garments', 'Garment printer', '{dtg,dtf}')");
    const order = await placeOrder(service);
    const [line] = (await floor.post(`/orders/${order.id}/promote`)).lines;
    await rows(service, 'delete from station');
    assert.deepEqual([line?.print_jobs[0]?.station], ['garments']);
    const [after] = (await floor.request('GET', `/orders/${order.id}`)).body.lines;
    assert.equal(after?.print_jobs[0]?.station, 'garments');
  });

  test('a promotion inside the cancellation window is done and warns; after it there is no warning', async () => {
    const order = await placeOrder(service);
    const within = await floor.post(`/orders/${order.id}/promote`);
    assert.deepEqual(
      within.warnings.map(({ code }) => code),
      ['cancellation_window_open'],
    );
    const later = await startTestService({ env: { CANCELLATION_WINDOW_SECONDS: '0' } });
    try {
      const there = await openFloor(later);
      const other = await placeOrder(later);
      assert.deepEqual((await there.post(`/orders/${other.id}/promote`)).warnings, []);
    } finally {
      await later.stop();
    }
  });

  test('pull-apart 1: two orders are taken for the last piece, and the second is refused at promotion with what is short; nothing of it changes', async () => {
    const sku = 'TEE-CLASSIC-BLK-M';
    await count(floor, sku, 1);
    const items = [teeItem(service, { variant_sku: sku })];
    const first = await placeOrder(service, { items });
    const second = await placeOrder(service, { items: [...items, teeItem(service)] });
    await floor.post(`/orders/${first.id}/promote`);
    const answer = await refused('/promote', undefined, second, 409, 'out_of_stock');
    assert.deepEqual(answer.body.oversold, [{ variant_sku: sku, requested: 1, available: 0, lines: [0] }]);
    await count(floor, sku, 2);
    assert.equal((await floor.post(`/orders/${second.id}/promote`)).state, 'released');
  });

  test('an order that is unpaid, held, promoted or cancelled is not promoted, and the refusal says why', async () => {
    const poor = await service.openCustomer();
    const product = await addProduct(service, poor, 'TEE-CLASSIC');
    const items = [{ product_id: product, variant_sku: TEE_WHITE_M, quantity: 1 }];
    const unpaid = await placeOrder(service, { items }, poor);
    assert.match((await refused('/promote', undefined, unpaid, 409, 'conflict')).body.detail ?? '', /not paid/);
    const held = await placeOrder(service);
    // Its artwork would be ready between the looks before and after the refusal.
    await untilReady(floor, held.id);
    await floor.post(`/orders/${held.id}/hold`, { reason: 'a question' });
    assert.match((await refused('/promote', undefined, held, 409, 'conflict')).body.detail ?? '', /on hold/);
    const promoted = await placeOrder(service);
    await untilReady(floor, promoted.id);
    await floor.post(`/orders/${promoted.id}/promote`);
    assert.match(
      (await refused('/promote', undefined, promoted, 409, 'conflict')).body.detail ?? '',
      /promoted already/,
    );
    const cancelled = await placeOrder(service);
    await service.customer.request('POST', `/orders/${cancelled.id}/cancel`);
    assert.match((await refused('/promote', undefined, cancelled, 409, 'conflict')).body.detail ?? '', /cancelled/);
    assert.equal((await floor.request('POST', '/orders/PF-22222222/promote')).status, 404);
  });

  test('the same promotion twice under one Idempotency-Key is done once and answered twice', async () => {
    const order = await placeOrder(service);
    const before = await levelOf(service, TEE_WHITE_M);
    const send = () =>
      floor.request('POST', `/orders/${order.reference.toLowerCase()}/promote`, undefined, {
        'idempotency-key': order.id,
      });
    const answers = await Promise.all([send(), send()]);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.state]),
      [
        [200, 'released'],
        [200, 'released'],
      ],
    );
    assert.equal((await levelOf(service, TEE_WHITE_M)).allocated, before.allocated + 1);
  });
});

test('a viewer and finance may not work orders', async () => {
  const order = await placeOrder(service);
  for (const role of ['viewer', 'finance'] as const) {
    const other = await openFloor(service, role);
    assert.equal((await other.request('POST', `/orders/${order.id}/promote`)).status, 403);
  }
  assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.state, 'placed');
});
