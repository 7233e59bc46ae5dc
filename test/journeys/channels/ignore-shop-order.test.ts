import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { openRole } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import {
  closeShops,
  connectShop,
  lookAgain,
  mystery,
  openShops,
  ordersOf,
  seen,
  send,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

before(() => openShops());
after(closeShops);

test('an order that a person ignores is ignored for good, whatever the shop sends of it', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop, { on_hold: true });
  const view = await sendAndLook(shop, order);
  const ignored = await shop.owner.request<ShopOrderView>('POST', `/shop-orders/${view.id}/ignore`);
  assert.deepEqual([ignored.body.state, ignored.body.reason, ignored.body.recipient], ['ignored', 'by_person', null]);
  assert.equal((await shop.owner.request('POST', `/shop-orders/${view.id}/ignore`)).status, 200);
  service.shiftMs(1_000);
  await send(shop, { ...order, on_hold: false, updated_at: isoTime(service.ctx.clock.now()) });
  await lookAgain();
  assert.equal((await seen(shop, view.id)).state, 'ignored');
  assert.deepEqual(await ordersOf(shop), []);
});

test('what waits for 90 days is ignored and its address removed', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  service.shiftMs(91 * 86_400_000);
  await lookAgain();
  const owner = await openRole(service, 'owner', shop.customer.accountId);
  const { body } = await owner.request<ShopOrderView>('GET', `/shop-orders/${view.id}`);
  assert.deepEqual([body.state, body.reason, body.recipient], ['ignored', 'too_old', null]);
});

test('what comes back to life after 90 days waits anew: paid at last, or on the day that it was made for', async () => {
  const shop = await connectShop();
  const unpaid = shopOrder(shop, { unpaid: true, items: [mystery] });
  const inHundredDays = isoTime(new Date(service.ctx.clock.now().getTime() + 100 * 86_400_000));
  const scheduled = shopOrder(shop, { scheduled_for: inHundredDays, items: [mystery] });
  const [first, second] = [await sendAndLook(shop, unpaid), await sendAndLook(shop, scheduled)];
  const stateOf = async ({ id }: ShopOrderView) => {
    const [row] = await rows<{ state: string; reason: string }>(
      service,
      'select state, reason from channel_order where id = $1',
      [parseId('sho', id) ?? ''],
    );
    return [row?.state, row?.reason];
  };
  service.shiftMs(91 * 86_400_000);
  await lookAgain();
  await eventually('it is too old', async () => (await stateOf(first))[1] === 'too_old');
  await send(shop, { ...unpaid, unpaid: false, updated_at: isoTime(service.ctx.clock.now()) });
  await eventually('it is looked at', async () => (await stateOf(first))[1] === 'needs_mapping');
  service.shiftMs(10 * 86_400_000);
  await lookAgain();
  await eventually('its day has come', async () => (await stateOf(second))[1] === 'needs_mapping');
  await lookAgain();
  await lookAgain();
  const waits = ['waiting', 'needs_mapping'];
  assert.deepEqual([await stateOf(first), await stateOf(second)], [waits, waits]);
  service.shiftMs(91 * 86_400_000);
  await lookAgain();
  await eventually('both are too old', async () =>
    [await stateOf(first), await stateOf(second)].every(([, reason]) => reason === 'too_old'),
  );
});
