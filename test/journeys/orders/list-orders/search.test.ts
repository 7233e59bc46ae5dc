import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { placeOrder } from '../../../harness/floor.ts';
import { HOME } from '../../../harness/shop.ts';
import {
  blank,
  closeStations,
  floor,
  linesOf,
  listed,
  openStations,
  promoted,
  service,
} from '../../production/stations.ts';

before(openStations);
after(closeStations);

describe('an order by what the caller knows', () => {
  test('by the tracking number of one of its parcels, in any case and spacing', async () => {
    const order = await promoted([blank(2)]);
    await floor.post(`/orders/${order.id}/start`, {});
    const parcel = {
      carrier: 'Royal Mail',
      tracking_number: 'AB 1234 GB',
      items: [{ line_id: linesOf(order)[0], quantity: 1 }],
    };
    for (let round = 0; round < 2; round += 1) await floor.post(`/orders/${order.id}/shipments`, parcel, 201);
    for (const text of ['AB 1234 GB', 'ab1234gb', ' AB12 34GB']) {
      assert.deepEqual(await listed(`tracking_number=${encodeURIComponent(text)}`), [order.id], text);
    }
    for (const text of ['AB1234', 'AB 1234 GB 5', '%']) {
      assert.deepEqual(await listed(`tracking_number=${encodeURIComponent(text)}`), [], text);
    }
    assert.deepEqual(await listed('tracking_number=ab1234gb&state=placed'), []);
  });

  test('by its postcode, also after the address was changed', async () => {
    const address = { ...HOME, postcode: 'ls9 8ab' };
    const one = await placeOrder(service, { shipping_address: address });
    const two = await placeOrder(service, { shipping_address: { ...address, postcode: 'LS98AB' } });
    assert.deepEqual(await listed('postcode=LS9%208AB'), [two.id, one.id]);
    assert.deepEqual(await listed('postcode=LS9%208AB&sort=oldest'), [one.id, two.id]);
    const changed = await floor.request('PATCH', `/orders/${one.id}/address`, { postcode: 'LS9 7XY' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([await listed('postcode=ls98ab'), await listed('postcode=ls97xy')], [[two.id], [one.id]]);
  });

  test('one thing at a time: two of them are 422, and so is a blank one', async () => {
    for (const query of [
      'needs=stock&postcode=LS1',
      'reference=PF-22222222&tracking_number=1',
      'postcode=%20',
      'needs=luck',
      'sort=best',
    ]) {
      assert.equal((await floor.request('GET', `/orders?${query}`)).status, 422, query);
    }
  });
});
