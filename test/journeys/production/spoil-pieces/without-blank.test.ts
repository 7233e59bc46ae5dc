import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setStock } from '../../../../src/catalogue/set-stock.ts';
import { count, placeOrder } from '../../../harness/floor.ts';
import { basket } from '../../../harness/shop.ts';
import { assertSound, balancePence, eventsOf, levelOf, rows } from '../../../harness/written.ts';
import { lastMoveOf } from '../production.ts';
import { blank, closeStations, floor, openStations, promoted, service } from '../stations.ts';
import { lackOf, receive, seen, shortLines, shortOrder, shortTasks, spoil, startedOrders } from './short.ts';

before(openStations);
after(closeStations);

describe('a spoiled piece is recorded although no blank is left', () => {
  test('the line is short of it, a task says so, and nobody is charged', async () => {
    const sku = 'TEE-CLASSIC-NVY-XL';
    const order = await shortOrder(sku, 2, 0);
    const balance = await balancePence(service, service.customer);
    const spoiled = await spoil(order, order.line, 1);
    const [line] = spoiled.lines;
    assert.deepEqual(
      [spoiled.quantity_short, line?.quantity_spoiled, line?.quantity_short, line?.quantity_to_start],
      [1, 1, 1, 0],
    );
    assert.equal(line?.quantity_finished, 1, 'a blank line has the piece that is left');
    assert.deepEqual(lastMoveOf(spoiled).slice(0, 3), ['spoil', 'in_production', 'in_production']);
    assert.equal(lastMoveOf(spoiled)[4], `1 of ${order.line}: torn; no blank is left for 1 of them`);
    assert.deepEqual(await shortTasks(order), [spoiled.tasks[0]?.note]);
    assert.match(
      spoiled.tasks[0]?.note ?? '',
      new RegExp(`^${order.reference}: ${order.line} is short of 1 of ${sku}:`),
    );
    assert.deepEqual(await levelOf(service, sku), { on_hand: 0, allocated: 1 }, 'the next blank is promised to it');
    assert.equal(await balancePence(service, service.customer), balance);
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.in_production']);
    await assertSound(service);
  });

  test('what is available is taken first, and what is promised to others is not; a second time adds to what it lacks', async () => {
    const sku = 'TEE-CLASSIC-NVY-L';
    const order = await shortOrder(sku, 3, 0);
    const other = await (async () => {
      await count(floor, sku, 4);
      return promoted([blank(3, sku)]);
    })();
    await spoil(order, order.line, 2);
    assert.deepEqual(await levelOf(service, sku), { on_hand: 3, allocated: 4 }, 'one was taken, one is promised');
    assert.deepEqual(await lackOf(order), [1, 0]);
    await spoil(order, order.line, 1);
    assert.deepEqual(await lackOf(order), [2, 0]);
    const tasks = await shortTasks(order);
    assert.equal(tasks.length, 1, 'one task has the sum');
    assert.match(tasks[0] ?? '', / is short of 2 of /);
    assert.equal((await floor.post(`/orders/${other.id}/start`, {})).lines[0]?.allocation?.consumed, 3);
    await assertSound(service);
  });

  test('no more than the pieces that there are: one that the line is short of cannot be spoiled again', async () => {
    const order = await shortOrder('TEE-CLASSIC-NVY-S', 2, 1);
    const again = { quantity: 2, reason: 'torn' };
    const refused = await floor.request('POST', `/orders/${order.id}/lines/${order.line}/spoil`, again);
    assert.deepEqual([refused.status, refused.body.code], [422, 'validation_failed']);
    assert.match(refused.text, /There is 1 piece of this line here to spoil/);
    assert.deepEqual(await lackOf(order), [1, 0]);
    await spoil(order, order.line, 1);
    assert.deepEqual(await lackOf(order), [2, 0]);
  });

  test('its owner sees an order in production, and nothing of what it lacks', async () => {
    const order = await shortOrder('TEE-CLASSIC-NVY-M', 1, 1);
    const shown = await service.customer.request<Record<string, unknown>>('GET', `/orders/${order.id}`);
    assert.equal(shown.body.status, 'in_production');
    assert.doesNotMatch(shown.text, /short/);
  });
});

