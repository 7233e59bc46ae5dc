import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { StartedOrder } from '../../../src/production/station-schema.ts';
import { count, placeOrder, untilReady } from '../../harness/floor.ts';
import { problemsOf, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { eventsOf, levelOf, rows } from '../../harness/written.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted, service } from './stations.ts';

before(openStations);
after(closeStations);

describe('starting an order whole', () => {
  const start = (order: { id: string }, body: object = {}, headers: Record<string, string> = {}) =>
    floor.request<StartedOrder>('POST', `/orders/${order.id}/start`, body, headers);
  /** Makes the artwork of an order wait again, as if it had not been made yet. */
  const unready = (order: { reference: string }, area: string) =>
    rows(
      service,
      `update print_job set print_file_key = decode(md5(print_area), 'hex')
       where print_area = $2 and order_id = (select id from orders where reference = $1)`,
      [order.reference, area],
    );
  const ready = (order: { reference: string }) =>
    rows(
      service,
      `update print_job set print_file_key = (select key from print_file where state = 'ready' limit 1)
       where order_id = (select id from orders where reference = $1)`,
      [order.reference],
    );

  test('6.3 order.in_production: every line that can start does in one step, the event comes once, and each other line has its answer', async () => {
    const order = await promoted([
      blank(2),
      teeItem(service),
      blank(3),
      teeItem(service, { print_jobs: [{ area: 'back', method: 'dtg' }] }),
    ]);
    await untilReady(floor, order.id);
    await unready(order, 'back');
    await floor.post(`/orders/${order.id}/lines/${linesOf(order)[0]}/start`);
    const before = await levelOf(service, TEE_WHITE_M);
    const answer = await start(order);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.state, 'in_production');
    assert.deepEqual(
      answer.body.results.map(({ line_id: id, started, code }) => [id, started, code]),
      linesOf(order).map((id, index) => [
        id,
        [1, 2].includes(index),
        [null, 'conflict', 'artwork_not_ready'][[1, 0, 0, 2][index] ?? 0],
      ]),
    );
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), {
      on_hand: before.on_hand - 4,
      allocated: before.allocated - 4,
    });
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.in_production']);
    assert.deepEqual(
      answer.body.history.map(({ action }) => action),
      ['place', 'promote', 'start_line', 'start_line', 'start_line'],
    );
    await ready(order);
    assert.equal((await start(order)).status, 200);
  });

  test('named lines start all or none, and the refusal names the line', async () => {
    const order = await promoted([blank(), teeItem(service), blank()]);
    await untilReady(floor, order.id);
    await unready(order, 'front');
    const [first, unreadyLine, third] = linesOf(order);
    const before = await levelOf(service, TEE_WHITE_M);
    const refused = await start(order, { line_ids: [first, unreadyLine] });
    assert.deepEqual([refused.status, refused.body.code], [409, 'artwork_not_ready']);
    assert.match(refused.body.detail ?? '', new RegExp(`^${unreadyLine}: .*No line was started`));
    assert.deepEqual(
      [(await floor.request('GET', `/orders/${order.id}`)).body.state, await levelOf(service, TEE_WHITE_M)],
      ['released', before],
    );
    const done = await start(order, { line_ids: [third, first] });
    assert.deepEqual(
      done.body.results.map(({ line_id: id, started }) => [id, started]),
      [
        [third, true],
        [first, true],
      ],
    );
    await ready(order);
  });

  test('an order of which no line can start is refused as its nearest line is, and nothing changes', async () => {
    const order = await promoted([teeItem(service), blank()]);
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/lines/${linesOf(order)[1]}/start`);
    await unready(order, 'front');
    const refused = await start(order);
    assert.deepEqual([refused.status, refused.body.code], [409, 'artwork_not_ready']);
    await ready(order);
    assert.equal((await start(order)).status, 200);
    assert.deepEqual(
      [(await start(order)).status, (await start(order)).body.code],
      [409, 'conflict'],
      'all have started',
    );
    const placed = await placeOrder(service, { items: [blank()] });
    assert.match((await start(placed)).body.detail ?? '', /has not been promoted/);
    assert.equal((await start({ id: 'PF-22222222' })).status, 404);
  });

  test('lines of another order, lines named twice and no lines at all are 422', async () => {
    const order = await promoted([blank()]);
    const other = await promoted([blank()]);
    const [line] = linesOf(order);
    const wrong = await start(order, { line_ids: [line, linesOf(other)[0], line] });
    assert.equal(wrong.status, 422);
    assert.deepEqual(problemsOf(wrong as never).toSorted(), ['line_ids[1] unknown_line', 'line_ids[2] duplicate']);
    for (const body of [{ line_ids: [] }, { line_ids: 'x' }, { line_ids: [''] }])
      assert.equal((await start(order, body)).status, 422);
    assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.state, 'released');
  });

  test('a repeat under its key starts nothing more and says how the lines stand', async () => {
    const order = await promoted([blank(), teeItem(service)]);
    await untilReady(floor, order.id);
    await unready(order, 'front');
    const key = { 'idempotency-key': `start ${order.reference}`.replace(' ', '-') };
    const answers = [await start(order, {}, key)];
    await ready(order);
    answers.push(await start(order, {}, key));
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.results.map(({ started }) => started)], [200, [true, false]]);
    }
    assert.match(answers[1]?.body.results[1]?.detail ?? '', /under a new one/);
    assert.equal((await start(order, { line_ids: [linesOf(order)[1]] }, key)).status, 409);
  });

  test('a line for which a count has left too few pieces waits, and the others start', async () => {
    const [scarce, plenty] = ['TEE-CLASSIC-NVY-M', TEE_WHITE_M];
    await count(floor, scarce, 2);
    const order = await promoted([blank(2, scarce), blank(1, plenty)]);
    await count(floor, scarce, 1);
    const { body } = await start(order);
    assert.deepEqual(
      body.results.map(({ started, code }) => [started, code]),
      [
        [false, 'out_of_stock'],
        [true, null],
      ],
    );
    await count(floor, scarce, 2);
    assert.equal((await start(order)).status, 200);
  });
});
