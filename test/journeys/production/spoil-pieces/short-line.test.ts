import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { StationJob } from '../../../../src/production/station-schema.ts';
import type { ScannedLine } from '../../../../src/shipments/schema.ts';
import { count, openFloor, placeOrder, ship, untilReady } from '../../../harness/floor.ts';
import { readPdf } from '../../../harness/pdf.ts';
import { startTestService } from '../../../harness/service.ts';
import { teeItem } from '../../../harness/shop.ts';
import { assertSound, balancePence, eventsOf, levelOf, rows } from '../../../harness/written.ts';
import { jobsOf } from '../production.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted, service } from '../stations.ts';
import { lackOf, receive, seen, shortOrder, shortTasks, spoil } from './short.ts';

before(openStations);
after(closeStations);
afterEach(() => assertSound(service));

/** An order with a started line of printed pieces, which take all there are of a variant; so many are spoiled. */
async function printedShort(sku: string, quantity: number, spoiled: number) {
  await count(floor, sku, quantity);
  const order = await promoted([teeItem(service, { variant_sku: sku, quantity })]);
  await untilReady(floor, order.id);
  await floor.post(`/orders/${order.id}/start`, {});
  const [line = ''] = linesOf(order);
  if (spoiled > 0) await spoil(order, line, spoiled);
  return { id: order.id, reference: order.reference, line };
}

type Short = {
  line_id: string;
  variant_sku: string;
  requested: number;
  ready: number;
  short: number;
  to_start: number;
};

/** A POST that must be refused because pieces are short, and writes nothing. Returns the refusal. */
async function refused(order: { id: string }, path: string, body: object) {
  const trace = async () => [
    { ...(await seen(order)), items: [] },
    await rows(
      service,
      `select (select count(*) from shipment) as parcels, (select count(*) from event) as events,
         (select count(*) from stock_movement) as movements`,
    ),
  ];
  const before = await trace();
  const answer = await floor.request<{ short: Short[] }>('POST', `/orders/${order.id}${path}`, body);
  assert.deepEqual([answer.status, answer.body.code], [409, 'pieces_short'], answer.text);
  assert.deepEqual(await trace(), before, 'a refusal changes nothing');
  return { short: answer.body.short, detail: answer.body.detail ?? '' };
}

const parcel = (line: string, quantity: number) => ({
  carrier: 'DPD',
  tracking_number: '1',
  items: [{ line_id: line, quantity }],
});