describe('blanks that come in go to short lines first', () => {
  test('the oldest first and in part; nothing is available before all have theirs; their tasks close', async () => {
    const sku = 'TEE-CLASSIC-SKY-M';
    const [first = assert.fail(), second = assert.fail()] = await startedOrders(sku, 2, 1);
    await spoil(first, first.line, 2);
    service.shiftMs(5);
    await spoil(second, second.line, 1);
    await receive(sku, 1);
    assert.deepEqual(
      [await lackOf(first), await lackOf(second)],
      [
        [1, 1],
        [1, 0],
      ],
    );
    await receive(sku, 1);
    assert.deepEqual(
      [await lackOf(first), await lackOf(second)],
      [
        [0, 2],
        [1, 0],
      ],
    );
    assert.deepEqual([(await shortTasks(first)).length, (await shortTasks(second)).length], [0, 1]);
    const estimate = await service.customer.request(
      'POST',
      '/orders/estimate',
      basket(service, { items: [blank(1, sku)] as never }),
    );
    assert.deepEqual([estimate.status, (estimate.body as { code?: string }).code], [409, 'out_of_stock']);
    await receive(sku, 3);
    assert.deepEqual(await lackOf(second), [0, 1]);
    assert.deepEqual(await shortTasks(second), []);
    const stock = await floor.request<{ data: { on_hand: number; available: number; short: number }[] }>(
      'GET',
      `/stock?sku=${sku}`,
    );
    assert.deepEqual(
      stock.body.data.map(({ on_hand, available, short }) => [on_hand, available, short]),
      [[5, 2, 0]],
    );
    await assertSound(service);
  });

  test('whatever puts blanks back: a count, an adjustment, the command line, a cancel of another order', async () => {
    const sku = 'TEE-CLASSIC-SKY-L';
    const order = await shortOrder(sku, 4, 4);
    await count(floor, sku, 1);
    assert.deepEqual(await lackOf(order), [3, 1]);
    await floor.post('/stock/adjustments', { items: [{ sku, change: 1 }], reason: 'found' }, 201);
    assert.deepEqual(await lackOf(order), [2, 2]);
    await setStock(service.ctx, { sku, onHand: 3, reason: 'counted', actor: 'test' });
    assert.deepEqual(await lackOf(order), [1, 3]);
    const gone = 'TEE-CLASSIC-SKY-XL';
    const late = await shortOrder(gone, 1, 0);
    await count(floor, gone, 2);
    const waiting = await promoted([blank(2, gone)]);
    await spoil(late, late.line, 1);
    assert.deepEqual(await lackOf(late), [1, 0]);
    const cancelled = await service.customer.request('POST', `/orders/${waiting.id}/cancel`);
    assert.equal(cancelled.status, 200);
    assert.deepEqual(await lackOf(late), [0, 1]);
    assert.deepEqual(await levelOf(service, gone), { on_hand: 2, allocated: 1 });
    await assertSound(service);
  });

  test('what a count has lost of the promises of others comes before', async () => {
    const sku = 'TEE-CLASSIC-SKY-S';
    const short = await shortOrder(sku, 1, 0);
    await count(floor, sku, 2);
    const waiting = await promoted([blank(2, sku)]);
    await spoil(short, short.line, 1);
    await count(floor, sku, 1);
    await receive(sku, 1);
    assert.deepEqual(await lackOf(short), [1, 0], 'both are promised to the line that has not started');
    await floor.post(`/orders/${waiting.id}/start`, {});
    await receive(sku, 1);
    assert.deepEqual(await lackOf(short), [0, 1]);
    await assertSound(service);
  });

  test('the line is started again to take them; before that there is nothing to start, and the refusal says why', async () => {
    const sku = 'TEE-CLASSIC-BLK-M';
    const order = await shortOrder(sku, 3, 2);
    const start = () => floor.request('POST', `/orders/${order.id}/lines/${order.line}/start`);
    const early = await start();
    assert.deepEqual([early.status, early.body.code], [409, 'conflict']);
    assert.match(early.body.detail ?? '', new RegExp(`for 2 more pieces there is no ${sku}\\. Receive or count stock`));
    await receive(sku, 1);
    const picks = await floor.request<{ blanks: { variant_sku: string; quantity: number }[] }>(
      'GET',
      `/pick-list?ids=${order.id}`,
    );
    assert.deepEqual(
      picks.body.blanks.map(({ variant_sku, quantity }) => [variant_sku, quantity]),
      [[sku, 1]],
      'only what is there is fetched',
    );
    const before = (await seen(order)).lines[0]?.started_at;
    service.shiftMs(1_000);
    const again = await start();
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(lastMoveOf(again.body).slice(0, 3), ['start_line', 'in_production', 'in_production']);
    assert.equal(lastMoveOf(again.body)[4], `${order.line}: 1 in place of spoiled ones`);
    assert.equal(again.body.lines[0]?.started_at, before, 'it started when it first did');
    assert.deepEqual(await levelOf(service, sku), { on_hand: 0, allocated: 1 });
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.in_production']);
    await receive(sku, 1);
    await floor.post(`/orders/${order.id}/start`, {});
    assert.deepEqual(await lackOf(order), [0, 0]);
    assert.equal((await start()).body.detail, 'This line has started already.');
    await assertSound(service);
  });

  test('what was spoiled once more goes to the end of the queue', async () => {
    const sku = 'TEE-CLASSIC-BLK-L';
    const [one = assert.fail(), two = assert.fail()] = await startedOrders(sku, 2, 1);
    await spoil(one, one.line, 1);
    await receive(sku, 1);
    service.shiftMs(5);
    await spoil(two, two.line, 1);
    service.shiftMs(5);
    await floor.post(`/orders/${one.id}/lines/${one.line}/start`);
    await spoil(one, one.line, 1);
    assert.deepEqual(
      (await shortLines(`sku=${sku}`)).map(({ order_id: id }) => id),
      [two.id, one.id],
    );
    await receive(sku, 1);
    assert.deepEqual(
      [await lackOf(one), await lackOf(two)],
      [
        [1, 0],
        [0, 1],
      ],
    );
  });
});

