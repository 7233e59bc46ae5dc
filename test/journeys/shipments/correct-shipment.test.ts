import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { parcelOf } from '../../harness/floor.ts';
import { assertSound } from '../../harness/written.ts';
import { closeParcels, openParcels, refused, service, shipped, shop, told } from './parcels.ts';

before(openParcels);
after(closeParcels);
afterEach(() => assertSound(service));

describe('corrected tracking', () => {
  test('K177 changes what was sent and nothing else, emits nothing, and the history has what stood there before', async () => {
    const order = await shop.placeStarted([2]);
    const shipmentId = await shipped(
      order,
      parcelOf(order, [1], { tracking_number: 'OLD', tracking_url: 'https://t.example/1' }),
    );
    const path = `/orders/${order.id}/shipments/${shipmentId}`;
    const count = (await told(order)).length;
    const answer = await shop.operator.request<OpsOrder>('PATCH', path, { tracking_number: 'NEW', tracking_url: null });
    assert.equal(answer.status, 200, answer.text);
    const [shipment] = answer.body.shipments;
    assert.deepEqual(
      [shipment?.carrier, shipment?.tracking_number, shipment?.tracking_url],
      ['Royal Mail', 'NEW', null],
    );
    assert.equal((await told(order)).length, count);
    const move = answer.body.history.at(-1);
    assert.equal(move?.action, 'correct_shipment');
    assert.equal(move?.reason, `${shipmentId}: tracking_number OLD → NEW; tracking_url https://t.example/1 → none`);
    await shipped(order, parcelOf(order, [1], { tracking_number: 'LAST' }));
    assert.deepEqual((await told(order)).at(-1)?.data.tracking_numbers, ['NEW', 'LAST']);
  });

  test('6.1 a parcel that is sent again after the dispatch is corrected without an event', async () => {
    const order = await shop.placeStarted([1]);
    const shipmentId = await shipped(order, parcelOf(order, [1]));
    const before = await told(order);
    const path = `/orders/${order.id}/shipments/${shipmentId}`;
    const again = { carrier: 'DPD', tracking_number: 'DPD-2' };
    const answer = await shop.operator.request<OpsOrder>('PATCH', path, again);
    assert.deepEqual([answer.status, answer.body.state], [200, 'dispatched']);
    assert.deepEqual(await told(order), before);
    const owners = await shop.request<Order>('GET', `/orders/${order.id}`);
    assert.deepEqual(
      owners.body.shipments.map(({ carrier, tracking_number }) => ({ carrier, tracking_number })),
      [again],
    );
  });

  test('what changes nothing leaves no trace in the history; wrong values are 422, unknown ids 404', async () => {
    const order = await shop.placeStarted([1]);
    const other = await shop.placeStarted([1]);
    const shipmentId = await shipped(order, parcelOf(order, [1]));
    const path = `/orders/${order.id}/shipments/${shipmentId}`;
    const history = (await shop.see(order)).history.length;
    for (const body of [{}, { tracking_number: 'RM1' }]) {
      assert.equal((await shop.operator.request('PATCH', path, body)).status, 200);
    }
    assert.equal((await shop.see(order)).history.length, history);
    for (const body of [
      { carrier: '' },
      { carrier: null },
      { tracking_no: 'RM2' },
      { tracking_number: ' ' },
      { tracking_url: 'file:///etc' },
    ]) {
      assert.equal((await refused(() => shop.operator.request('PATCH', path, body))).status, 422, JSON.stringify(body));
    }
    const missing = [
      `/orders/${other.id}/shipments/${shipmentId}`,
      `/orders/${order.id}/shipments/shp_01h455vb4pex5vsknk084sn02q`,
      `/orders/${order.id}/shipments/RM1`,
      `/orders/ord_01h455vb4pex5vsknk084sn02q/shipments/${shipmentId}`,
    ];
    for (const at of missing) {
      assert.equal((await refused(() => shop.operator.request('PATCH', at, { carrier: 'DPD' }))).status, 404, at);
    }
  });
});
