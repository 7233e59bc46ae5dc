import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type Floor, openFloor, placeOrder } from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';
import { assertSound, levelOf, rows } from '../../../harness/written.ts';

// What a cancel of some pieces gives back to the shelf.

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service);
});
after(() => service.stop());
afterEach(() => assertSound(service));

test('of five promised pieces a cancel of two gives back two, and one of another line none of them; the shelf itself stays as it is', async () => {
  const before = await levelOf(service, TEE_WHITE_M);
  const order = await placeOrder(service, {
    items: [teeItem(service, { quantity: 5 }), teeItem(service, { quantity: 1 })],
  });
  const [five, one] = order.items.lineItems.map(({ id }) => id);
  await floor.post(`/orders/${order.id}/promote`);
  const { on_hand } = before;
  assert.deepEqual(await levelOf(service, TEE_WHITE_M), { on_hand, allocated: before.allocated + 6 });
  const cancel = (line_id: string | undefined, quantity: number) =>
    floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', items: [{ line_id, quantity }] });
  await cancel(five, 2);
  assert.deepEqual(await levelOf(service, TEE_WHITE_M), { on_hand, allocated: before.allocated + 4 });
  await cancel(one, 1);
  assert.deepEqual(await levelOf(service, TEE_WHITE_M), { on_hand, allocated: before.allocated + 3 });
  await cancel(five, 3);
  assert.deepEqual(await levelOf(service, TEE_WHITE_M), before);
  const released = await rows<{ quantity: number }>(
    service,
    `select m.quantity from stock_movement m join orders o on o.id = m.order_id
     where o.reference = $1 and m.kind = 'release' order by m.id`,
    [order.reference],
  );
  assert.deepEqual(
    released.map(({ quantity }) => quantity),
    [-2, -1, -3],
  );
});