describe('a piece that a line is short of', () => {
  test('is not finished: the refusal names the line, its variant and what there is; the others are', async () => {
    const sku = 'TEE-CLASSIC-NVY-M';
    const order = await printedShort(sku, 4, 1);
    const { short, detail } = await refused(order, `/lines/${order.line}/finish`, { quantity: 4 });
    assert.deepEqual(short, [{ line_id: order.line, variant_sku: sku, requested: 4, ready: 3, short: 1, to_start: 0 }]);
    assert.match(detail, new RegExp(`${order.line} \\(4 requested, 3 there, short of 1 of ${sku}\\)`));
    const done = await floor.post(`/orders/${order.id}/lines/${order.line}/finish`, { quantity: 3 });
    assert.deepEqual([jobsOf(done), done.lines[0]?.quantity_finished], [[['front', 3, 1]], 3]);
    await refused(order, `/lines/${order.line}/finish`, { quantity: 1 });
    await receive(sku, 1);
    const waiting = await refused(order, `/lines/${order.line}/finish`, { quantity: 1 });
    assert.match(
      waiting.detail,
      /1 of TEE-CLASSIC-NVY-M to start\).*start what has come in \(POST \/orders\/PF-.*\/start\)/,
    );
    await floor.post(`/orders/${order.id}/lines/${order.line}/start`);
    const all = await floor.post(`/orders/${order.id}/lines/${order.line}/finish`, { quantity: 1 });
    assert.deepEqual(jobsOf(all), [['front', 4, 1]]);
  });

  test('is not shipped: the others ship in their parcels, and it ships once it was made again', async () => {
    const sku = 'TEE-CLASSIC-NVY-L';
    const order = await shortOrder(sku, 4, 2);
    const { short } = await refused(order, '/shipments', parcel(order.line, 3));
    assert.deepEqual(
      short.map(({ requested, ready, short: lacking }) => [requested, ready, lacking]),
      [[3, 2, 2]],
    );
    await ship(floor, order.id, [{ line_id: order.line, quantity: 1 }]);
    const left = await ship(floor, order.id, [{ line_id: order.line, quantity: 1 }]);
    assert.deepEqual([left.state, left.lines[0]?.status], ['in_production', 'part_shipped']);
    const none = await refused(order, '/shipments', parcel(order.line, 1));
    assert.deepEqual(none.short[0]?.ready, 0);
    const spoiled = await floor.request('POST', `/orders/${order.id}/lines/${order.line}/spoil`, {
      quantity: 1,
      reason: 'torn',
    });
    assert.equal(spoiled.status, 422, 'nothing is here to spoil');
    await receive(sku, 2);
    await floor.post(`/orders/${order.id}/lines/${order.line}/start`);
    const last = await ship(floor, order.id, [{ line_id: order.line, quantity: 2 }]);
    assert.equal(last.state, 'dispatched');
    assert.deepEqual((await eventsOf(service, order)).slice(-4), [
      'order.shipment_created',
      'order.shipment_created',
      'order.shipment_created',
      'order.dispatched',
    ]);
  });

  test('keeps no other line from its parcel', async () => {
    const sku = 'TEE-CLASSIC-SKY-L';
    await count(floor, sku, 1);
    const order = await promoted([blank(1, sku), blank(2)]);
    await floor.post(`/orders/${order.id}/start`, {});
    const [short = '', other = ''] = linesOf(order);
    await spoil(order, short, 1);
    await refused(order, '/shipments', {
      ...parcel(other, 2),
      items: [
        { line_id: other, quantity: 2 },
        { line_id: short, quantity: 1 },
      ],
    });
    const shipped = await ship(floor, order.id, [{ line_id: other, quantity: 2 }]);
    assert.deepEqual(
      shipped.lines.map(({ status }) => status),
      ['printing', 'shipped'],
    );
  });

  test('is cancelled with its price given back when its blank is no longer made; what has shipped completes the order', async () => {
    const sku = 'TEE-CLASSIC-NVY-XL';
    const order = await shortOrder(sku, 2, 1);
    await ship(floor, order.id, [{ line_id: order.line, quantity: 1 }]);
    const before = await balancePence(service, service.customer);
    const body = { reason: 'The blank is no longer made', items: [{ line_id: order.line, quantity: 1 }] };
    const cancelled = await floor.post(`/orders/${order.id}/cancel`, body);
    assert.deepEqual([cancelled.state, cancelled.quantity_short], ['dispatched', 0]);
    assert.ok(cancelled.refunded_gbp > 0);
    assert.equal((await balancePence(service, service.customer)) - before, Math.round(cancelled.refunded_gbp * 100));
    assert.deepEqual(await shortTasks(order), []);
    assert.deepEqual(
      cancelled.tasks.map(({ kind }) => kind),
      [],
      'there is no piece to put aside',
    );
    assert.deepEqual(await levelOf(service, sku), { on_hand: 0, allocated: 0 }, 'nothing is promised any more');
    assert.deepEqual((await eventsOf(service, order)).slice(-1), ['order.dispatched']);
    await receive(sku, 1);
    assert.deepEqual(await levelOf(service, sku), { on_hand: 1, allocated: 0 });
  });

  test('is cancelled before the pieces that were made; these leave a task, and blanks that had come in go back', async () => {
    const sku = 'TEE-CLASSIC-NVY-S';
    const order = await shortOrder(sku, 4, 2);
    await receive(sku, 1);
    assert.deepEqual(await lackOf(order), [1, 1]);
    const some = (quantity: number) =>
      floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', items: [{ line_id: order.line, quantity }] });
    const one = await some(1);
    assert.deepEqual([await lackOf(order), one.tasks.length], [[0, 1], 0]);
    assert.deepEqual(await levelOf(service, sku), { on_hand: 1, allocated: 1 });
    const two = await some(2);
    assert.deepEqual(await lackOf(order), [0, 0]);
    assert.deepEqual(await levelOf(service, sku), { on_hand: 1, allocated: 0 });
    assert.match(two.tasks[0]?.note ?? '', /cancelled after they were started: 1 of TEE-CLASSIC-NVY-S\. /);
  });

  test('goes with a cancel of the whole order by its owner, refunded once', async () => {
    const sku = 'TEE-CLASSIC-BLK-M';
    const order = await shortOrder(sku, 2, 1);
    const cancelled = await service.customer.request<{ status: string; refunded_gbp: number }>(
      'POST',
      `/orders/${order.id}/cancel`,
    );
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled']);
    const after = await seen(order);
    assert.deepEqual([after.refunded_gbp, after.quantity_short], [after.total, 0]);
    assert.deepEqual(
      after.tasks.map(({ kind }) => kind),
      ['cancelled_after_start'],
    );
    assert.deepEqual(await levelOf(service, sku), { on_hand: 0, allocated: 0 });
  });

  test('is paused and resumed with its line, and can be spoiled and supplied meanwhile', async () => {
    const sku = 'TEE-CLASSIC-BLK-L';
    const order = await shortOrder(sku, 2, 1);
    const at = `/orders/${order.id}/lines/${order.line}`;
    await floor.post(`${at}/pause`, { reason: 'No blanks.' });
    await spoil(order, order.line, 1);
    await receive(sku, 2);
    assert.deepEqual(await lackOf(order), [0, 2]);
    const early = await floor.request('POST', `${at}/start`);
    assert.deepEqual([early.status, early.body.code], [409, 'conflict']);
    assert.match(early.body.detail ?? '', /This line is paused/);
    await floor.post(`${at}/resume`);
    assert.deepEqual((await floor.post(`${at}/start`)).lines[0]?.allocation, {
      allocated: 4,
      consumed: 4,
      released: 0,
    });
  });

  test('is not replaced before it has shipped; the shipped pieces of its line are', async () => {
    const order = await shortOrder('TEE-CLASSIC-BLK-S', 2, 1);
    await ship(floor, order.id, [{ line_id: order.line, quantity: 1 }]);
    const ask = (quantity: number) =>
      floor.request('POST', `/orders/${order.id}/replacement`, {
        items: [{ line_id: order.line, quantity }],
        reason: 'lost',
      });
    assert.equal((await ask(2)).status, 422);
    const made = await ask(1);
    assert.deepEqual([made.status, made.body.quantity_short, made.body.total], [201, 0, 0]);
    assert.deepEqual(await lackOf(order), [1, 0]);
    const goodwill = await openFloor(service, 'finance');
    const headers = { 'idempotency-key': 'sorry' };
    const refund = await goodwill.request(
      'POST',
      `/orders/${order.id}/refunds`,
      { amount_gbp: 1, reason: 'late' },
      headers,
    );
    assert.ok(refund.status < 300, refund.text);
    assert.deepEqual(await lackOf(order), [1, 0]);
  });
});

