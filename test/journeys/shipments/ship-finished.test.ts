import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { ScannedLine, ShippedOrder } from '../../../src/shipments/schema.ts';
import { count, type Floor, openFloor, placeOrder, ship, untilReady } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

const FRONT_AND_BACK = [
  { area: 'front', method: 'dtg' },
  { area: 'back', method: 'dtg' },
];

const lineOf = (order: OpsOrder, index = 0): string => order.lines[index]?.id ?? '';

/** Places an order, promotes it and starts all of its lines. */
async function started(service: TestService, floor: Floor, items: readonly object[]): Promise<OpsOrder> {
  const order = await placeOrder(service, { items });
  await floor.post(`/orders/${order.id}/promote`);
  await untilReady(floor, order.id);
  return floor.post(`/orders/${order.id}/start`, {});
}

/** What can be done with a line of an order at its station. */
async function workOf(floor: Floor, { id }: OpsOrder, line: string) {
  const at = `/orders/${id}/lines/${line}`;
  return {
    finish: (quantity: number, of: object = {}) => floor.post(`${at}/finish`, { quantity, ...of }),
    spoil: (quantity: number, of: object = {}) => floor.post(`${at}/spoil`, { quantity, reason: 'smudged', ...of }),
    ship: (quantity: number) => ship(floor, id, [{ line_id: line, quantity }]),
    /** How many pieces can be shipped, as a scan of the line has it. */
    offered: async () => {
      const { body } = await floor.request<ScannedLine>('GET', `/lines/${line}`);
      return body.next_actions.find(({ action }) => action === 'ship')?.quantity ?? 0;
    },
  };
}