test('a key that is used again records the spoiled piece once', async () => {
  const order = await shortOrder('TEE-CLASSIC-BLK-S', 3, 0);
  const body = { quantity: 1, reason: 'torn' };
  const once = () =>
    floor.request('POST', `/orders/${order.id}/lines/${order.line}/spoil`, body, { 'idempotency-key': 'torn-1' });
  assert.deepEqual([(await once()).status, (await once()).status], [200, 200]);
  assert.deepEqual(await lackOf(order), [1, 0]);
  const moved = await rows<{ kind: string; quantity: number }>(
    service,
    `select m.kind, m.quantity from stock_movement m join orders o on o.id = m.order_id where o.reference = $1 order by m.id`,
    [order.reference],
  );
  assert.deepEqual(
    moved.map(({ kind, quantity }) => [kind, quantity]),
    [
      ['allocate', 3],
      ['consume', -3],
      ['allocate', 1],
    ],
  );
});

test('an order that is placed while a line is short waits for its own pieces', async () => {
  const sku = 'TEE-CLASSIC-BLK-XL';
  const order = await shortOrder(sku, 1, 0);
  await count(floor, sku, 1);
  const later = await placeOrder(service, { items: [blank(1, sku)] });
  await spoil(order, order.line, 1);
  assert.deepEqual(await lackOf(order), [0, 0], 'it took the last one');
  const refused = await floor.request('POST', `/orders/${later.id}/promote`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'out_of_stock']);
  await spoil(order, order.line, 1);
  await receive(sku, 1);
  assert.deepEqual(await lackOf(order), [0, 1]);
  assert.equal((await floor.request('POST', `/orders/${later.id}/promote`)).status, 409);
  await receive(sku, 1);
  assert.equal((await floor.request('POST', `/orders/${later.id}/promote`)).status, 200);
});

test('a node of the version before sells nothing that is owed, and what it receives and releases is counted once', async () => {
  const sku = 'TEE-CLASSIC-BLK-2XL';
  const order = await shortOrder(sku, 3, 3);
  const former = (kind: 'receipt' | 'release', quantity: number, sums: string) =>
    service.ctx.database.script(`
      insert into stock_movement (sku, kind, quantity, order_id, line_id, actor, created_at)
      select a.sku, '${kind}', ${quantity}, a.order_id, a.line_id, 'former', clock_timestamp() from allocation a where a.sku = '${sku}';
      update stock set ${sums} where sku = '${sku}'`);
  await former('receipt', 1, 'on_hand = on_hand + 1');
  const stock = await service.customer.request<{ data: { available: number }[] }>('GET', `/stock?variant_sku=${sku}`);
  assert.equal(stock.body.data[0]?.available, 0);
  assert.deepEqual(await lackOf(order), [3, 0], 'it gave nothing to the line');
  await receive(sku, 1);
  assert.deepEqual(await lackOf(order), [1, 2], 'the next change of the stock gives both');
  // It cancels three pieces, and knows of none that is short.
  await service.ctx.database.script(`update allocation set released = released + 3 where sku = '${sku}'`);
  await former('release', -3, 'allocated = allocated - 3');
  assert.deepEqual(await lackOf(order), [0, 0]);
  assert.deepEqual(await shortLines(`sku=${sku}`), []);
  await receive(sku, 1);
  assert.deepEqual(await levelOf(service, sku), { on_hand: 3, allocated: 0 });
  const cancelled = await service.customer.request('POST', `/orders/${order.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  await assertSound(service);
});
