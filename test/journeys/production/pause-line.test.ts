import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { Order } from '../../../src/orders/schema.ts';
import type { PickList, StartedOrder, StationJob } from '../../../src/production/station-schema.ts';
import type { ScannedLine } from '../../../src/shipments/schema.ts';
import { openFloor, ship, untilReady } from '../../harness/floor.ts';
import { TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, eventsOf, levelOf } from '../../harness/written.ts';
import { lastMoveOf } from './production.ts';
import { blank, closeStations, floor, linesOf, listed, openStations, promoted, service } from './stations.ts';

before(openStations);
after(closeStations);
afterEach(() => assertSound(service));

/** A promoted order of these lines, the first of which has started. */
async function begun(items: readonly object[]) {
  const order = await promoted(items);
  await untilReady(floor, order.id);
  const lines = linesOf(order);
  await floor.post(`/orders/${order.id}/lines/${lines[0]}/start`);
  const at = (index: number, what: string) => `/orders/${order.id}/lines/${lines[index]}/${what}`;
  return { order, lines, at };
}

const seenBy = async (id: string): Promise<Order> =>
  (await service.customer.request<Order>('GET', `/orders/${id}`)).body;

type Begun = Awaited<ReturnType<typeof begun>>;

/** What only a refusal must leave as it was. */
async function traceOf({ order }: Begun): Promise<unknown> {
  const { body } = await floor.request('GET', `/orders/${order.id}`);
  return { ...body, items: [], stock: await levelOf(service, TEE_WHITE_M), events: await eventsOf(service, order) };
}

/** A POST that must be refused as a conflict, and changes nothing; its detail. */
async function refused(of: Begun, path: string, body?: object): Promise<string> {
  const before = await traceOf(of);
  const answer = await floor.request('POST', path, body);
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], answer.text);
  assert.deepEqual(await traceOf(of), before, 'a refusal changes nothing');
  return answer.body.detail ?? '';
}

const PAUSE = { reason: 'The ink is late.', code: 'ink' };

