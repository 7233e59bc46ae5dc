import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { Order } from '../../../src/orders/schema.ts';
import type { PromoteResults } from '../../../src/production/schema.ts';
import type { Cancellation } from '../../../src/refunds/schema.ts';
import { count, type Floor, openFloor, placeOrder, untilReady } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, problemsOf, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, balancePence, eventsOf, levelOf, rows } from '../../harness/written.ts';

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
  await count(floor, TEE_WHITE_M, 1_000);
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

/** What only a refusal must leave as it was. */
async function traceOf(id: string): Promise<unknown> {
  const { body } = await floor.request('GET', `/orders/${id}`);
  return { ...body, items: [], stock: await levelOf(service, TEE_WHITE_M), events: await eventsOf(service, body) };
}

async function refused(path: string, body: unknown, order: { id: string }, status: number, code: string) {
  const before = await traceOf(order.id);
  const answer = await floor.request('POST', `/orders/${order.id}${path}`, body);
  assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
  assert.deepEqual(await traceOf(order.id), before, 'a refusal changes nothing');
  return answer;
}

async function started(quantity = 1): Promise<OpsOrder> {
  const order = await placeOrder(service, { items: [teeItem(service, { quantity })] });
  await floor.post(`/orders/${order.id}/promote`);
  const ready = await untilReady(floor, order.id);
  return floor.post(`/orders/${order.id}/lines/${lineOf(ready)}/start`);
}

function lineOf(order: OpsOrder, index = 0): string {
  const line = order.lines[index];
  assert.ok(line);
  return line.id;
}

const lastMoveOf = (order: OpsOrder) => {
  const { action, from, to, actor, reason } = order.history.at(-1) ?? assert.fail('no history');
  return [action, from, to, actor, reason];
};

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
    await floor.post(`/orders/${held.id}/hold`, { reason: 'a question' });
    assert.match((await refused('/promote', undefined, held, 409, 'conflict')).body.detail ?? '', /on hold/);
    const promoted = await placeOrder(service);
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

  test('many at once: an answer for each in the order of the list, and one that cannot be promoted keeps none back', async () => {
    const sku = 'TEE-CLASSIC-BLK-S';
    await count(floor, sku, 1);
    const items = [teeItem(service, { variant_sku: sku })];
    const good = await placeOrder(service);
    const last = await placeOrder(service, { items });
    const short = await placeOrder(service, { items });
    const ids = [good.id, 'ord_nothing', last.reference, short.id, good.id];
    const key = { 'idempotency-key': 'morning' };
    const { status, body } = await floor.request<PromoteResults>('POST', '/orders/promote', { ids }, key);
    assert.equal(status, 200);
    assert.deepEqual(
      body.results.map(({ id, ok, state, code }) => [id, ok, state ?? code]),
      [
        [good.id, true, 'released'],
        ['ord_nothing', false, 'not_found'],
        [last.reference, true, 'released'],
        [short.id, false, 'out_of_stock'],
        [good.id, true, 'released'],
      ],
    );
    await count(floor, sku, 2);
    const again = await floor.request<PromoteResults>('POST', '/orders/promote', { ids }, key);
    assert.deepEqual(
      again.body.results.map(({ ok }) => ok),
      [true, false, true, true, true],
      'a repeat finds what was done done, and tries the rest again',
    );
    assert.equal((await floor.request('POST', '/orders/promote', { ids: [short.id] }, key)).status, 409);
    const tooMany = Array.from({ length: 101 }, () => good.id);
    for (const wrong of [{ ids: [] }, { ids: tooMany }, {}, { ids: [''] }]) {
      assert.equal((await floor.request('POST', '/orders/promote', wrong)).status, 422);
    }
  });
});

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

describe('finish and spoil', () => {
  const jobs = (order: OpsOrder) =>
    order.lines[0]?.print_jobs.map(({ area, quantity_done, quantity_spoiled }) => [
      area,
      quantity_done,
      quantity_spoiled,
    ]);

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
      jobs(await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 2, area: 'front' })),
      [
        ['front', 2, 0],
        ['back', 0, 0],
      ],
    );
    const both = await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 3 });
    assert.deepEqual(jobs(both), [
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
      jobs(await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 2, area: 'back', method: 'dtg' })),
      [
        ['front', 5, 0],
        ['back', 5, 0],
      ],
    );
  });

  test('a spoiled piece takes stock again and charges nobody; what was done of it is to be done anew', async () => {
    const order = await started(4);
    const line = lineOf(order);
    await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 4 });
    const before = await levelOf(service, TEE_WHITE_M);
    const balance = await balancePence(service, service.customer);
    const postings = await rows(service, 'select count(*) as count from posting');
    const spoiled = await floor.post(`/orders/${order.id}/lines/${line}/spoil`, { quantity: 1, reason: 'scorched' });
    assert.deepEqual(jobs(spoiled), [['front', 3, 1]]);
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

  test('a spoiled piece does not take what is promised to another line: 409 out_of_stock', async () => {
    const sku = 'TEE-CLASSIC-BLK-2XL';
    await count(floor, sku, 3);
    const items = [teeItem(service, { variant_sku: sku, quantity: 2, print_jobs: [] })];
    const order = await placeOrder(service, { items });
    const promoted = await floor.post(`/orders/${order.id}/promote`);
    await floor.post(`/orders/${order.id}/lines/${lineOf(promoted)}/start`);
    const other = await placeOrder(service, { items: [teeItem(service, { variant_sku: sku })] });
    await floor.post(`/orders/${other.id}/promote`);
    const answer = await refused(
      `/lines/${lineOf(promoted)}/spoil`,
      { quantity: 1, reason: 'a hole' },
      order,
      409,
      'out_of_stock',
    );
    assert.deepEqual(answer.body.oversold, [{ variant_sku: sku, requested: 1, available: 0, lines: [0] }]);
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

test('a viewer and finance may not work orders', async () => {
  const order = await placeOrder(service);
  for (const role of ['viewer', 'finance'] as const) {
    const other = await openFloor(service, role);
    assert.equal((await other.request('POST', `/orders/${order.id}/promote`)).status, 403);
  }
  assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.state, 'placed');
});
