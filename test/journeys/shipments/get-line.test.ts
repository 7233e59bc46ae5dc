import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { ScannedLine } from '../../../src/shipments/schema.ts';
import { linesOf, openFloor, placeOrder, TOTE, untilReady } from '../../harness/floor.ts';
import { readBarcodes } from '../../harness/pdf.ts';
import { teeItem } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { closePapers, openPapers, paperOf, service, shop, viewer } from './papers.ts';

before(openPapers);
after(closePapers);

describe('scanned barcodes', () => {
  /** What was scanned, as a hand scanner would, off a paper of an order. */
  const scan = async (order: { id: string }, paper: string): Promise<readonly string[]> =>
    (await paperOf(order, paper)).pages.flatMap(readBarcodes).map(({ text }) => text);
  const follow = (line: string) => viewer.request<ScannedLine>('GET', `/lines/${line}`);
  const actionsOf = async (line: string) =>
    (await follow(line)).body.next_actions.map(({ action, quantity }) => [action, quantity]);

  test('a line of the job sheet leads to its order and to what is next: it is promoted, started and shipped by what was scanned', async () => {
    const order = await shop.place([3, 2]);
    const [reference, , second = ''] = await scan(order, 'job-sheet');
    assert.equal(reference, order.reference);
    const found = await follow(second);
    assert.equal(found.status, 200, found.text);
    const { next_actions: actions, line, ...rest } = found.body;
    assert.deepEqual(rest, { order_id: order.id, reference: order.reference, state: 'placed', hold: null });
    assert.deepEqual([line.id, line.quantity, line.variant_sku], [second, 2, TOTE]);
    const promote = `POST /orders/${order.reference}/promote`;
    assert.deepEqual(actions, [{ action: 'promote', request: promote, quantity: null, area: null, method: null }]);
    const run = async (name: string, body?: object) => {
      const next = (await follow(second)).body.next_actions.find(({ action }) => action === name);
      const [method = '', path = ''] = next?.request.split(' ') ?? [];
      assert.equal(method, 'POST');
      const answer = await shop.operator.request<OpsOrder>('POST', path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    await run('promote');
    assert.deepEqual(await actionsOf(second), [['start', 2]]);
    const started = await run('start');
    assert.deepEqual(
      started.lines.map(({ started_at }) => started_at !== null),
      [false, true],
    );
    assert.deepEqual(await actionsOf(second), [
      ['spoil', 2],
      ['ship', 2],
    ]);
    const [, ...onSlip] = await scan(order, 'packing-slip');
    assert.equal(onSlip[1], second, 'the same line has the same barcode on the packing slip');
    await run('ship', { carrier: 'DPD', tracking_number: '1', items: [{ line_id: onSlip[1], quantity: 2 }] });
    assert.deepEqual(await actionsOf(second), []);
    assert.deepEqual(await actionsOf(linesOf(order)[0] ?? ''), [['start', 3]]);
  });

  test('a printed line is finished job by job; one on hold is to be resumed, and one whose artwork is not ready waits', async () => {
    const order = await placeOrder(service, { items: [teeItem(service, { quantity: 3 })] });
    const floor = await openFloor(service);
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/promote`);
    const [line = ''] = linesOf(order);
    const at = `/orders/${order.id}/lines/${line}`;
    await floor.post(`/orders/${order.id}/hold`, { reason: 'wrong blanks' });
    const held = await follow(line);
    assert.equal(held.body.hold?.reason, 'wrong blanks');
    assert.deepEqual(await actionsOf(line), [['resume', null]]);
    await floor.post(`/orders/${order.id}/resume`);
    const file =
      'where key = (select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1)';
    const of = [order.reference];
    const [made] = await rows<{ output_hash: Buffer }>(service, `select output_hash from print_file ${file}`, of);
    await rows(service, `update print_file set state = 'pending', output_hash = null ${file}`, of);
    assert.deepEqual(await actionsOf(line), []);
    await rows(service, `update print_file set state = 'failed' ${file}`, of);
    assert.deepEqual(await actionsOf(line), [['retry_print_files', null]]);
    const again = [...of, made?.output_hash ?? null];
    await rows(service, `update print_file set state = 'ready', output_hash = $2 ${file}`, again);
    await floor.post(`${at}/start`);
    await floor.post(`${at}/finish`, { quantity: 1 });
    const [finish] = (await follow(line)).body.next_actions;
    assert.deepEqual(finish, {
      action: 'finish',
      request: `POST /orders/${order.reference}/lines/${line}/finish`,
      quantity: 2,
      area: 'front',
      method: 'dtg',
    });
    await floor.post(`${at}/finish`, { quantity: 2, area: 'front', method: 'dtg' });
    assert.deepEqual(await actionsOf(line), [
      ['spoil', 3],
      ['ship', 3],
    ]);
  });

  test('an order is read and found by a scanned line too; nothing is done to it by that, and an unknown line is 404', async () => {
    const order = await shop.place([1]);
    const [line = ''] = linesOf(order);
    const read = await viewer.request<OpsOrder>('GET', `/orders/${line}`);
    assert.deepEqual([read.status, read.body.id], [200, order.id]);
    const list = await viewer.request<{ data: OpsOrder[] }>('GET', `/orders?reference=${line}`);
    assert.deepEqual(
      list.body.data.map(({ id }) => id),
      [order.id],
    );
    const cancel = await shop.operator.request('POST', `/orders/${line}/cancel`, { reason: 'scanned by mistake' });
    assert.deepEqual([cancel.status, cancel.body.code], [404, 'not_found']);
    assert.equal((await shop.see(order)).state, 'placed');
    const owners = await shop.request('GET', `/orders/${line}`);
    assert.equal(owners.status, 404, 'the API of customers has no such name');
    for (const unknown of ['line_01h455vb4pex5vsknk084sn02q', 'line_nonsense', order.id, order.reference]) {
      const answer = await viewer.request('GET', `/lines/${unknown}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], unknown);
    }
    const none = await viewer.request<{ data: OpsOrder[] }>('GET', '/orders?reference=line_01h455vb4pex5vsknk084sn02q');
    assert.deepEqual(none.body.data, []);
    assert.equal((await viewer.request('GET', '/orders/line_01h455vb4pex5vsknk084sn02q')).status, 404);
  });
});