describe('a paused line', () => {
  test('shows its owner why as a hold, the status stays, no event is sent, and it is resumed', async () => {
    const { order, lines, at } = await begun([blank(2), blank(3)]);
    const before = await seenBy(order.id);
    assert.deepEqual([before.hold, before.items.map(({ hold }) => hold)], [null, [null, null]]);
    service.shiftMs(1_000);
    const paused = await floor.post(at(0, 'pause'), PAUSE);
    const { email } = floor;
    const move = ['pause_line', 'in_production', 'in_production', `operator ${email}`, `${lines[0]}: ${PAUSE.reason}`];
    assert.deepEqual(lastMoveOf(paused), move);
    const seen = await seenBy(order.id);
    const opened_at = seen.hold?.opened_at;
    assert.deepEqual(seen.hold, { code: 'ink', reason: PAUSE.reason, opened_at });
    assert.ok(opened_at !== undefined && Date.parse(opened_at) > Date.parse(before.updated_at));
    assert.deepEqual(
      [seen.status, seen.items.map(({ hold, status }) => [hold, status]), seen.version],
      [
        'in_production',
        [
          [seen.hold, 'printing'],
          [null, 'queued'],
        ],
        before.version,
      ],
    );
    assert.ok(seen.updated_at > before.updated_at);
    assert.deepEqual(
      [paused.state, paused.hold, paused.lines.map(({ hold }) => hold)],
      ['in_production', seen.hold, [seen.hold, null]],
    );
    const list = await service.customer.request<Page<Order>>('GET', '/orders?limit=1');
    assert.deepEqual(list.body.data[0]?.hold, seen.hold);
    const resumed = await floor.post(at(0, 'resume'));
    assert.deepEqual([resumed.hold, resumed.lines.map(({ hold }) => hold)], [null, [null, null]]);
    assert.deepEqual(lastMoveOf(resumed).slice(0, 1), ['resume_line']);
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.in_production']);
    assert.equal((await seenBy(order.id)).hold, null);
    service.shiftMs(0);
  });

  test('of several the order shows the one that was paused first, until it is resumed', async () => {
    const { order, at } = await begun([blank(), blank()]);
    await floor.post(at(1, 'pause'), { reason: 'first' });
    service.shiftMs(2_000);
    await floor.post(at(0, 'pause'), { reason: 'second' });
    service.shiftMs(0);
    const seen = await seenBy(order.id);
    assert.deepEqual([seen.hold?.reason, seen.hold?.code], ['first', 'other']);
    assert.deepEqual(
      seen.items.map(({ hold }) => hold?.reason),
      ['second', 'first'],
    );
    await floor.post(at(1, 'resume'));
    assert.equal((await seenBy(order.id)).hold?.reason, 'second');
    await floor.post(at(0, 'resume'));
  });

  test('does not start, alone or with others; the others of its order go on', async () => {
    const of = await begun([blank(2), blank(3), blank(4)]);
    const { order, lines, at } = of;
    await floor.post(at(1, 'pause'), PAUSE);
    const resume = `Resume it first: POST /orders/${order.reference}/lines/${lines[1]}/resume.`;
    const why = `This line is paused (ink: The ink is late.), and nothing of it is started. ${resume}`;
    assert.equal(await refused(of, at(1, 'start')), why);
    const named = await refused(of, `/orders/${order.id}/start`, { line_ids: [lines[2], lines[1]] });
    assert.equal(named, `${lines[1]}: ${why} No line was started.`);
    const { results } = await floor.post<StartedOrder>(`/orders/${order.id}/start`, {});
    assert.deepEqual(
      results.map(({ started, code, detail }) => [started, code, detail]),
      [
        [false, 'conflict', 'This line has started already.'],
        [false, 'conflict', why],
        [true, null, ''],
      ],
    );
    await floor.post(at(1, 'resume'));
    await floor.post(at(1, 'start'));
  });

  test('is not finished and does not ship, and a parcel with it is refused whole; the others ship', async () => {
    const of = await begun([teeItem(service, { quantity: 4 }), blank(2)]);
    const { order, lines, at } = of;
    await floor.post(at(1, 'start'));
    await floor.post(at(0, 'finish'), { quantity: 1 });
    await floor.post(at(0, 'pause'), PAUSE);
    assert.match(
      await refused(of, at(0, 'finish'), { quantity: 1 }),
      /paused \(ink: .*, and nothing of it is finished/,
    );
    const items = lines.map((line_id) => ({ line_id, quantity: 1 }));
    const parcel = { carrier: 'DPD', tracking_number: '1', items };
    const detail = await refused(of, `/orders/${order.id}/shipments`, parcel);
    assert.equal(detail, `Resume these lines before their pieces ship: ${lines[0]} (The ink is late.).`);
    const sent = await ship(floor, order.id, [{ line_id: lines[1], quantity: 2 }]);
    assert.equal(sent.state, 'in_production', 'what is paused keeps the order');
    const path = `/orders/${order.id}/shipments/${sent.shipments[0]?.id}`;
    assert.equal((await floor.request('PATCH', path, { tracking_number: '2' })).status, 200);
    await floor.post(at(0, 'resume'));
    await floor.post(at(0, 'finish'), { quantity: 3 });
    const last = await ship(floor, order.id, [{ line_id: lines[0], quantity: 4 }]);
    assert.deepEqual([last.state, last.hold], ['dispatched', null]);
  });

  test('can have spoiled pieces, which take blanks as ever', async () => {
    const { at } = await begun([blank(3)]);
    await floor.post(at(0, 'pause'), PAUSE);
    const spoiled = await floor.post(at(0, 'spoil'), { quantity: 1, reason: 'dried out' });
    assert.deepEqual([spoiled.lines[0]?.quantity_spoiled, spoiled.hold?.code], [1, 'ink']);
    await floor.post(at(0, 'resume'));
  });

  test('is paused no longer once its last piece is cancelled, by operators or by its owner; until then it is', async () => {
    const { order, lines, at } = await begun([blank(3), blank(1)]);
    await floor.post(at(1, 'start'));
    await floor.post(at(0, 'pause'), PAUSE);
    const cancel = (quantity: number) =>
      floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', lines: [{ line_id: lines[0], quantity }] });
    assert.equal((await cancel(1)).hold?.code, 'ink');
    assert.equal((await cancel(2)).hold, null);
    assert.deepEqual(await listed('needs=resume'), []);
    assert.equal((await ship(floor, order.id, [{ line_id: lines[1], quantity: 1 }])).state, 'dispatched');
    const own = await begun([blank(2)]);
    await floor.post(own.at(0, 'pause'), PAUSE);
    assert.equal((await service.customer.request('POST', `/orders/${own.order.id}/cancel`)).status, 200);
    const seen = await seenBy(own.order.id);
    assert.deepEqual([seen.status, seen.hold, seen.items[0]?.hold], ['cancelled', null, null]);
    const last = await begun([blank(2)]);
    await ship(floor, last.order.id, [{ line_id: last.lines[0], quantity: 1 }]);
    await floor.post(last.at(0, 'pause'), PAUSE);
    const items = [{ line_id: last.lines[0], quantity: 1 }];
    const done = await floor.post(`/orders/${last.order.id}/cancel`, { reason: 'fewer', lines: items });
    assert.deepEqual([done.state, done.hold], ['dispatched', null]);
  });
});

describe('a line is paused', () => {
  test('only in production and with pieces left, once; what else would be right is said', async () => {
    const order = await promoted([blank(), blank()]);
    const lines = linesOf(order);
    const at = (index: number, what: string) => `/orders/${order.id}/lines/${lines[index]}/${what}`;
    const of = { order, lines, at };
    for (const what of ['pause', 'resume']) {
      const early = await refused(of, at(0, what), what === 'pause' ? PAUSE : undefined);
      assert.match(early, new RegExp(`hold it: POST /orders/${order.reference}/hold\\.$`));
    }
    await floor.post(`/orders/${order.id}/hold`, { reason: 'a question' });
    assert.match(await refused(of, at(0, 'pause'), PAUSE), /on hold.*resume the order: POST .*\/resume\.$/);
    await floor.post(`/orders/${order.id}/resume`);
    await floor.post(at(0, 'start'));
    const hold = await refused(of, `/orders/${order.id}/hold`, { reason: 'too late' });
    assert.match(
      hold,
      new RegExp(`Pause its lines instead: POST /orders/${order.reference}/lines/\\{line\\}/pause\\.$`),
    );
    assert.match(await refused(of, at(0, 'resume')), /This line is not paused/);
    await floor.post(at(0, 'pause'), PAUSE);
    assert.match(await refused(of, at(0, 'pause'), { reason: 'again' }), /paused already \(ink: The ink is late\.\)/);
    await floor.post(at(0, 'resume'));
    await ship(floor, order.id, [{ line_id: lines[0], quantity: 1 }]);
    assert.match(await refused(of, at(0, 'pause'), PAUSE), /^Nothing of this line is left to make/);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'wrong' });
    assert.match(await refused(of, at(1, 'pause'), PAUSE), /cannot be paused or resumed: it is cancelled/);
  });

  test('with a reason; by production and finance; an unknown line and one of another order are 404', async () => {
    const { lines, at } = await begun([blank()]);
    for (const body of [{}, { reason: ' ' }, { reason: 'x'.repeat(501) }, { reason: 'x', code: 'No Code' }]) {
      assert.equal((await floor.request('POST', at(0, 'pause'), body)).status, 422);
    }
    const other = await begun([blank()]);
    for (const line of [other.lines[0], 'line_nonsense']) {
      for (const what of ['pause', 'resume']) {
        const path = at(0, what).replace(lines[0] ?? '', line ?? '');
        assert.equal((await floor.request('POST', path, what === 'pause' ? PAUSE : undefined)).status, 404);
      }
    }
    const finance = await openFloor(service, 'finance');
    await finance.post(at(0, 'pause'), PAUSE);
    const viewer = await openFloor(service, 'viewer');
    assert.equal((await viewer.request('POST', at(0, 'resume'))).status, 403);
    await finance.post(at(0, 'resume'));
  });

  test('once under an Idempotency-Key; of two pauses and of a pause and a parcel at once one is refused or waits', async () => {
    const { order, lines, at } = await begun([blank(2)]);
    const key = { 'idempotency-key': 'pause-1' };
    for (let count = 0; count < 2; count += 1) {
      assert.equal((await floor.request('POST', at(0, 'pause'), PAUSE, key)).status, 200);
    }
    await floor.post(at(0, 'resume'));
    const answers = await Promise.all([1, 2, 3].map(() => floor.request('POST', at(0, 'pause'), PAUSE)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 409, 409],
    );
    await floor.post(at(0, 'resume'));
    const parcel = { carrier: 'DPD', tracking_number: '1', items: [{ line_id: lines[0], quantity: 2 }] };
    const [pause, parcelled] = await Promise.all([
      floor.request('POST', at(0, 'pause'), PAUSE),
      floor.request('POST', `/orders/${order.id}/shipments`, parcel),
    ]);
    assert.deepEqual([pause.status, parcelled.status], pause.status === 200 ? [200, 409] : [409, 201]);
    if (pause.status === 200) await floor.post(at(0, 'resume'));
  });
});