describe('where a piece must be finished before it ships', () => {
  let service: TestService;
  let floor: Floor;
  before(async () => {
    service = await startTestService({ env: { SHIP_REQUIRES: 'finished' } });
    floor = await openFloor(service);
    await count(floor, TEE_WHITE_M, 1_000);
  });
  after(() => service.stop());
  afterEach(() => assertSound(service));

  const parcel = (items: readonly object[]) => ({ carrier: 'DPD', tracking_number: '1', items });

  /** A parcel that must be refused, and writes nothing. Returns the numbers that the refusal gives. */
  async function refusedParcel({ id }: OpsOrder, items: readonly object[]): Promise<unknown> {
    const trace = async () => [
      (await floor.request('GET', `/orders/${id}`)).body,
      await rows(service, 'select (select count(*) from shipment) as parcels, (select count(*) from event) as events'),
    ];
    const [before, countsBefore] = await trace();
    const answer = await floor.request<{ unfinished: { finished: number; shipped: number; requested: number }[] }>(
      'POST',
      `/orders/${id}/shipments`,
      parcel(items),
    );
    assert.deepEqual([answer.status, answer.body.code], [409, 'pieces_not_finished'], answer.text);
    const [left, counts] = await trace();
    assert.deepEqual(
      [{ ...(left as OpsOrder), items: [] }, counts],
      [{ ...(before as OpsOrder), items: [] }, countsBefore],
    );
    return answer.body.unfinished.map(({ finished, shipped, requested }) => [finished, shipped, requested]);
  }

  test('a parcel with a piece that nobody finished is refused, and says of each line what is finished, shipped and asked for', async () => {
    const order = await started(service, floor, [
      teeItem(service, { quantity: 5 }),
      teeItem(service, { quantity: 3 }),
      teeItem(service, { quantity: 2, print_jobs: [] }),
    ]);
    const [one, two, blank] = order.lines.map(({ id }) => id);
    const work = await workOf(floor, order, one ?? '');
    assert.equal(await work.offered(), 0, 'a scan offers no parcel');
    const items = [
      { line_id: one, quantity: 3 },
      { line_id: two, quantity: 1 },
      { line_id: blank, quantity: 2 },
    ];
    assert.deepEqual(await refusedParcel(order, items), [
      [0, 0, 3],
      [0, 0, 1],
    ]);
    const { lines } = await work.finish(2);
    assert.deepEqual(
      lines.map(({ quantity_finished: finished }) => finished),
      [2, 0, 2],
    );
    assert.equal(await work.offered(), 2);
    assert.deepEqual(await refusedParcel(order, items.slice(0, 1)), [[2, 0, 3]]);
    const sent = await floor.post<ShippedOrder>(
      `/orders/${order.id}/shipments`,
      parcel([
        { line_id: blank, quantity: 2 },
        { line_id: one, quantity: 2 },
      ]),
      201,
    );
    assert.deepEqual(
      sent.warnings.filter(({ code }) => code === 'unfinished_pieces'),
      [],
    );
  });

  test('two parcels together hold no more than was finished, and tracking is corrected whatever is finished', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 5 })]);
    const line = lineOf(order);
    const work = await workOf(floor, order, line);
    await work.finish(3);
    const first = await work.ship(2);
    assert.equal(await work.offered(), 1);
    assert.deepEqual(await refusedParcel(order, [{ line_id: line, quantity: 2 }]), [[3, 2, 2]]);
    const path = `/orders/${order.id}/shipments/${first.shipments[0]?.id}`;
    assert.equal((await floor.request('PATCH', path, { tracking_number: 'RM-2' })).status, 200);
    await work.finish(2);
    assert.equal((await work.ship(3)).state, 'dispatched');
  });

  test('a piece is finished when it is done at every print job', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 4, print_jobs: FRONT_AND_BACK })]);
    const work = await workOf(floor, order, lineOf(order));
    await work.finish(4, { area: 'front' });
    assert.deepEqual(await refusedParcel(order, [{ line_id: lineOf(order), quantity: 1 }]), [[0, 0, 1]]);
    await work.finish(3, { area: 'back' });
    assert.equal(await work.offered(), 3);
    await work.ship(3);
    assert.deepEqual(await refusedParcel(order, [{ line_id: lineOf(order), quantity: 1 }]), [[3, 3, 1]]);
  });

  test('a spoiled piece must be finished again: all done, part done, some shipped, at several areas', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 10, print_jobs: FRONT_AND_BACK })]);
    const line = lineOf(order);
    const work = await workOf(floor, order, line);
    await work.finish(10);
    await work.spoil(2);
    assert.equal(await work.offered(), 8);
    await work.ship(5);
    await work.spoil(1, { finished: 1 });
    assert.equal(await work.offered(), 2, 'of the five here three are to be made again');
    assert.deepEqual(await refusedParcel(order, [{ line_id: line, quantity: 3 }]), [[7, 5, 3]]);
    await work.finish(3, { area: 'back' });
    assert.equal(await work.offered(), 2);
    await work.finish(3, { area: 'front' });
    assert.equal((await work.ship(5)).state, 'dispatched');
  });

  test('a finished piece that was spoiled while others were not finished is to be finished again, if it is said so', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 6, print_jobs: FRONT_AND_BACK })]);
    const line = lineOf(order);
    const work = await workOf(floor, order, line);
    await work.finish(4);
    await work.finish(1, { area: 'front' });
    await work.spoil(1);
    assert.equal(await work.offered(), 4, 'without a word it was one that nobody had finished');
    await work.ship(1);
    const spoiled = await work.spoil(2, { finished: 1 });
    assert.deepEqual([spoiled.lines[0]?.quantity_finished, spoiled.lines[0]?.quantity_spoiled], [3, 3]);
    assert.deepEqual(
      spoiled.lines[0]?.print_jobs.map(({ quantity_done: done }) => done),
      [4, 3],
    );
    assert.deepEqual(await refusedParcel(order, [{ line_id: line, quantity: 3 }]), [[3, 1, 3]]);
    for (const [quantity, finished] of [
      [1, 2],
      [4, 3],
      [1, -1],
      [1, 0.5],
    ]) {
      const body = { quantity, finished, reason: 'smudged' };
      const answer = await floor.request('POST', `/orders/${order.id}/lines/${line}/spoil`, body);
      assert.equal(answer.status, 422, answer.text);
      assert.ok(problemsOf(answer as never)[0]?.startsWith('finished '), answer.text);
    }
  });

  test('cancelled pieces need no finishing, and finished ones beyond those that are left do not count', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 10 })]);
    const line = lineOf(order);
    const work = await workOf(floor, order, line);
    const cancel = (quantity: number) =>
      floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', lines: [{ line_id: line, quantity }] });
    await work.finish(6);
    await cancel(3);
    assert.equal(await work.offered(), 6, 'the unfinished pieces were cancelled');
    await cancel(2);
    assert.equal(await work.offered(), 5);
    await work.spoil(1);
    assert.equal(await work.offered(), 4);
    await work.ship(4);
    assert.deepEqual(await refusedParcel(order, [{ line_id: line, quantity: 1 }]), [[4, 4, 1]]);
    assert.equal((await cancel(1)).state, 'dispatched');
  });

  test('a replacement is made again: its pieces are finished before they ship', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 2 })]);
    const work = await workOf(floor, order, lineOf(order));
    await work.finish(2);
    await work.ship(2);
    const items = [{ line_id: lineOf(order), quantity: 2 }];
    const made = await floor.post(`/orders/${order.id}/replacement`, { items, reason: 'torn' }, 201);
    await floor.post(`/orders/${made.id}/promote`);
    await floor.post(`/orders/${made.id}/start`, {});
    assert.deepEqual(await refusedParcel(made, [{ line_id: lineOf(made), quantity: 1 }]), [[0, 0, 1]]);
    const again = await workOf(floor, made, lineOf(made));
    await again.finish(2);
    assert.equal((await again.ship(2)).state, 'dispatched');
  });

  test('what is wrong otherwise is said first: an unknown line, more than is left, a line that has not started', async () => {
    const order = await placeOrder(service, { items: [teeItem(service, { quantity: 2 })] });
    await floor.post(`/orders/${order.id}/promote`);
    const line = order.items.lineItems[0]?.id;
    const codeOf = async (items: readonly object[]) =>
      (await floor.request('POST', `/orders/${order.id}/shipments`, parcel(items))).body.code;
    assert.equal(await codeOf([{ line_id: 'line_unknown', quantity: 1 }]), 'validation_failed');
    assert.equal(await codeOf([{ line_id: line, quantity: 3 }]), 'validation_failed');
    assert.equal(await codeOf([{ line_id: line, quantity: 1 }]), 'conflict');
  });
});

