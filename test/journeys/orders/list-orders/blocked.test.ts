import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from '../../../../src/lib/paging.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { placeOrder, untilReady } from '../../../harness/floor.ts';
import { leaveFailed } from '../../../harness/print-workers.ts';
import { addProduct, servePicture, TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted, service } from '../../production/stations.ts';

// What keeps an order from going on stands on the order, and the list finds it by it.

before(openStations);
after(closeStations);

const see = async ({ id }: { id: string }): Promise<Order> =>
  (await service.customer.request<Order>('GET', `/orders/${id}`)).body;

async function list(query: string, customer = service.customer): Promise<readonly Order[]> {
  const answer = await customer.request<Page<Order>>('GET', `/orders?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const idsOf = async (query: string): Promise<string[]> => (await list(query)).map(({ id }) => id);

/** An order of two lines with one picture, whose print file could not be made. */
async function placeFailed(): Promise<CreatedOrder> {
  const artwork_url = await servePicture(service, '/damaged.png', { widthPx: 900, heightPx: 1_200, colour: '#204060' });
  const decoration = { areas: [{ print_area: 'front', method: 'dtg', artwork_url }] };
  const items = ['Club tee', 'Team tee'].map((name) => ({ ...teeItem(service, { decoration }), name }));
  const order = await placeOrder(service, { items });
  await untilReady(floor, order.id);
  await leaveFailed(service, order);
  return order;
}

describe('an order is blocked', () => {
  test('by artwork that could not be made, until other artwork is sent or nothing of it is wanted', async () => {
    const order = await placeFailed();
    const lines = linesOf(order);
    const reason =
      'The print file for front on 2 lines could not be made. The picture is damaged: it ends in the middle.';
    const block = { kind: 'artwork', reason, line_ids: lines, cure: 'replace_artwork' };
    assert.deepEqual((await see(order)).blocked_by, [block]);
    for (const query of ['blocked_by=anything', 'blocked_by=artwork', 'blocked_by=artwork&status=pending']) {
      const found = await list(query);
      assert.deepEqual(
        found.map(({ id, blocked_by: by }) => [id, by]),
        [[order.id, [block]]],
        query,
      );
    }
    assert.deepEqual(await idsOf('blocked_by=hold'), []);
    assert.deepEqual(await idsOf('blocked_by=artwork&status=confirmed'), []);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'no artwork', line_ids: [lines[0]] });
    const [left] = (await see(order)).blocked_by;
    assert.deepEqual(left?.line_ids, [lines[1]]);
    assert.match(left?.reason ?? '', /^The print file for front on Team tee could not be made\./);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'no artwork' });
    assert.deepEqual((await see(order)).blocked_by, []);
    assert.deepEqual(await idsOf('blocked_by=anything'), []);
  });

  test('also once it is confirmed, and by a line that is paused in production', async () => {
    const confirmed = await promoted([blank()]);
    await floor.post(`/orders/${confirmed.id}/hold`, { reason: 'The street has no number.' });
    const [making] = [await promoted([blank(2)])];
    const [line = ''] = linesOf(making);
    await floor.post(`/orders/${making.id}/lines/${line}/start`);
    await floor.post(`/orders/${making.id}/lines/${line}/pause`, { reason: 'The shirt is out of stock.' });
    const held = (reason: string, line_ids: string[]) => [{ kind: 'hold', reason, line_ids, cure: 'wait' }];
    assert.deepEqual((await see(confirmed)).blocked_by, held('The street has no number.', []));
    assert.deepEqual((await see(making)).blocked_by, held('The shirt is out of stock.', [line]));
    assert.deepEqual(await idsOf('blocked_by=hold'), [making.id, confirmed.id]);
    assert.deepEqual(await idsOf('blocked_by=anything'), [making.id, confirmed.id]);
    assert.deepEqual(await idsOf('blocked_by=hold&status=in_production'), [making.id]);
    assert.deepEqual(await idsOf(`blocked_by=hold&cursor=${making.id}`), [confirmed.id]);
    const early = service.ctx.clock.now().toISOString();
    assert.deepEqual(await idsOf(`blocked_by=hold&updated_since=${early}`), []);
    const { body } = await service.customer.request<Page<Order>>('GET', '/orders?blocked_by=hold&limit=1');
    assert.deepEqual([body.data.map(({ id }) => id), body.next_cursor], [[making.id], making.id]);
    await floor.post(`/orders/${confirmed.id}/resume`);
    await floor.post(`/orders/${making.id}/lines/${line}/resume`);
    assert.deepEqual(await idsOf('blocked_by=anything'), []);
  });

  test('by its payment, but not while a charge of it is under way', async () => {
    const poor = await service.openCustomer();
    const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
    const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1, print_jobs: [] }];
    const order = await placeOrder(service, { items }, poor);
    const [found, ...more] = await list('blocked_by=payment', poor);
    assert.deepEqual([found?.id, more], [order.id, []]);
    const reason = 'The order waits until it is paid.';
    assert.deepEqual(found?.blocked_by, [{ kind: 'payment', reason, line_ids: [], cure: 'pay' }]);
    assert.deepEqual(await idsOf('blocked_by=payment'), [], 'another account sees nothing of it');
    const charge = (attempt: string) =>
      rows(service, `update orders set attempt_id = ${attempt} where reference = $1`, [order.reference]);
    await charge('id');
    assert.deepEqual(await list('blocked_by=payment', poor), []);
    const [all] = await list('', poor);
    assert.deepEqual(all?.blocked_by, []);
    await charge('null');
    await rows(service, `update orders set placed_at = placed_at - interval '73 hours' where reference = $1`, [
      order.reference,
    ]);
    const [old] = await list('blocked_by=payment', poor);
    assert.equal(old?.blocked_by[0]?.cure, 'wait', 'what is paid in does not pay it any more');
    assert.match(old.blocked_by[0].reason, /for more than 72 hours, and no top-up pays it any more/);
  });

  test('as a file, too', async () => {
    const order = await placeFailed();
    const answer = await fetch(`${service.url}/api/v1/orders?blocked_by=artwork`, {
      headers: { authorization: `Bearer ${service.customer.token}`, accept: 'text/csv' },
    });
    const [head = '', ...records] = (await answer.text()).trim().split('\r\n');
    assert.deepEqual(
      [records.length, head.includes('shop_number'), head.includes('expected_delivery.latest')],
      [1, true, true],
    );
    assert.ok(records[0]?.includes(order.reference));
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'no artwork' });
  });
});

test('a reason that there is not is refused', async () => {
  const answer = await service.customer.request('GET', '/orders?blocked_by=weather');
  assert.equal(answer.status, 422);
});
