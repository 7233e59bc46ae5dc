import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { type Killable, openKillable } from '../harness/killable.ts';
import { platenJson } from '../harness/process.ts';
import { HOME } from '../harness/shop.ts';

/** How often the service is killed while operators refund and cancel; the nightly run sets it higher. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 2);
const ORDERS_A_KILL = 8;

let shop: Killable;
let operatorToken: string;
before(async () => {
  shop = await openKillable();
  const operator = ['operator', 'create', '--email', 'ada@shop.example', '--password', 'a password of the tests'];
  operatorToken = (await platenJson<{ token: string }>(operator, shop.env)).token;
});
after(() => shop?.close());

function place(): Promise<CreatedOrder> {
  const items = [{ product_id: shop.demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 3 }];
  return shop.postAtLast('/api/v1/orders', shop.demo.token, { items, shipping_address: HOME });
}

test(`E89 killed ${KILLS} times while ops refund and cancel pieces: each is whole or not at all, and its key makes the retry harmless`, async () => {
  let unanswered = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const orders = await Promise.all(Array.from({ length: ORDERS_A_KILL }, place));
    const requests = orders.flatMap((order) => [
      { path: `/ops/v1/orders/${order.id}/refunds`, body: { amount_gbp: 1.5, reason: 'Late.' }, key: randomUUID() },
      {
        path: `/ops/v1/orders/${order.id}/cancel`,
        body: { reason: 'One less.', lines: [{ line_id: order.items.lineItems[0]?.id, quantity: 1 }] },
        key: randomUUID(),
      },
    ]);
    const acting = requests.map(({ path, body, key }) => shop.post(path, operatorToken, body, key));
    await sleep(randomInt(0, 60));
    await shop.kill();
    unanswered += (await Promise.all(acting)).filter((answer) => answer === undefined).length;
    await shop.restart();
    await Promise.all(requests.map(({ path, body, key }) => shop.postAtLast<object>(path, operatorToken, body, key)));
  }
  assert.ok(unanswered > 0, 'a kill met a request under way');
  const wrong = await shop.query<object>(
    `select o.reference from orders o
     where (select count(*) from order_credit c where c.order_id = o.id and c.kind = 'goodwill') <> 1
        or (select count(*) from order_credit c where c.order_id = o.id and c.kind = 'cancellation') <> 1
        or (select count(*) from refund r where r.order_id = o.id) <> 2
        or (select sum(quantity_cancelled) from order_line l where l.order_id = o.id) <> 1
        or (select count(*) from operator_action a where a.order_id = o.id) <> 2`,
  );
  assert.deepEqual(wrong, []);
  await shop.assertSound();
});