describe('where a piece ships once its line has started', () => {
  let service: TestService;
  let floor: Floor;
  before(async () => {
    service = await startTestService();
    floor = await openFloor(service);
    await count(floor, TEE_WHITE_M, 1_000);
  });
  after(() => service.stop());
  afterEach(() => assertSound(service));

  const warningsOf = ({ warnings }: { warnings: OpsOrder['warnings'] }) =>
    warnings.filter(({ code }) => code === 'unfinished_pieces').map(({ path, message }) => [path, message]);

  test('a parcel with pieces that nobody finished goes, and the answer warns of each of its lines', async () => {
    const order = await started(service, floor, [
      teeItem(service, { quantity: 2, print_jobs: [] }),
      teeItem(service, { quantity: 4 }),
      teeItem(service, { quantity: 3 }),
    ]);
    const [blank, one, two] = order.lines.map(({ id }) => id);
    const work = await workOf(floor, order, one ?? '');
    await work.finish(1);
    assert.equal(await work.offered(), 4, 'a scan offers all that is left');
    const key = { 'idempotency-key': 'parcel-1' };
    const items = [
      { line_id: blank, quantity: 2 },
      { line_id: one, quantity: 3 },
      { line_id: two, quantity: 1 },
    ];
    const body = { carrier: 'DPD', tracking_number: '1', items };
    const send = () => floor.request<ShippedOrder>('POST', `/orders/${order.id}/shipments`, body, key);
    const first = await send();
    assert.equal(first.status, 201, first.text);
    const warned = [
      ['items[1].quantity', 'Shipped pieces of this line: 3; finished pieces: 1.'],
      ['items[2].quantity', 'Shipped pieces of this line: 1; finished pieces: 0.'],
    ];
    assert.deepEqual(warningsOf(first.body), warned);
    assert.deepEqual(warningsOf((await send()).body), warned, 'the repeat is answered alike');
    assert.deepEqual(warningsOf((await floor.request('GET', `/orders/${order.id}`)).body), []);
    assert.deepEqual(warningsOf(await work.ship(1)), [
      ['items[0].quantity', 'Shipped pieces of this line: 4; finished pieces: 1.'],
    ]);
  });

  test('pieces are spoiled after others have shipped unfinished', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 5 })]);
    const work = await workOf(floor, order, lineOf(order));
    await work.finish(1);
    await work.ship(3);
    const spoiled = await work.spoil(2);
    assert.deepEqual([spoiled.lines[0]?.quantity_finished, spoiled.lines[0]?.quantity_spoiled], [1, 2]);
    const body = { quantity: 1, finished: 1, reason: 'none of those here is finished' };
    const answer = await floor.request('POST', `/orders/${order.id}/lines/${lineOf(order)}/spoil`, body);
    assert.deepEqual([answer.status, problemsOf(answer as never)], [422, ['finished out_of_bounds']]);
  });

  test('a parcel of finished pieces is answered without a warning', async () => {
    const order = await started(service, floor, [teeItem(service, { quantity: 2 })]);
    const work = await workOf(floor, order, lineOf(order));
    await work.finish(2);
    assert.deepEqual(warningsOf(await work.ship(2)), []);
  });
});
