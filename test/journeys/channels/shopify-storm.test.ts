import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../harness/context.ts';
import type { DoubleOrder, Fault } from '../../harness/shopify/shop-state.ts';
import {
  type Connected,
  closeShopify,
  connect,
  double,
  inboxOf,
  openShopify,
  service,
  visitAgain,
} from './shopify-shops.ts';

const ORDERS = 60;
const FAULTS: readonly Fault[] = ['throttled', 'away', 'limited', 'page', 'reset', 'answer lost'];

before(() => openShopify(['one', 'two']));
after(closeShopify);

/** The references of a customer's orders here. */
async function placedOf({ customer }: Connected): Promise<string[]> {
  const rows = await service.ctx.database.all<{ external_reference: string }>(
    { name: 'test_storm_placed', text: 'select external_reference from order_reference where account_id = $1' },
    [customer.accountId],
  );
  return rows.map(({ external_reference: reference }) => reference).toSorted();
}

test('of a storm of lost, doubled and late notices and failed calls each order of two shops is placed once', async () => {
  const shops = [await connect('one', ORDERS + 5), await connect('two', ORDERS + 5)];
  const late: (() => Promise<void>)[] = [];
  const made = new Map<Connected, DoubleOrder[]>();
  for (const connected of shops) {
    const orders: DoubleOrder[] = [];
    for (let at = 0; at < ORDERS; at += 1) {
      // A fifth is lost, a fifth doubled, a fifth comes late and in no order.
      double.post = () => [0, 2, 0, 1, 1][at % 5] ?? 1;
      const order = await double.order(connected.shop, [connected.ours], { name: `#${1_001 + at}` });
      orders.push(order);
      if (at % 5 === 2) late.unshift(() => double.changed(connected.shop, order, 'ORDERS_CREATE'));
      if (at % 7 === 0) connected.shop.faults.push(FAULTS[at % FAULTS.length] ?? 'away');
      if (at === ORDERS / 2) connected.shop.tokens.isExpired = true;
    }
    made.set(connected, orders);
  }
  double.post = () => 1;
  for (const send of late) await send();

  for (const connected of shops) {
    const expected = (made.get(connected) ?? []).map(({ id }) => `${connected.channelId}:${id}`).toSorted();
    let visitedAt = 0;
    await eventually(
      'every order is placed',
      async () => {
        if (performance.now() - visitedAt > 2_000) {
          visitedAt = performance.now();
          await visitAgain();
        }
        return (await placedOf(connected)).length >= ORDERS;
      },
      90_000,
    );
    assert.deepEqual(await placedOf(connected), expected);
    const inbox = await inboxOf(connected);
    assert.equal(inbox.length, ORDERS);
  }
});