describe('where paused lines are seen', () => {
  test('by operators: in the list of orders that need it, among the jobs as held, and not on the pick list', async () => {
    const { order, at } = await begun([blank(1), teeItem(service, { quantity: 3 }), blank(2)]);
    await floor.post(at(1, 'pause'), PAUSE);
    assert.deepEqual(await listed('needs=resume'), [order.id]);
    assert.deepEqual(await listed('needs=resume&sort=oldest&state=in_production'), [order.id]);
    assert.deepEqual(await listed('needs=resume&state=released'), []);
    const jobs = async () => {
      const { body } = await floor.request<Page<StationJob>>('GET', '/jobs?limit=100');
      return body.data.filter((job) => job.order_id === order.id).map(({ held, paused }) => [held, paused]);
    };
    assert.deepEqual(await jobs(), [[true, true]]);
    const picked = async () => {
      const { body } = await floor.request<PickList>('GET', `/pick-list?ids=${order.id}`);
      return [body.blanks.map(({ quantity }) => quantity), body.nothing_to_take.map(({ id }) => id)];
    };
    assert.deepEqual(await picked(), [[2], []]);
    await floor.post(at(2, 'pause'), PAUSE);
    assert.deepEqual(await picked(), [[], [order.id]]);
    await floor.post(at(1, 'resume'));
    await floor.post(at(2, 'resume'));
    assert.deepEqual([await jobs(), await picked(), await listed('needs=resume')], [[[false, false]], [[5], []], []]);
  });

  test('at the station: a scan offers to resume it and nothing that would be refused', async () => {
    const { order, lines, at } = await begun([blank(2), blank(3)]);
    const scanned = async (index: number) => {
      const { body } = await floor.request<ScannedLine>('GET', `/lines/${lines[index]}`);
      return [body.hold?.reason, body.next_actions.map(({ action, request, quantity }) => [action, request, quantity])];
    };
    const requestOf = (index: number, what: string) => `POST /orders/${order.reference}/lines/${lines[index]}/${what}`;
    await floor.post(at(0, 'pause'), PAUSE);
    await floor.post(at(1, 'pause'), { reason: 'no thread' });
    assert.deepEqual(await scanned(0), [
      PAUSE.reason,
      [
        ['resume', requestOf(0, 'resume'), null],
        ['spoil', requestOf(0, 'spoil'), 2],
      ],
    ]);
    assert.deepEqual(await scanned(1), [PAUSE.reason, [['resume', requestOf(1, 'resume'), null]]]);
    const [path = ''] = requestOf(1, 'resume').split(' ').slice(1);
    await floor.post(path);
    assert.deepEqual(await scanned(1), [PAUSE.reason, [['start', requestOf(1, 'start'), 3]]]);
    await floor.post(at(0, 'resume'));
  });
});
