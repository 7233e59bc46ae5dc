import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../harness/context.ts';
import {
  type Connected,
  closeShopify,
  connect,
  double,
  isPlaced,
  openShopify,
  until,
  untilVisited,
} from './shopify-shops.ts';

// Shops of Shopify that answer without end, or whose clock is off.

before(() => openShopify(['dripping', 'ahead', 'behind']));
after(closeShopify);

/** A call of a shop has 20 s in all. */
const DRIP_MS_MAX = 25_000;

async function ordersOf({ owner }: Connected): Promise<number> {
  return (await owner.api<{ data: object[] }>('GET', '/orders')).body.data.length;
}

test('an answer that drips without end is cut off, and the order that it was about is placed once', async (t) => {
  const connected = await connect('dripping', 8);
  const { shop } = connected;
  shop.faults.push('slow drip');
  const order = await double.order(shop, [connected.ours]);
  await eventually('it is cut off', () => shop.slowDrip.cutAfterMs.length === 1);
  const [cutMs = 0] = shop.slowDrip.cutAfterMs;
  t.diagnostic(`cut off after ${Math.round(cutMs)} ms`);
  assert.ok(cutMs < DRIP_MS_MAX);
  await untilVisited(connected, order.id, isPlaced);
  assert.equal(await ordersOf(connected), 1);
});

for (const [way, skewMs] of [
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
] as const) {
  test(`of a shop whose clock is an hour ${way} each order is placed once, told of or found`, async () => {
    double.shop(way).clock.setSkew(skewMs);
    const connected = await connect(way, 8);
    const { shop, ours } = connected;
    const ids: string[] = [];
    for (let at = 0; at < 2; at += 1) {
      double.post = () => 1;
      const said = await double.order(shop, [ours]);
      await until(connected, said.id, isPlaced);
      double.post = () => 0;
      const found = await double.order(shop, [ours]);
      await untilVisited(connected, found.id, isPlaced);
      double.post = () => 1;
      // Told of late, it is one order all the same.
      await double.changed(shop, found);
      ids.push(said.id, found.id);
    }
    for (const id of ids) await untilVisited(connected, id, isPlaced);
    assert.equal(await ordersOf(connected), ids.length);
  });
}
