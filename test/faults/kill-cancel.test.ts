import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import type { Cancellation } from '../../src/refunds/schema.ts';
import { type Killable, openKillable } from '../harness/killable.ts';
import { HOME } from '../harness/shop.ts';

/** How often the service is killed while orders are cancelled; the nightly run sets it higher. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 2);
const ORDERS_A_KILL = 12;

let shop: Killable;
before(async () => {
  shop = await openKillable();
});
after(() => shop?.close());

function cancel(id: string): Promise<Cancellation | undefined> {
  return shop.post(`/api/v1/orders/${id}/cancel`, shop.demo.token);
}

function place(): Promise<CreatedOrder> {
  const item = {
    product_id: shop.demo.products.fixed,
    variant_sku: 'TEE-CLASSIC-WHT-M',
    quantity: 1,
    print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }],
  };
  return shop.postAtLast('/api/v1/orders', shop.demo.token, { items: [item], shipping_address: HOME });
}

test(`E89 killed ${KILLS} times while orders are cancelled: each cancel is whole or not at all, and its retry gives one refund`, async () => {
  const [before] = await shop.query<{ balance_pence: string }>(
    'select sum(balance_pence) as balance_pence from account_balance',
  );
  let firsts = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const orders = await Promise.all(Array.from({ length: ORDERS_A_KILL }, place));
    const cancelling = orders.map(({ id }) => cancel(id));
    await sleep(randomInt(0, 40));
    await shop.kill();
    const acknowledged = await Promise.all(cancelling);
    await shop.restart();
    const retried = await Promise.all(
      orders.map(({ id }) => shop.postAtLast<Cancellation>(`/api/v1/orders/${id}/cancel`, shop.demo.token)),
    );
    orders.forEach((order, index) => {
      const [first, again] = [acknowledged[index], retried[index]];
      assert.equal(again?.refunded_gbp, order.charged.total);
      if (first !== undefined) assert.equal(again?.already_cancelled, true, 'what was acknowledged stayed');
      if (first !== undefined) firsts += 1;
    });
  }
  assert.ok(firsts < KILLS * ORDERS_A_KILL, 'a kill met a cancel under way');
  const left = await shop.query<object>(
    `select o.reference from orders o where o.state <> 'cancelled'
       or (select count(*) from posting p where p.order_id = o.id and p.kind = 'refund') <> 1
       or (select count(*) from refund r where r.order_id = o.id) <> 1
       or (select count(*) from event e where e.order_id = o.id and e.event = 'order.cancelled') <> 1`,
  );
  assert.deepEqual(left, []);
  assert.deepEqual(await shop.query<object>('select method from setup_right'), [], 'no setup is left paid for');
  const [after] = await shop.query<{ balance_pence: string }>(
    'select sum(balance_pence) as balance_pence from account_balance',
  );
  assert.deepEqual(after, before);
  await shop.assertSound();
});
