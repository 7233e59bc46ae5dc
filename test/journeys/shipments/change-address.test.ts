import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { parcelOf } from '../../harness/floor.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, balancePence } from '../../harness/written.ts';
import { closeParcels, openParcels, refused, service, shipped, shop, told } from './parcels.ts';

before(openParcels);
after(closeParcels);
afterEach(() => assertSound(service));

describe('the address', () => {
  const change = (order: { id: string }, body: object) =>
    shop.operator.request<OpsOrder>('PATCH', `/orders/${order.id}/address`, body);

  test('changes before the dispatch inside its zone; the money stays, and the history says what changed without the old one', async () => {
    const order = await shop.placeStarted([2]);
    const before = await shop.see(order);
    const balance = await balancePence(service, shop);
    const answer = await change(order, { line1: '1 High Street', city: 'York', postcode: 'YO1 7HH' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.shipping_address, {
      ...before.shipping_address,
      line1: '1 High Street',
      city: 'York',
      postcode: 'YO1 7HH',
    });
    assert.deepEqual(answer.body.billing_address, before.billing_address);
    assert.equal(answer.body.total, before.total);
    assert.equal(await balancePence(service, shop), balance);
    const move = answer.body.history.at(-1);
    assert.deepEqual([move?.action, move?.reason], ['change_address', 'changed: line1, city, postcode']);
    const log = await shop.operator.request<{ data: { action: string; detail: object }[] }>(
      'GET',
      `/audit?order=${order.id}`,
    );
    const act = log.body.data.find(({ action }) => action === 'change_address');
    assert.deepEqual(act?.detail, { changed: ['line1', 'city', 'postcode'] }, 'the audit log has no address');
    assert.equal((await told(order)).length, 2);
    const whole = await change(order, { shipping_address: { ...before.shipping_address, phone: '+44 113 496 0000' } });
    assert.deepEqual(whole.body.shipping_address, { ...before.shipping_address, phone: '+44 113 496 0000' });
    const history = whole.body.history.length;
    const same = await change(order, { phone: '+44 113 496 0000' });
    assert.equal(same.body.history.length, history, 'what changes nothing leaves no trace');
    const moved = await change(order, { line1: '12 Mill Lane, Yard B' });
    const split = await change(order, { line1: '12 Mill Lane', line2: 'Yard B' });
    assert.notDeepEqual(moved.body.shipping_address, split.body.shipping_address);
    await shipped(order, parcelOf(order, [1]));
    assert.equal((await change(order, { line2: 'Flat 2' })).status, 200, 'what has not shipped goes elsewhere');
  });

  test('warnings of the old address make way for those of the new one, and the others stay', async () => {
    const order = await shop.place([1], { gift_wrap: true });
    const codes = (answer: { body: OpsOrder }) =>
      answer.body.warnings.map(({ code }) => code).filter((code) => code !== 'cancellation_window_open');
    const kept = codes(await change(order, { line2: 'Flat 2' }));
    assert.ok(kept.includes('unknown_field'));
    assert.deepEqual(codes(await change(order, { postcode: 'YO17' })), [...kept, 'postcode_unrecognised']);
    assert.deepEqual(codes(await change(order, { line1: '1 High Street' })), [...kept, 'postcode_unrecognised']);
    assert.deepEqual(codes(await change(order, { postcode: 'YO1 7HH' })), kept);
    assert.deepEqual(codes({ body: await shop.see(order) }), kept);
  });

  test('409 into another territory or another shipping zone, also where only the postcode says so', async () => {
    const order = await shop.place([1]);
    const moves = [
      { country_code: 'FR', postcode: '75001' },
      { postcode: 'BT1 1AA' },
      { postcode: 'JE2 3AB' },
      { postcode: 'ZE1 0AA' },
      { country_code: 'AQ' },
    ];
    for (const body of moves) {
      const answer = await refused(() => change(order, body));
      assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], JSON.stringify(body));
    }
    assert.equal((await shop.see(order)).shipping_address.postcode, 'LS1 4DY');
  });

  test('a text that is no postcode counts as none: it leads to no other territory, and only a postcode leads back', async () => {
    const order = await shop.place([1]);
    for (const postcode of ['JE SW1A 2AA', 'BT1', 'ZE1']) {
      const answer = await change(order, { postcode });
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.body.warnings.some(({ code }) => code === 'postcode_unrecognised'));
    }
    for (const postcode of ['JE2 3AB', 'BT1 1AA', 'ZE1 0AA']) {
      const answer = await refused(() => change(order, { postcode }));
      assert.equal(answer.status, 409, 'the order was not charged for that');
    }
    assert.equal((await change(order, { postcode: 'SW1A 2AA' })).status, 200);
  });

  test('409 once the order is dispatched or cancelled', async () => {
    const dispatched = await shop.placeStarted([1]);
    await shipped(dispatched, parcelOf(dispatched, [1]));
    const cancelled = await shop.place([1]);
    assert.equal((await shop.request('POST', `/orders/${cancelled.id}/cancel`)).status, 200);
    for (const order of [dispatched, cancelled]) {
      const answer = await refused(() => change(order, { line1: '1 High Street' }));
      assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    }
  });

  test('E78 422 for an address that could not be placed, and for one that names nothing', async () => {
    const order = await shop.place([1]);
    const bodies: readonly [object, string][] = [
      [{}, ''],
      [{ zip: 'YO1' }, 'zip'],
      [{ line1: ' ' }, 'line1'],
      [{ line1: 'x'.repeat(201) }, 'line1'],
      [{ country_code: 'UK' }, 'country_code'],
      [{ shipping_address: { country_code: 'XX' } }, 'shipping_address.country_code'],
      [{ country_code: 'gb' }, 'country_code'],
      [{ postcode: null }, 'postcode'],
      [{ shipping_address: { city: '' } }, 'shipping_address.city'],
    ];
    for (const [body, path] of bodies) {
      const answer = await refused(() => change(order, body));
      assert.equal(answer.status, 422, JSON.stringify(body));
      const problems = problemsOf(answer);
      assert.ok(
        problems.some((problem) => problem.startsWith(`${path} `)),
        `${JSON.stringify(body)}: ${problems.join()}`,
      );
    }
  });
});