describe('where pieces are listed', () => {
  test('the station, the scan and the job sheet show what is short and what is to be started', async () => {
    const sku = 'TEE-CLASSIC-BLK-XL';
    const order = await printedShort(sku, 3, 2);
    const jobOf = async (): Promise<StationJob | undefined> => {
      const { body } = await floor.request<Page<StationJob>>('GET', '/jobs?limit=100');
      return body.data.find(({ order_id: id }) => id === order.id);
    };
    const actions = async () => {
      const { body } = await floor.request<ScannedLine>('GET', `/lines/${order.line}`);
      return body.next_actions.map(({ action, quantity }) => [action, quantity]);
    };
    const sheet = async (): Promise<string> => {
      const { token } = await service.openOperator('viewer');
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${service.url}/ops/v1/orders/${order.id}/job-sheet`, { headers });
      const pages = readPdf(Buffer.from(await answer.arrayBuffer()));
      return pages.flatMap(({ texts }) => texts).join('\n');
    };
    const numbers = ({ quantity_left, quantity_short, quantity_to_start }: StationJob) => [
      quantity_left,
      quantity_short,
      quantity_to_start,
    ];
    assert.deepEqual(numbers((await jobOf()) ?? assert.fail()), [3, 2, 0]);
    assert.deepEqual(await actions(), [
      ['finish', 1],
      ['spoil', 1],
      ['ship', 1],
    ]);
    assert.match(await sheet(), /Make 3[\s\S]*Short of 2 blanks/);
    await receive(sku, 1);
    assert.deepEqual(numbers((await jobOf()) ?? assert.fail()), [3, 1, 1]);
    assert.deepEqual((await actions())[0], ['start', 1]);
    assert.match(await sheet(), /Short of 1 blank[\s\S]*1 blank came in: start again/);
    await floor.post(`/orders/${order.id}/start`, {});
    assert.doesNotMatch(await sheet(), /start again/);
  });
});

test('where only finished pieces ship, a blank line ships what is not short', async () => {
  const strict = await startTestService({ env: { SHIP_REQUIRES: 'finished' } });
  try {
    const shop = await openFloor(strict);
    const sku = 'TEE-CLASSIC-WHT-S';
    await count(shop, sku, 3);
    const items = [teeItem(strict, { variant_sku: sku, quantity: 3, print_jobs: [] })];
    const order = await placeOrder(strict, { items });
    await shop.post(`/orders/${order.id}/promote`);
    await shop.post(`/orders/${order.id}/start`, {});
    const [line = ''] = linesOf(order);
    const spoiled: OpsOrder = await shop.post(`/orders/${order.id}/lines/${line}/spoil`, {
      quantity: 1,
      reason: 'torn',
    });
    assert.equal(spoiled.lines[0]?.quantity_finished, 2);
    const all = await shop.request('POST', `/orders/${order.id}/shipments`, parcel(line, 3));
    assert.deepEqual([all.status, all.body.code], [409, 'pieces_short']);
    await ship(shop, order.id, [{ line_id: line, quantity: 2 }]);
    await assertSound(strict);
  } finally {
    await strict.stop();
  }
});
